import { EventEmitter } from 'node:events'
import type { IncomingHttpHeaders } from 'node:http'
import { pipeline, Readable, Writable } from 'node:stream'
import type { Request } from 'express'
import { HttpError, UnavailableError } from '../base/errors.js'
import { messageOf } from '../base/messages/messages.js'
import { acceptsType, checkCount, checkFilled, checkNoText, checkSize, checkType, ruleOf } from './file-checks.js'
import { cleanFileName } from './file-name.js'
import { ReceivedFile } from './received-file.js'
import type { RequestFiles } from './request-files.js'
import { listName, type FieldRule, type FormRules } from './rules.js'
import { SAMPLE_BYTES, type SniffedType } from './signatures.js'
import { sniff } from './sniff.js'
import { withChunks, type Spool } from './spool.js'

/** A part with a file, as multer passes it. */
interface Part {
  readonly fieldname: string
  readonly originalname: string
  readonly mimetype: string
  readonly stream: Readable
}

/**
 * One form while it is being read, given to multer in place of the request.
 *
 * With the request itself, multer would report a refusal only after the whole body (it waits for the end of a readable
 * request), and only multer could refuse a part.
 */
export class Form extends EventEmitter {
  readonly headers: IncomingHttpHeaders
  readonly readable = false
  readonly received = new Map<string, ReceivedFile[]>()
  /** The text fields, set by multer. */
  body: unknown
  readonly #source: Readable
  readonly #rules: FormRules
  readonly #files: RequestFiles
  readonly #onData = this.#count.bind(this)
  #bytes = 0
  #textBytes = 0

  /** @param bytes of the body, where a platform has received them already */
  constructor(req: Request, bytes: Buffer | undefined, rules: FormRules, files: RequestFiles) {
    super()
    this.headers = {
      ...req.headers,
      'content-type': typeWithBoundary(req.headers['content-type'] ?? ''),
      ...(bytes !== undefined && { 'content-length': String(bytes.length) }),
    }
    this.#source = bytes === undefined ? req : Readable.from(bytes)
    this.#rules = rules
    this.#files = files
    if (bytes !== undefined) return
    for (const event of ['error', 'aborted', 'close']) req.on(event, (error) => this.emit(event, error))
  }

  get readableEnded(): boolean {
    return this.#source.readableEnded
  }

  pipe(parser: Writable): void {
    parser.prependListener('field', (name: unknown, text: string) => this.#attempt(() => this.#checkText(name, text)))
    parser.prependListener('file',
      (_field, content: Readable, { filename }: { readonly filename?: string }) => this.#checkNamed(content, filename))
    this.#source.on('data', this.#onData)
    this.#source.pipe(parser)
  }

  unpipe(parser: Writable): void {
    this.#source.off('data', this.#onData)
    this.#source.unpipe(parser)
    this.#source.pause()
  }

  /** Does nothing: the rest of a refused body is handled after the reply. */
  resume(): void {}

  /**
   * Checks the name of a file.
   *
   * @throws ValidationError for a name that is not declared, and for too many files.
   * @throws HttpError 400 `unreadable` for a nested name.
   */
  checkFile({ fieldname }: Part): void {
    checkName(fieldname)
    const name = listName(fieldname)
    checkCount(name, ruleOf(this.#rules, name), this.received.get(name)?.length ?? 0)
  }

  /** Receives a file whose name was checked. */
  receive({ fieldname, originalname, mimetype, stream }: Part, done: (error?: Error | null) => void): void {
    const name = listName(fieldname)
    const { memoryBytes, storageTimeout } = this.#rules
    const spool = this.#files.spool(memoryBytes)
    const receiver = new Receiver(name, ruleOf(this.#rules, name), spool)
    const files = this.received.get(name) ?? []
    this.received.set(name, files)
    // A large file may be complete after a small one that was sent later.
    const place = files.length++
    pipeline(stream, receiver, (error) => {
      if (!error) {
        const figures = { name: cleanFileName(originalname), clientType: mimetype, kind: receiver.kind }
        files[place] = new ReceivedFile({ ...figures, content: spool, storageTimeout }, this.#files)
      }
      done(error)
    })
  }

  #checkText(name: unknown, text: string): void {
    if (typeof name !== 'string') return // multer refuses it
    checkName(name)
    checkNoText(this.#rules, listName(name))
    this.#textBytes += Buffer.byteLength(name) + Buffer.byteLength(text)
    if (this.#textBytes > this.#rules.textBytes) throw new HttpError(413, messageOf('too_large.form_text'))
  }

  /**
   * Checks a part that multer would skip, since its file has no name: a browser sends one for a field without a file,
   * and it has no content.
   */
  #checkNamed(content: Readable, name: string | undefined): void {
    if (name !== undefined) return
    content.once('data', () => this.emit('error', new HttpError(400, messageOf('unreadable.form'))))
  }

  /** Counts all bytes of the body, those outside of declared parts too. */
  #count({ length }: Buffer): void {
    this.#bytes += length
    if (this.#bytes > this.#rules.bytes) this.emit('error', new HttpError(413, messageOf('too_large.form')))
  }

  #attempt(check: () => void): void {
    try {
      check()
    } catch (error) {
      this.emit('error', error)
    }
  }
}

/** The characters of a boundary (RFC 2046 §5.1.1); some of them must be quoted in a header, and often are not. */
const BOUNDARY = /^[^;]+;(?:.*;)?\s*boundary=(?:"([\w'()+,./:=? -]{1,200})"|([\w'()+,./:=?-]{1,200}))\s*(?:;|$)/i

/**
 * Writes a type of a form as the parser takes it: with its boundary alone, which is quoted.
 *
 * @throws HttpError 400 `unreadable` without a boundary.
 */
function typeWithBoundary(type: string): string {
  const [, quoted, plain = quoted] = BOUNDARY.exec(type) ?? []
  if (plain === undefined) throw new HttpError(400, messageOf('unreadable.form'))
  return `multipart/form-data; boundary="${plain}"`
}

/** Checks the name of a field. @throws HttpError 400 `unreadable` for brackets other than one `[]` at the end. */
function checkName(name: string): void {
  if (/[[\]]/.test(listName(name))) throw new HttpError(400, messageOf('unreadable.field_nested'))
}

type Done = (error?: Error | null) => void

/** Receives one file: checks its size and, by its first bytes, its type, and keeps it in a spool. */
class Receiver extends Writable {
  readonly #field: string
  readonly #rule: FieldRule
  readonly #spool: Spool
  #size = 0
  #head: Buffer[] = []
  #kind: SniffedType | undefined

  constructor(field: string, rule: FieldRule, spool: Spool) {
    super({ highWaterMark: 4 * SAMPLE_BYTES })
    this.#field = field
    this.#rule = rule
    this.#spool = spool
  }

  /** The type of the file, known when the file is complete. */
  get kind(): SniffedType {
    if (this.#kind === undefined) throw new Error('The type of an uploaded file was read before the file was complete.')
    return this.#kind
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: Done): void {
    this.#take([chunk]).then(() => done(), done)
  }

  override _writev(items: readonly { chunk: Buffer }[], done: Done): void {
    this.#take(items.map(({ chunk }) => chunk)).then(() => done(), done)
  }

  override _final(done: Done): void {
    this.#finish().then(() => done(), done)
  }

  async #take(chunks: readonly Buffer[]): Promise<void> {
    for (const { length } of chunks) this.#size += length
    checkSize(this.#field, this.#rule, this.#size)
    if (this.#kind !== undefined) return this.#keep(chunks)
    this.#head = withChunks(this.#head, chunks)
    if (this.#size >= SAMPLE_BYTES) await this.#recognize()
  }

  async #finish(): Promise<void> {
    checkFilled(this.#field, this.#size)
    if (this.#kind === undefined) await this.#recognize()
    checkType(this.#field, this.#rule, this.kind.type)
    this.#spool.finish()
  }

  async #recognize(): Promise<void> {
    const head = Buffer.concat(this.#head)
    this.#head = []
    this.#kind = await sniff(head.subarray(0, SAMPLE_BYTES))
    await this.#keep([head])
  }

  /**
   * Keeps chunks of an accepted type. A file of another type is read to its end, since it may be too large as well, but
   * not kept.
   */
  async #keep(chunks: readonly Buffer[]): Promise<void> {
    if (!acceptsType(this.#rule, this.kind.type)) return
    try {
      await this.#spool.write(chunks)
    } catch (error) {
      throw new UnavailableError('An upload could not be written to the temporary folder', { cause: error })
    }
  }
}
