import { Writable } from 'node:stream'
import { HttpError, UnavailableError, ValidationError } from '../errors.js'
import { messageOf } from '../messages.js'
import type { FieldRule } from './rules.js'
import { SAMPLE_BYTES, sniff, type SniffedType } from './sniff.js'
import type { Spool } from './spool.js'

type Done = (error?: Error | null) => void

/** Takes in one file: at most as much as its field allows, judged by its first bytes, kept in a spool. */
export class Receiver extends Writable {
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
