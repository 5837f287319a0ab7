import type { Meta } from './types.js'

/** A reply as a value: what `reply` makes, for a handler to return. */
export class Reply<T = unknown> {
  readonly message: string
  readonly data: T
  readonly meta: Meta
  readonly status: number | undefined

  constructor(message: string, data: T, meta: Meta, status: number | undefined) {
    this.message = message
    this.data = data
    this.meta = meta
    this.status = status
  }
}

/**
 * What `send` would send, as a value that a handler returns; without a status it has the action's.
 *
 * @example
 * const create = (req, res, args) => reply('Created', users.add(args), {}, 201)
 */
export function reply<T = null>(message: string, data?: T, meta: Meta = {}, status?: number): Reply<T> {
  return new Reply(message, (data ?? null) as T, meta, status)
}
