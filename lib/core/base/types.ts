import type { Readable } from 'node:stream'
import type { Request, Response } from 'express'

/**
 * A JSON reply, a success or an error.
 *
 * `code` is the HTTP status. On a validation error `data` is `{ field: ["every message"] }`. On any error `meta.reason`
 * is a stable, machine-readable string.
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

/** Information about the data: paging figures, a reason, and values of the handler. */
export type Meta = Readonly<Record<string, unknown>>

/** Options whose defaults are decided: each is there. */
export type Complete<Options> = { readonly [Name in keyof Options]-?: Exclude<Options[Name], undefined> }

/** One numbered page of a list; `page` counts from 1, `total` is the number of all rows. */
export interface Page<T> {
  items: T[]
  page: number
  limit: number
  total: number
}

/** A numbered page without the number of all rows: `paginate(source, { page, limit, total: false })`. */
export type UncountedPage<T> = Omit<Page<T>, 'total'>

/** A page that starts after a cursor; `next` is the cursor of the following page, `null` at the end. */
export interface CursorPage<T> {
  items: T[]
  limit: number
  next: string | null
}

/**
 * A source of rows for `paginate`: rows from an offset, and their number.
 *
 * `sliceAndCount` may return both in one round trip. `sliceAfter` makes stable cursors: `position` is the `next` that
 * the source returned for the page before (`null` at the start). Without it a cursor contains an offset.
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
  sliceAfter?(position: readonly unknown[] | null, limit: number): Promise<{
    items: readonly T[]
    next: readonly unknown[] | null
  }>
}

/** The caller: the verified claims of a token, or the result of the application's own `load` or `verify`. */
export interface Auth {
  id: string | number
  role?: string | undefined
  permissions?: readonly string[] | undefined
  readonly [claim: string]: unknown
}

/**
 * The claims of the callers of each application, beside those of {@link Auth}. Declare every application once; the
 * declaration types `req.auth`, `authOf`, `allows`, and the results of `load` and `verify`.
 *
 * @example
 * declare module 'resourcery' { interface Callers { admin: { tenantId: string } } }
 */
// eslint-disable-next-line @typescript-eslint/no-empty-object-type -- applications add their callers
export interface Callers {}

/**
 * The caller of an application by {@link Callers}; without a name that of any declared application. An application that
 * is not declared has callers of the type {@link Auth}.
 *
 * @example
 * const nameOf = (caller: Caller<'admin'>): string => String(caller.name ?? caller.id)
 */
export type Caller<App extends string = string> = App extends keyof Callers ? Auth & Callers[App]
  : string extends App ? AnyCaller
  : Auth

type AnyCaller = keyof Callers extends never ? Auth : { [App in keyof Callers]: Auth & Callers[App] }[keyof Callers]

/**
 * `true`: authentication is required. `'optional'`: anonymous callers are admitted, invalid credentials are refused.
 * `false`: credentials are not read.
 */
export type AuthMarker = boolean | 'optional'

/** The rules for the files in one field of a multipart form. */
export interface FileRule {
  /** The accepted media types, determined by the content: `['image/jpeg', 'image/png']`. @default any */
  readonly types?: readonly string[] | undefined
  /** The largest size of a file in bytes. @default 10_000_000 */
  readonly maxBytes?: number | undefined
  /** The largest number of files. @default 1 */
  readonly maxCount?: number | undefined
  /** Requires at least one file. @default false */
  readonly required?: boolean | undefined
}

/** The fields of a multipart form that contain files. */
export type FileFields = Readonly<Record<string, FileRule>>

/** An uploaded file of a request; it is deleted after the reply, so save it before. */
export interface UploadedFile {
  /**
   * The client's name of the file, without path and control characters, at most 255 bytes: for display, never for a
   * path.
   */
  readonly name: string
  /** The media type by content; plain text is `text/plain`, an unknown type `application/octet-stream`. */
  readonly type: string
  /** The media type that the client sent. */
  readonly clientType: string
  /** The size in bytes. */
  readonly size: number
  /** Returns the content; may be called more than once. */
  stream(): Readable
  /** Returns the whole content in memory. */
  bytes(): Promise<Buffer>
  /**
   * Writes the file to a storage, under a generated path unless you give one.
   *
   * If the request ends in an error (a status of 400 or more, or a closed connection), the stored file is deleted
   * again. At a `path` of your own this also loses the former file: to replace a file, store the new one under a
   * generated path and then delete the old one.
   *
   * @throws HttpError 503 `unavailable` when the storage fails or makes no progress.
   * @example
   * const { url } = await findOrFail(RequestParam.file(req, 'avatar')).saveTo(storage)
   */
  saveTo(storage: Storage, path?: string): Promise<{ path: string; url: string }>
}

/**
 * A place where files are kept: `localDisk`, a FileStorage of flystorage, or three functions of your own.
 *
 * @example
 * const storage: Storage = new FileStorage(new AwsS3StorageAdapter(client, { bucket: 'avatars' }))
 */
export interface Storage {
  write(path: string, stream: Readable, options?: {
    readonly mimeType?: string
    readonly size?: number
  }): Promise<unknown>
  publicUrl(path: string): string | Promise<string>
  /** A path that does not exist is not an error. */
  deleteFile(path: string): Promise<unknown>
}

/**
 * A handler of a route: returns the data to send, or sends a reply itself and returns nothing.
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
      /** The caller, set by `auth`; `undefined` for an anonymous caller. */
      auth?: Caller | undefined
    }
  }
}
