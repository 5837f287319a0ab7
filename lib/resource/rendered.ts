import { Reply } from '../reply.js'
import type { Meta } from '../types.js'

/** A reply whose body is written already: it leaves as this text, and nothing of it is looked at again. */
export class Rendered<T = unknown> extends Reply<T> {
  declare readonly status: number
  readonly text: string

  constructor(message: string, data: T, meta: Meta, status: number, text: string) {
    super(message, data, meta, status)
    this.text = text
  }
}
