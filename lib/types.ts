import type { Request, Response } from 'express'
import type { z } from 'zod'

/**
 * Every JSON reply, success or error.
 *
 * `code` equals the HTTP status; on a validation error `data` is `{ field: ["every message"] }`;
 * on any error `meta.reason` is a stable, machine-readable string.
 *
 * @example
 * const reply: Envelope<{ id: number }> = { code: 200, message: 'ok', data: { id: 1 }, meta: {} }
 */
export interface Envelope<T = unknown> {
  code: number
  message: string
  data: T
  meta: Meta
}

/** What stands beside the data: paging figures, a reason, whatever the caller adds. */
export type Meta = Readonly<Record<string, unknown>>

/** One numbered page of a list; `page` counts from 1, `total` is the number of all rows. */
export interface Page<T> {
  items: T[]
  page: number
  limit: number
  total: number
}

/** A numbered page for which nobody counted the rows: `paginate(source, { page, limit, total: false })`. */
export type UncountedPage<T> = Omit<Page<T>, 'total'>

/** A page that starts behind a cursor; `next` is the cursor of the following page, `null` at the end. */
export interface CursorPage<T> {
  items: T[]
  limit: number
  next: string | null
}

/**
 * What `paginate` can read: rows from an offset, and how many there are.
 *
 * `sliceAndCount` may answer both in one round trip. `sliceAfter` gives a stable cursor: `position` is what the source
 * itself returned for the row before the first one wanted (`null` at the start); without it a cursor is an offset in disguise.
 *
 * @example
 * const source: PageSource<User> = {
 *   slice: (offset, limit) => db.users.find().skip(offset).limit(limit).toArray(),
 *   count: () => db.users.countDocuments(),
 * }
 */
export interface PageSource<T> {
  slice(offset: number, limit: number): Promise<readonly T[]> | readonly T[]
  count?(): Promise<number> | number
  sliceAndCount?(offset: number, limit: number): Promise<{ items: readonly T[]; total: number }>
  sliceAfter?(position: readonly unknown[] | null, limit: number): Promise<{ items: readonly T[]; next: readonly unknown[] | null }>
}

/** Who is calling: the verified claims of a token, or what the user's own `verify` returned. */
export interface Auth {
  id: string | number
  role?: string
  permissions?: readonly string[]
  readonly [claim: string]: unknown
}

/** `true`: a sign-in is needed. `'optional'`: bad credentials are refused, none are fine. `false`: nobody looks. */
export type AuthMarker = boolean | 'optional'

/** Which documents a route appears in: one domain, several, or none. */
export type Doc = string | readonly string[] | false

/** One mounted route as plain data: what `routesOf` lists and `routeOf` finds. */
export interface RouteInfo {
  /** Upper-case HTTP method. A GET route answers HEAD too. */
  readonly method: string
  /** The full declared path, e.g. `/admin/users/:id`. */
  readonly path: string
  /** `{app}.{resource}.{action}`, without an app `{resource}.{action}`. */
  readonly name: string
  readonly resource: string
  readonly action: string
  readonly app: string | undefined
  /** The permission id that is enforced, `undefined` where none is. */
  readonly permission: string | undefined
  readonly auth: AuthMarker
  readonly can: boolean
  readonly summary: string
  readonly description: string | undefined
  readonly tags: readonly string[]
  readonly doc: Doc | undefined
  readonly meta: Meta
  /** The status of a success. */
  readonly status: number
  readonly input: z.ZodType | undefined
  readonly query: z.ZodType | undefined
  readonly output: z.ZodType | undefined
}

/**
 * Answers one route: returns the data to send, or sends it itself and returns nothing.
 *
 * @example
 * const show: Handler<{ id: string }> = (req, res, { id }) => findOrFail(users.get(id))
 */
export type Handler<Args = Record<string, unknown>, Result = unknown> = (
  req: Request,
  res: Response,
  args: Args,
) => Result | Promise<Result>

declare global {
  namespace Express {
    interface Request {
      /** Who is calling, set by `auth`; `undefined` for an anonymous caller. */
      auth?: Auth | undefined
    }
  }
}
