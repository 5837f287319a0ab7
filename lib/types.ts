import type { Readable } from 'node:stream'
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

/** What is expected of the files in one field of a multipart form. */
export interface FileRule {
  /** Media types that are accepted, judged by the content: `['image/jpeg', 'image/png']`. @default any */
  readonly types?: readonly string[] | undefined
  /** The largest file in bytes. @default 10_000_000 */
  readonly maxBytes?: number | undefined
  /** The most files. @default 1 */
  readonly maxCount?: number | undefined
  /** Whether at least one has to come. @default false */
  readonly required?: boolean | undefined
}

/** The fields of a multipart form that hold files. */
export type FileFields = Readonly<Record<string, FileRule>>

/** A file that came with a request; it is gone when the reply is out, so it is saved before. */
export interface UploadedFile {
  /** What the caller called it, without path and control characters, at most 255 bytes: to be shown, never to be a path. */
  readonly name: string
  /** The media type by its content; text without a magic number is `text/plain`, anything else `application/octet-stream`. */
  readonly type: string
  /** The media type by the caller's word. */
  readonly clientType: string
  /** In bytes. */
  readonly size: number
  /** The content; may be asked for more than once. */
  stream(): Readable
  /** The whole content in memory. */
  bytes(): Promise<Buffer>
  /**
   * Writes the file to a storage, under a generated path unless you give one.
   *
   * When the request ends in an error (a status of 400 or more, or a caller who is gone) the stored file is deleted again. So is
   * what stood at a `path` of yours: replace a file by storing the new one under a generated path, and then delete the old one.
   *
   * @throws HttpError 503 `unavailable` when the storage fails or makes no progress.
   * @example
   * const { url } = await findOrFail(RequestParam.file(req, 'avatar')).saveTo(storage)
   */
  saveTo(storage: Storage, path?: string): Promise<{ path: string; url: string }>
}

/**
 * Where files are kept: `localDisk`, a FileStorage of flystorage's, or three functions of your own.
 *
 * @example
 * const storage: Storage = new FileStorage(new AwsS3StorageAdapter(client, { bucket: 'avatars' }))
 */
export interface Storage {
  write(path: string, stream: Readable, options?: { readonly mimeType?: string; readonly size?: number }): Promise<unknown>
  publicUrl(path: string): string | Promise<string>
  /** A path that does not exist is no error. */
  deleteFile(path: string): Promise<unknown>
}

/** A header as a document tells of it. */
export interface HeaderTraits {
  readonly description: string
  /** Whether it always comes. @default false */
  readonly required?: boolean | undefined
  /** A value that the handler accepts. @default none */
  readonly example?: string | undefined
}

/** Headers by name: `{ 'If-Match': { description: 'The ETag of what is to be changed', required: true } }`. */
export type HeaderFields = Readonly<Record<string, HeaderTraits>>

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
  /** The permission id that is enforced, `undefined` where none is; the first of `permissions`. */
  readonly permission: string | undefined
  /**
   * All permission ids that are enforced: of a route with an `app` its own, of one without an id for each `permission` in front of
   * it, and every one of them must be granted.
   */
  readonly permissions: readonly string[]
  /** The applications whose credentials the route asks for: its `app`, or those of the guards in front; none for a public route. */
  readonly guardedBy: readonly string[]
  readonly auth: AuthMarker
  readonly can: boolean
  readonly summary: string
  readonly description: string | undefined
  readonly tags: readonly string[]
  readonly doc: Doc | undefined
  readonly deprecated: boolean
  readonly meta: Meta
  /** The status of a success. */
  readonly status: number
  readonly input: z.ZodType | undefined
  readonly query: z.ZodType | undefined
  readonly output: z.ZodType | undefined
  /** The fields of a multipart form that hold files, `undefined` where none is read. */
  readonly files: FileFields | undefined
  /** The media type of what the handler sends itself, `undefined` where it is the envelope. */
  readonly produces: string | undefined
  /** The headers that the handler reads, and those that its success carries. */
  readonly requestHeaders: HeaderFields
  readonly responseHeaders: HeaderFields
  /** The statuses that it answers with beside those that every such route has. */
  readonly statuses: readonly number[]
  /** Whether the route reads a body, and so refuses one that is too large or of another kind. */
  readonly readsBody: boolean
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
