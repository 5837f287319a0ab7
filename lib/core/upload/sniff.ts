import { isUtf8 } from 'node:buffer'
import { fileTypeFromBuffer } from 'file-type'

/** The number of first bytes that are examined. */
export const SAMPLE_BYTES = 65_536

export interface SniffedType {
  /** The media type. */
  readonly type: string
  /** The usual extension, without its dot. */
  readonly extension: string
}

const PNG: SniffedType = { type: 'image/png', extension: 'png' }
const TEXT: SniffedType = { type: 'text/plain', extension: 'txt' }
const UNKNOWN: SniffedType = { type: 'application/octet-stream', extension: 'bin' }

/** The signature of a PNG: `file-type` reads the chunks of a PNG and does not recognize one with a damaged chunk. */
const PNG_SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex')

/**
 * Returns the type of a file by its first bytes alone. HTML, SVG and other text without a magic number is plain text.
 */
export async function sniff(sample: Buffer): Promise<SniffedType> {
  const known = await fileTypeFromBuffer(sample)
  if (known !== undefined) return { type: known.mime, extension: known.ext }
  if (sample.subarray(0, PNG_SIGNATURE.length).equals(PNG_SIGNATURE)) return PNG
  return isText(sample) ? TEXT : UNKNOWN
}

const CONTROL = /[\0-\x08\x0E-\x1A\x1C-\x1F]/

function isText(sample: Buffer): boolean {
  return sample.length > 0 && isUtf8(wholeCharacters(sample)) && !CONTROL.test(sample.toString('latin1'))
}

/** Removes an incomplete character at the end of a sample. */
function wholeCharacters(sample: Buffer): Buffer {
  if (sample.length < SAMPLE_BYTES) return sample
  const end = [1, 2, 3].find((back) => ((sample.at(-back) ?? 0) & 0xC0) === 0xC0) ?? 0
  return sample.subarray(0, sample.length - end)
}
