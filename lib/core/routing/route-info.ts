import type { z } from 'zod'
import type { AuthMarker, FileFields, Meta } from '../base/types.js'

/** The description of a header in a document. */
export interface HeaderTraits {
  readonly description: string
  /** True if the header is always sent. @default false */
  readonly required?: boolean | undefined
  /** A value that the handler accepts. @default none */
  readonly example?: string | undefined
  /** A regular expression (ECMA-262) that the values match. @default none */
  readonly pattern?: string | undefined
}

/** Headers by name: `{ 'If-Match': { description: 'The ETag of the record to change', required: true } }`. */
export type HeaderFields = Readonly<Record<string, HeaderTraits>>

/** The documents that contain a route: one domain, several, or none. */
export type Doc = string | readonly string[] | false

/** A route as a tool for agents, under a name and with a description of its own. */
export interface ToolTraits {
  /** 1 to 64 letters, digits, `_` and `-`, with a letter or `_` first. @default the operation id, e.g. `listPosts` */
  readonly name?: string | undefined
  /** @default the description of the action, or its summary */
  readonly description?: string | undefined
}

/** One mounted route as plain data, as `routesOf` and `routeOf` return it. */
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
  /** The permission id that is required, `undefined` without any; the first of `permissions`. */
  readonly permission: string | undefined
  /**
   * All permission ids that are required: for a route with an `app` its own, for one without an `app` an id for each
   * `permission` in front of it.
   */
  readonly permissions: readonly string[]
  /**
   * The applications whose credentials the route requires: its `app`, or those of the guards in front; none for a
   * public route.
   */
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
  /** The fields of a multipart form that contain files, `undefined` if no form is read. */
  readonly files: FileFields | undefined
  /** The media type of a reply that the handler sends itself, `undefined` for the envelope. */
  readonly produces: string | undefined
  /** The headers that the handler reads, and those of a success. */
  readonly requestHeaders: HeaderFields
  readonly responseHeaders: HeaderFields
  /** The statuses of the handler in addition to those of every such route. */
  readonly statuses: readonly number[]
  /** True if the route reads a body, and so refuses one that is too large or of another type. */
  readonly readsBody: boolean
}
