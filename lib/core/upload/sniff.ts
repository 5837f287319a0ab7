import { fileTypeFromBuffer } from 'file-type'
import { textOrUnknown, type SniffedType } from './signatures.js'

const PNG: SniffedType = { type: 'image/png', extension: 'png' }

/** The signature of a PNG: `file-type` reads the chunks of a PNG and does not recognize one with a damaged chunk. */
const PNG_SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex')

/**
 * Returns the type of a file by its first bytes alone. HTML, SVG and other text without a magic number is plain text.
 */
export async function sniff(sample: Buffer): Promise<SniffedType> {
  const detected = await fileTypeFromBuffer(sample)
  if (detected !== undefined) return { type: detected.mime, extension: detected.ext }
  return sample.subarray(0, PNG_SIGNATURE.length).equals(PNG_SIGNATURE) ? PNG : textOrUnknown(sample)
}
