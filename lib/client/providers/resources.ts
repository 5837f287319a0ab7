import type { Values } from '../request.js'
import { fieldOf, toInstants } from './date-times.js'
import { checkOptions } from './options.js'

export type Identifier = string | number

/** A record of a data provider. */
export interface DataRecord {
  readonly id: Identifier
  readonly [field: string]: unknown
}

/** The options of a resource, which its replies do not contain. */
export interface ResourceOptions {
  /**
   * The path below the URL. Its arguments (`/tickets/:ticketId/comments`) are taken from `meta`, the filters or the
   * record.
   *
   * @default `/{name}`
   */
  readonly path?: string | undefined
  /** The field of the key. Records have it as `id`. @default 'id' */
  readonly key?: string | undefined
  /**
   * The filters that the resource declares, by field: `age` includes `age_gte`, `age_lte`, `age_ne` and `age_isNull`. A
   * filter that is not listed is not sent.
   *
   * @default every filter is sent, and the API refuses those that it does not have
   */
  readonly filters?: readonly string[] | undefined
  /** True if the resource has `createMany` and `updateMany` (`bulk: true` of `crud`). @default false */
  readonly bulk?: boolean | undefined
  /**
   * True to page lists by cursor: without a total, and without repeated rows during concurrent writes. @default false
   */
  readonly cursor?: boolean | undefined
  /** The most rows of one page (`maxLimit` of `crud`). Longer pages are read by several requests. @default 100 */
  readonly maxLimit?: number | undefined
  /** Routes that store the file of one field once the record is saved: `{ avatar: '/:id/avatar' }`. */
  readonly uploads?: Readonly<Record<string, string>> | undefined
  /**
   * The requests that are always forms, since their actions declare `files` and refuse JSON; `true` means both.
   *
   * @default a request is a form only if a field has a file
   */
  readonly multipart?: boolean | readonly FormAction[] | undefined
  /**
   * The fields whose date-times have no time zone. In all others `2026-11-24T10:00`, as `<input type="datetime-local">`
   * has it, is a time of the browser, and is sent as an instant.
   *
   * @default none
   */
  readonly localTimes?: readonly string[] | undefined
}

/** The requests that may be forms: `POST` of one record, and `PATCH`. */
export type FormAction = 'create' | 'update'

/** The options of a resource with their defaults. */
export interface Resource {
  readonly name: string
  readonly path: string
  readonly key: string
  readonly filters: readonly string[] | undefined
  readonly bulk: boolean
  readonly cursor: boolean
  readonly maxLimit: number
  readonly uploads: Readonly<Record<string, string>>
  readonly forms: readonly FormAction[]
  readonly localTimes: readonly string[]
}

// dprint-ignore
const OPTIONS: readonly (keyof ResourceOptions)[] = [
  'path', 'key', 'filters', 'bulk', 'cursor', 'maxLimit', 'uploads', 'multipart', 'localTimes',
]

/** @throws TypeError for an unknown option */
export function checkResourceOptions(name: string, options: ResourceOptions): void {
  checkOptions(`The resource ${name}`, options, OPTIONS)
}

export function toResource(name: string, options: ResourceOptions = {}): Resource {
  const { path = `/${name}`, key = 'id', filters, bulk = false, cursor = false, maxLimit = 100 } = options
  const { uploads = {}, localTimes = [] } = options
  return { name, path, key, filters, bulk, cursor, maxLimit, uploads, forms: formsOf(options), localTimes }
}

function formsOf({ multipart = false }: ResourceOptions): readonly FormAction[] {
  if (typeof multipart !== 'boolean') return multipart
  return multipart ? ['create', 'update'] : []
}

/** Returns the values of the arguments in the path of a resource, each from the first source that has it. */
export function pathArgsOf({ path }: Resource, ...sources: readonly unknown[]): Values {
  const names = [...path.matchAll(/[:*]([\w$]+)/g)].map(([, name = '']) => name)
  return Object.fromEntries(
    names.map((name) => [name, sources.map((source) => fieldOf(source, name)).find((value) => value !== undefined)]),
  )
}

/** Returns a row of the API as a record, with its key as `id`. */
export function toRecord({ key }: Resource, row: unknown): DataRecord {
  const fields = row as Values
  return { ...fields, id: fields[key] as Identifier }
}

export function toRecords(resource: Resource, rows: unknown): DataRecord[] {
  return (rows as readonly unknown[]).map((row) => toRecord(resource, row))
}

/** Returns the fields of a new record that are sent; a key is one that the caller has chosen. */
export function toNewFields(resource: Resource, data: unknown): Record<string, unknown> {
  const [key] = [resource.key, 'id'].map((name) => fieldOf(data, name)).filter((value) => value !== undefined)
  return { ...(key !== undefined && { [resource.key]: key }), ...toFields(resource, data) }
}

/** Returns the fields of a form that are sent: all but the key, and but `undefined`. */
export function toFields({ key, localTimes }: Resource, data: unknown, previous?: unknown): Record<string, unknown> {
  const entries = Object.entries(data ?? {}).filter(([name, value]) =>
    name !== 'id' && name !== key && value !== undefined
  )
  return toInstants(Object.fromEntries(entries), localTimes, previous)
}
