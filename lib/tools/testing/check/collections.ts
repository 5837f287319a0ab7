import { isList, isObject } from '../../../core/index.js'
import { encode } from './send.js'
import type { CheckRequest, Observed, Target } from './model.js'

export type PathValues = Readonly<Record<string, string>>

export type KnownRecord = Readonly<Record<string, unknown>>

/** Returns the fields of an object, those of a list or a string by their positions, and none of another value. */
export function propertiesOf(value: unknown): KnownRecord {
  return Object(value) as KnownRecord
}

/** Returns the path of the collection in which a target creates, or whose record it names. */
export function ownCollection({ path }: Target): string {
  return path.split('/:')[0] ?? path
}

/** Returns the path of the collection whose records an argument names. */
export function collectionOf({ path }: Pick<Target, 'path'>, name: string): string {
  return path.split(new RegExp(`/[:*]${name.replaceAll('$', '\\$')}(?![\\w$])`))[0] ?? ''
}

export function argumentFor(name: string, record: KnownRecord | undefined): unknown {
  return record?.[name] ?? record?.id
}

export function wordOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

export function isAdmitted(access: unknown): boolean {
  return access === 'pass' || access === 'public'
}

export function isAccepted({ status }: Pick<Observed, 'status'>): boolean {
  return status >= 200 && status < 300
}

/** Returns true if a request has had its effect; a 202 promises it for later. */
export function isCompleted(observed: Observed): boolean {
  return isAccepted(observed) && observed.status !== 202
}

export function readRequest(target: Pick<Target, 'path'>, values: PathValues, caller: string): CheckRequest {
  return { caller, method: 'GET', path: pathOf(target, values), query: [], headers: {}, body: undefined }
}

/** Returns the path of a target with these arguments, percent-encoded. */
export function pathOf({ path }: Pick<Target, 'path'>, values: PathValues): string {
  const [, ...segments] = path.split('/')
  const filled = segments.map((segment) =>
    segment.replace(/[:*]([A-Za-z_$][\w$]*)/g, (_, name: string) => encode(values[name] ?? '1')).replace(/[{}\\]/g, '')
  )
  return `/${filled.join('/')}`
}

/** Returns the records of a list, or the one record of any other reply. */
export function recordsIn(observed: Observed): readonly KnownRecord[] {
  if (!isAccepted(observed)) return []
  const { data: given, meta } = propertiesOf(observed.json)
  const data = given ?? observed.json
  const { items } = propertiesOf(data)
  const list: readonly unknown[] = Array.isArray(data) ? data : isList(items) && isPage(data, meta) ? items : [data]
  return list.filter(isObject)
}

/** Returns the figures of a reply about its page. */
export function figuresOf({ json }: Observed): KnownRecord {
  return propertiesOf(propertiesOf(json).meta)
}

/** Names of what a page has beside its records. */
const OF_PAGES = /^(?:count|limit|offset|meta|links)$|total|page|next|prev|size|more|cursor/i

/** Returns true for an object that has a list of records in `items`; a record may have a field of that name. */
function isPage(data: unknown, meta: unknown): boolean {
  const { items, id, ...others } = propertiesOf(data)
  if (!Array.isArray(items) || id !== undefined) return false
  const figures = propertiesOf(meta)
  return figures.total !== undefined || figures.next !== undefined
    || Object.keys(others).every((name) => OF_PAGES.test(name))
}
