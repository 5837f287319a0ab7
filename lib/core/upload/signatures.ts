import { isUtf8 } from 'node:buffer'

/** The number of first bytes that are examined. */
export const SAMPLE_BYTES = 65_536

export interface SniffedType {
  /** The media type. */
  readonly type: string
  /** The usual extension, without its dot. */
  readonly extension: string
}

const OFFICE = 'application/vnd.openxmlformats-officedocument'

/** The first bytes of common types as Latin-1, each with its extension; a more special one comes first. */
const SIGNATURES: readonly (readonly [bytes: RegExp, type: string, extension: string])[] = [
  [/^\xFF\xD8\xFF/, 'image/jpeg', 'jpg'],
  [/^\x89PNG\r\n\x1A\n/, 'image/png', 'png'],
  [/^GIF/, 'image/gif', 'gif'],
  [/^RIFF[^]{4}WEBP/, 'image/webp', 'webp'],
  [/^[^]{4}ftyp(?:avif|avis)/, 'image/avif', 'avif'],
  [/^[^]{4}ftyp(?:heic|heix)/, 'image/heic', 'heic'],
  [/^BM/, 'image/bmp', 'bmp'],
  [/^(?:II\*\0|MM\0\*)/, 'image/tiff', 'tif'],
  [/^\0\0\x01\0/, 'image/x-icon', 'ico'],
  [/^8BPS/, 'image/vnd.adobe.photoshop', 'psd'],
  [/^%PDF/, 'application/pdf', 'pdf'],
  [/^%!PS-Adobe-[^]{3} EPSF-/, 'application/eps', 'eps'],
  [/^%!/, 'application/postscript', 'ps'],
  [/^\{\\rtf/, 'application/rtf', 'rtf'],
  [/^(?:\xEF\xBB\xBF)?<\?xml /, 'application/xml', 'xml'],
  [/^\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1/, 'application/x-cfb', 'cfb'],
  [/^PK\x03\x04[^]*PK\x03\x04[^]{26}word\//, `${OFFICE}.wordprocessingml.document`, 'docx'],
  [/^PK\x03\x04[^]*PK\x03\x04[^]{26}xl\//, `${OFFICE}.spreadsheetml.sheet`, 'xlsx'],
  [/^PK\x03\x04[^]*PK\x03\x04[^]{26}ppt\//, `${OFFICE}.presentationml.presentation`, 'pptx'],
  [/^PK[\x03\x05\x07][\x04\x06\x08]/, 'application/zip', 'zip'],
  [/^\x1F\x8B\x08/, 'application/gzip', 'gz'],
  [/^BZh/, 'application/x-bzip2', 'bz2'],
  [/^\xFD7zXZ\0/, 'application/x-xz', 'xz'],
  [/^7z\xBC\xAF\x27\x1C/, 'application/x-7z-compressed', '7z'],
  [/^Rar!\x1A\x07[\0\x01]/, 'application/x-rar-compressed', 'rar'],
  [/^[^]{257}ustar/, 'application/x-tar', 'tar'],
  [/^[^]{4}ftypqt/, 'video/quicktime', 'mov'],
  [/^[^]{4}ftypM4A/, 'audio/x-m4a', 'm4a'],
  [/^[^]{4}ftypM4V/, 'video/x-m4v', 'm4v'],
  [/^[^]{4}ftyp(?:iso|mp4|avc|dash)/, 'video/mp4', 'mp4'],
  [/^\x1AE\xDF\xA3[^]{0,64}webm/, 'video/webm', 'webm'],
  [/^\x1AE\xDF\xA3[^]{0,64}matroska/, 'video/matroska', 'mkv'],
  [/^OggS[^]{24}\x01vorbis/, 'audio/ogg', 'ogg'],
  [/^RIFF[^]{4}WAVE/, 'audio/wav', 'wav'],
  [/^(?:ID3|\xFF[\xFA\xFB])/, 'audio/mpeg', 'mp3'],
  [/^fLaC/, 'audio/flac', 'flac'],
  [/^MZ/, 'application/x-msdownload', 'exe'],
  [/^\x7FELF/, 'application/x-elf', 'elf'],
  [/^wOFF\0\x01\0\0/, 'font/woff', 'woff'],
  [/^wOF2\0\x01\0\0/, 'font/woff2', 'woff2'],
  [/^BEGIN:VCARD/, 'text/vcard', 'vcf'],
  [/^BEGIN:VCALENDAR/, 'text/calendar', 'ics'],
  [/^\0asm/, 'application/wasm', 'wasm'],
]

const TEXT: SniffedType = { type: 'text/plain', extension: 'txt' }
const UNKNOWN: SniffedType = { type: 'application/octet-stream', extension: 'bin' }

/**
 * Returns the type of a file by its first bytes, of common types alone: `sniff` knows more, and is asynchronous. HTML,
 * SVG and other text without a signature is plain text.
 */
export function sniffCommon(sample: Buffer): SniffedType {
  const bytes = sample.toString('latin1')
  const match = SIGNATURES.find(([signature]) => signature.test(bytes))
  return match === undefined ? textOrUnknown(sample) : { type: match[1], extension: match[2] }
}

const CONTROL = /[\0-\x08\x0E-\x1A\x1C-\x1F]/

/** Returns the type of a file without a signature. */
export function textOrUnknown(sample: Buffer): SniffedType {
  const isText = sample.length > 0 && isUtf8(wholeCharacters(sample)) && !CONTROL.test(sample.toString('latin1'))
  return isText ? TEXT : UNKNOWN
}

/** Removes an incomplete character at the end of a sample. */
function wholeCharacters(sample: Buffer): Buffer {
  if (sample.length < SAMPLE_BYTES) return sample
  const end = [1, 2, 3].find((back) => ((sample.at(-back) ?? 0) & 0xC0) === 0xC0) ?? 0
  return sample.subarray(0, sample.length - end)
}
