/** One part of a form: a field, or a file if it has a file name. */
export interface FormPart {
  readonly name: string
  readonly content: string | Buffer
  readonly filename?: string
  readonly type?: string
}

export const BOUNDARY = 'a-boundary-of-the-specs'

export const FORM_TYPE = `multipart/form-data; boundary=${BOUNDARY}`

/** Returns the bytes of a form like a browser sends it. */
export function formOf(...parts: readonly FormPart[]): Buffer {
  return Buffer.concat([
    ...parts.flatMap((part) => [Buffer.from(headOf(part)), Buffer.from(part.content), Buffer.from('\r\n')]),
    Buffer.from(`--${BOUNDARY}--\r\n`),
  ])
}

function headOf({ name, filename, type }: FormPart): string {
  const file = filename === undefined ? '' : `; filename="${filename}"`
  return `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"${file}\r\n${
    type === undefined ? '' : `Content-Type: ${type}\r\n`
  }\r\n`
}

/** Returns the bytes of a request with a form. */
export function formRequest(path: string, form: Buffer, headers: readonly string[] = []): Buffer {
  const head = [
    `POST ${path} HTTP/1.1`,
    'Host: specs',
    `Content-Type: ${FORM_TYPE}`,
    `Content-Length: ${form.length}`,
    ...headers,
    '',
    '',
  ]
  return Buffer.concat([Buffer.from(head.join('\r\n')), form])
}

/** Returns a file of the given size with the first bytes of a real one. */
export function fileOf(kind: keyof typeof HEADS, size = 1000): Buffer {
  const head = HEADS[kind]
  return Buffer.concat([head, Buffer.alloc(Math.max(0, size - head.length), 7)])
}

const HEADS = {
  png: Buffer.from('89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de', 'hex'),
  jpeg: Buffer.from('ffd8ffe000104a46494600010100000100010000', 'hex'),
  gif: Buffer.from('GIF89a\x01\x00\x01\x00/*<script>alert(1)</script>*/', 'latin1'),
  pdf: Buffer.from('%PDF-1.7\n'),
  zip: Buffer.from('504b0304140000000000', 'hex'),
  html: Buffer.from('<!doctype html><script>alert(1)</script>\n'),
  svg: Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>\n'),
}
