import { EventEmitter } from 'node:events'
import type { IncomingHttpHeaders } from 'node:http'
import { pipeline, Writable, type Readable } from 'node:stream'
import type { Request } from 'express'
import { HttpError, UnavailableError, ValidationError } from '../errors.js'
import { messageOf } from '../messages.js'
import { cleanFileName } from './file-name.js'
import { ReceivedFile } from './received-file.js'
import type { RequestFiles } from './request-files.js'
import type { FieldRule, FormRules } from './rules.js'
import { SAMPLE_BYTES, sniff, type SniffedType } from './sniff.js'
import type { Spool } from './spool.js'

/** A part with a file, as multer announces it. */
interface Part {
  readonly fieldname: string
  readonly originalname: string
  readonly mimetype: string
  readonly stream: Readable
}

/**
 * One form while it is being read: what multer takes for the request.
 *
 * Given the request itself, multer would tell of a refusal only when the whole body has arrived (it waits for the end of a readable
 * request), and nobody could refuse a part but multer.
 */
export class Form extends EventEmitter {
  readonly headers: IncomingHttpHeaders
  readonly readable = false
  readonly received = new Map<string, ReceivedFile[]>()
  /** Multer puts the text fields here. */
  body: unknown
  readonly #req: Request
  readonly #rules: FormRules
  readonly #files: RequestFiles
  #bytes = 0
  #textBytes = 0

  constructor(req: Request, rules: FormRules, files: RequestFiles) {
    super()
    this.headers = req.headers
    this.#req = req
    this.#rules = rules
    this.#files = files
    for (const event of ['error', 'aborted', 'close']) req.on(event, (error) => this.emit(event, error))
  }

  get readableEnded(): boolean {
    return this.#req.readableEnded
  }

  pipe(parser: Writable): void {
    parser.prependListener('field', (name: unknown, text: string) => this.#attempt(() => this.#checkText(name, text)))
    this.#req.on('data', this.#count)
    this.#req.pipe(parser)
  }

  unpipe(parser: Writable): void {
    this.#req.off('data', this.#count)
    this.#req.unpipe(parser)
    this.#req.pause()
  }

  /** What is left of a body that was refused is dealt with when the reply is out. */
  resume(): void {}

  /** @throws HttpError when no file may come under that name, or no further one. */
  checkFile({ fieldname }: Part): void {
    checkName(fieldname)
    const name = listName(fieldname)
    const { maxCount } = this.#ruleOf(name)
    const { length } = this.received.get(name) ?? []
    if (length === maxCount) throw new ValidationError({ [name]: [messageOf('field.files_too_many', { max: maxCount })] })
  }

  /** Takes in a file that was checked. */
  receive({ fieldname, originalname, mimetype, stream }: Part, done: (error?: Error | null) => void): void {
    const name = listName(fieldname)
    const { memoryBytes, storageTimeout } = this.#rules
    const spool = this.#files.spool(memoryBytes)
    const receiver = new Receiver(name, this.#ruleOf(name), spool)
    const files = this.received.get(name) ?? []
    this.received.set(name, files)
    // A large file may be ready after a small one that came behind it.
    const place = files.length++
    pipeline(stream, receiver, (error) => {
      if (!error) {
        const figures = { name: cleanFileName(originalname), clientType: mimetype, kind: receiver.kind }
        files[place] = new ReceivedFile({ ...figures, spool, storageTimeout }, this.#files)
      }
      done(error)
    })
  }

  #ruleOf(name: string): FieldRule {
    const rule = this.#rules.fields.get(name)
    if (rule === undefined) throw new ValidationError({ [name]: [messageOf('field.file_unexpected')] })
    return rule
  }

  #checkText(name: unknown, text: string): void {
    if (typeof name !== 'string') return // multer refuses it
    checkName(name)
    const field = listName(name)
    if (this.#rules.fields.has(field)) throw new ValidationError({ [field]: [messageOf('field.type.file')] })
    this.#textBytes += Buffer.byteLength(name) + Buffer.byteLength(text)
    if (this.#textBytes > this.#rules.textBytes) throw new HttpError(413, messageOf('too_large.form_text'))
  }

  /** Parts that nobody wants, and what stands before the first and after the last, count as well. */
  readonly #count = ({ length }: Buffer): void => {
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

/** @throws HttpError 400 `unreadable` for brackets other than one `[]` at the end. */
function checkName(name: string): void {
  if (/[[\]]/.test(listName(name))) throw new HttpError(400, messageOf('unreadable.field_nested'))
}

/** `tags[]` is the list `tags`. */
function listName(name: string): string {
  return name.endsWith('[]') ? name.slice(0, -2) : name
}

type Done = (error?: Error | null) => void

/** Takes in one file: at most as much as its field allows, judged by its first bytes, kept in a spool. */
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

  /** What the file is, once it has arrived. */
  get kind(): SniffedType {
    if (this.#kind === undefined) throw new Error('This file has not arrived yet.')
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
    if (this.#size > this.#rule.maxBytes) {
      throw new HttpError(413, messageOf('too_large.file_bytes', { field: this.#field, max: this.#rule.maxBytes }))
    }
    if (this.#kind !== undefined) return this.#keep(chunks)
    this.#head.push(...chunks)
    if (this.#size >= SAMPLE_BYTES) await this.#recognize()
  }

  async #finish(): Promise<void> {
    if (this.#size === 0) throw new ValidationError({ [this.#field]: [messageOf('field.file_empty')] })
    if (this.#kind === undefined) await this.#recognize()
    const { type } = this.kind
    if (!this.#accepts(type)) {
      throw new HttpError(415, messageOf('media_type.file', { field: this.#field, types: this.#rule.types.join(' or '), type }))
    }
    this.#spool.finish()
  }

  async #recognize(): Promise<void> {
    const head = Buffer.concat(this.#head)
    this.#head = []
    this.#kind = await sniff(head.subarray(0, SAMPLE_BYTES))
    await this.#keep([head])
  }

  /** A file of a wrong type is read to its end, for it may be too large as well, but not kept. */
  async #keep(chunks: readonly Buffer[]): Promise<void> {
    if (!this.#accepts(this.kind.type)) return
    try {
      await this.#spool.write(chunks)
    } catch (error) {
      throw new UnavailableError('An upload could not be written to the temporary folder', { cause: error })
    }
  }

  #accepts(type: string): boolean {
    return this.#rule.types.length === 0 || this.#rule.types.includes(type)
  }
}
