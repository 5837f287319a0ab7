import type { MountedRoute } from '../../../core/index.js'
import type { Operation } from '../../openapi/types.js'
import type { Access } from '../guard-run.js'
import type { InjectedCaller } from '../inject.js'

/** The kinds of findings, from the most severe to the least. */
export const KINDS = ['crash', 'leak', 'tenant', 'access', 'change', 'hidden', 'field', 'state', 'data', 'failure',
  'reply', 'time', 'handle', 'envelope', 'document', 'list', 'page'] as const

/** The kind of a finding. */
export type CheckKind = (typeof KINDS)[number]

/** The callers by name, `null` for one without credentials. */
export type CallersByName = ReadonlyMap<string, InjectedCaller | null>

/** A route with one method, and everything that is known about it before a request is sent. */
export interface Target {
  readonly method: string
  /** The full declared path. */
  readonly path: string
  /** The name of the declared route, `null` for an undeclared handler. */
  readonly name: string | null
  readonly entry: MountedRoute | undefined
  /** The operation of the app's own document, `undefined` where the route is not documented. */
  readonly operation: Operation | undefined
  /** The access of each caller by the guards alone. */
  readonly access: Readonly<Record<string, Access | 'unknown'>>
  /** True if a guard for the path is mounted after the route, so that the route is in front of it. */
  readonly isInFront: boolean
}

/** A part of a multipart form. */
export interface FormPart {
  readonly name: string
  readonly value: string
  /** The name and the media type of a file. */
  readonly file?: { readonly name: string; readonly type: string } | undefined
}

/** The body of a request: a JSON value, a string of any media type, or a form. */
export type CheckBody =
  | { readonly json: unknown }
  | { readonly text: string; readonly type: string | undefined }
  | { readonly form: readonly FormPart[] }

/** A request that a check sends. */
export interface CheckRequest {
  /** The name of the caller. */
  readonly caller: string
  readonly method: string
  /** The path as it is sent, percent-encoded. */
  readonly path: string
  readonly query: readonly (readonly [name: string, value: string])[]
  readonly headers: Readonly<Record<string, string>>
  readonly body: CheckBody | undefined
}

/** The part of a request that differs from a valid one. */
export interface CheckCase {
  readonly request: CheckRequest
  /** The part of the request that was changed, such as `the field \`title\``. */
  readonly about: string
  /** True if the document says that the request must be refused. */
  readonly isInvalid?: boolean | undefined
  /** True if nothing but a guard can refuse the request before its route. */
  readonly isPlain?: boolean | undefined
}

/** A reply, and what else was observed. */
export interface Observed {
  /** 0 if no reply was received. */
  readonly status: number
  readonly headers: Readonly<Record<string, readonly string[] | undefined>>
  readonly text: string
  readonly json: unknown
  readonly milliseconds: number
  /** The declared route that the request has reached. */
  readonly reached: MountedRoute | undefined
  /** The reason why there is no reply. */
  readonly failed?: 'time' | 'cut' | undefined
  /** The error that would have ended the process. */
  readonly crash?: unknown
  /** True if more was sent after the end of the reply. */
  readonly isTwice: boolean
  /** The name of a property that the request has added to all objects. */
  readonly polluted: string | undefined
}

/** A fault, before it is known whether it was found already. */
export interface Fault {
  readonly kind: CheckKind
  readonly message: string
}

/** Returns a route as findings name it. */
export function labelOf({ method, path }: Pick<Target, 'method' | 'path'>): string {
  return `${method} ${path}`
}

/** Returns true for a route that replies with events, which may go on for ever. */
export function isStream({ entry }: Pick<Target, 'entry'>): boolean {
  return entry?.produces?.startsWith('text/event-stream') === true
}
