import type { CursorPage, Meta, Page, UncountedPage } from './types.js'

/*
 * The values that a handler can return besides plain data: replies, pages and formatted data.
 */

/** A reply as a value, made by `reply` for a handler to return. */
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
 * Makes a reply for a handler to return, with the parameters of `send`; without a status it has the one of the action.
 *
 * @example
 * const create = (req, res, args) => reply('Created', users.add(args), {}, 201)
 */
export function reply<T = null>(message: string, data?: T, meta: Meta = {}, status?: number): Reply<T> {
  return new Reply(message, (data ?? null) as T, meta, status)
}

/** A reply whose body is serialised already; the text is sent as it is. */
export class SerializedReply<T = unknown> extends Reply<T> {
  declare readonly status: number
  readonly text: string

  constructor(message: string, data: T, meta: Meta, status: number, text: string) {
    super(message, data, meta, status)
    this.text = text
  }
}

/** A constructor that returns its argument: a class that extends it adds its private fields to an existing object. */
const ReturnsArgument = function (object: object): object {
  return object
} as unknown as new (object: object) => object

/**
 * Makes a mark for objects of this package, to tell them from objects of the application with the same keys. The mark
 * is a private field, which no code can see or copy.
 *
 * A WeakSet would do the same at ten times the cost, since every garbage collection has to scan it.
 */
export function brand(): {
  readonly put: <T extends object>(object: T) => T
  readonly isOn: (value: unknown) => boolean
} {
  class Mark extends ReturnsArgument {
    readonly #marked = true

    static isOn(value: unknown): boolean {
      return typeof value === 'object' && value !== null && #marked in value
    }
  }
  return {
    put: (object) => {
      new Mark(object)
      return object
    },
    isOn: (value) => Mark.isOn(value),
  }
}

const pages = brand()

export type AnyPage<T = unknown> = Page<T> | UncountedPage<T> | CursorPage<T>

/** Marks a page that this package made: a record of the application with the same keys is not a page. */
export function markPage<P extends AnyPage>(page: P): P {
  return pages.put(page)
}

/** Returns true for a page made by `paginate` or `toPage`, and false for a copy of it. */
export function isPage(value: unknown): value is AnyPage {
  return pages.isOn(value)
}

/** Returns the `meta` of a page: `{ total, page, limit }`, uncounted `{ page, limit }`, by cursor `{ limit, next }`. */
export function pageMeta(page: AnyPage): Meta {
  if ('next' in page) return { limit: page.limit, next: page.next }
  if ('total' in page) return { total: page.total, page: page.page, limit: page.limit }
  return { page: page.page, limit: page.limit }
}

const formatted = brand()

/** The result of `formatData`, for a handler to return, or for `send(res, 'ok', data, meta)`. */
export interface Formatted<Data> {
  data: Data
  meta: Meta
}

/** Marks the result of `formatData`. */
export function markFormatted<Data>(result: Formatted<Data>): Formatted<Data> {
  return formatted.put(result)
}

/** Returns true for a result of `formatData`, whatever its keys are. */
export function isFormatted(value: unknown): value is Formatted<unknown> {
  return formatted.isOn(value)
}
