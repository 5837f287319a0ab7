import { MisuseError } from '../base/errors.js'
import type { Literal } from '../base/literals.js'
import { show } from '../base/options.js'
import type { CursorPage, Meta, Page, UncountedPage } from '../base/types.js'
import { isPlainObject } from '../validate/plain-data.js'

/*
 * The values that a handler can return besides plain data: replies, pages and formatted data.
 */

/** A reply whose status is decided. */
export interface Content<T = unknown> {
  readonly message: string
  readonly data: T
  readonly meta: Meta
  readonly status: number
}

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
 * @throws MisuseError `meta_invalid` when `meta` is no plain object.
 * @example
 * resource(app, '/users').create((req) => reply('Created', users.add(RequestParam.body(req)), {}, 201))
 */
export function reply<T extends Literal = null>(message: string, data?: T, meta: Meta = {}, status?: number): Reply<T> {
  checkMeta('reply', meta)
  return new Reply(message, (data ?? null) as T, meta, status)
}

/** @throws MisuseError `meta_invalid` for anything but a plain object: JSON would send a bigint or a date as `{}`. */
export function checkMeta(where: string, meta: unknown): asserts meta is Meta {
  if (isPlainObject(meta)) return
  throw new MisuseError(
    'meta_invalid',
    `${where}: the \`meta\` of a reply must be a plain object, not ${show(meta)}. Write { total: 57 }, for example.`,
  )
}

/** A reply whose body is serialised already; the text is sent as it is. */
export class SerializedReply<T = unknown> extends Reply<T> {
  declare readonly status: number
  readonly text: string

  constructor({ message, data, meta, status }: Content<T>, text: string) {
    super(message, data, meta, status)
    this.text = text
  }
}

/** A constructor that returns its argument: a class that extends it adds its private fields to an existing object. */
const ReturnsArgument = function(object: object): object {
  return object
} as unknown as new<T extends object>(object: T) => T

/**
 * Makes a mark for objects of this package, to tell them from objects of the application with the same keys. The mark
 * is a private field, which no code can see or copy.
 *
 * `put` returns what the constructor returns: a bundler may drop a constructor call whose value is not used. A WeakSet
 * would do the same at ten times the cost, since every garbage collection has to scan it.
 */
export function brand<Marked extends object>(): {
  readonly put: <T extends Marked>(object: T) => T
  readonly isOn: (value: unknown) => value is Marked
} {
  class Mark extends ReturnsArgument<object> {
    readonly #marked = true

    static isOn(value: unknown): value is Marked {
      return typeof value === 'object' && value !== null && #marked in value
    }
  }
  return {
    put: <T extends Marked>(object: T) => new Mark(object) as unknown as T,
    isOn: (value) => Mark.isOn(value),
  }
}

export type AnyPage<T = unknown> = Page<T> | UncountedPage<T> | CursorPage<T>

const pages = brand<AnyPage>()

/** Marks a page that this package made: a record of the application with the same keys is not a page. */
export function markPage<P extends AnyPage>(page: P): P {
  return pages.put(page)
}

/** Returns true for a page made by `paginate` or `toPage`, and false for a copy of it. */
export const isPage: (value: unknown) => value is AnyPage = pages.isOn

/** Returns the `meta` of a page: `{ total, page, limit }`, uncounted `{ page, limit }`, by cursor `{ limit, next }`. */
export function pageMeta(page: AnyPage): Meta {
  if ('next' in page) return { limit: page.limit, next: page.next }
  if ('total' in page) return { total: page.total, page: page.page, limit: page.limit }
  return { page: page.page, limit: page.limit }
}

/** The result of `formatData`, for a handler to return or for `send(res, 'ok', formatted)`. */
export interface Formatted<Data> {
  data: Data
  meta: Meta
}

const formatted = brand<Formatted<unknown>>()

export function markFormatted<Data>(result: Formatted<Data>): Formatted<Data> {
  return formatted.put(result)
}

/** Returns true for a result of `formatData`, whatever its keys are. */
export const isFormatted: (value: unknown) => value is Formatted<unknown> = formatted.isOn

/** Returns the data and `meta` of a page or of formatted data; any other value is the data itself, without `meta`. */
export function unfold(value: unknown): Formatted<unknown> {
  if (isFormatted(value)) return value
  return isPage(value) ? { data: value.items, meta: pageMeta(value) } : { data: value, meta: {} }
}
