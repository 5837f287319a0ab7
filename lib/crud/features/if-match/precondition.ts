import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { Request } from 'express'
import { HttpError, messageOf, safeParseAsync, toJson } from '../../../core/index.js'
import { keyText, toOutputOne, type Call, type CrudPlan, type Precondition, type Row,
  type SingleAddition } from '../../core/index.js'

export interface IfMatch {
  readonly ifMatch: 'required' | 'optional'
  readonly version: string | undefined
}

/**
 * Returns the opaque part of a row's strong tag; `sent` is the record as it is sent to this caller.
 *
 * The tag is a digest of that record alone: one of hidden columns could be guessed at. The version is put in front of
 * it, so that `If-Match` compares the version, and a cache compares the whole.
 */
export function tagOf({ store }: CrudPlan, { version }: IfMatch, row: Row, sent: unknown): string {
  const hash = createHash('sha256').update(toJson([row[store.key], sent]))
  const digest = hash.digest('base64url').slice(0, 22)
  return version === undefined ? digest : `${versionTag(row, version, store.key)}/${digest}`
}

/** Returns the part of a tag that names a row and its version. */
function versionTag(row: Row, version: string, key: string): string {
  return `${Number(row[version] ?? 0)}.${encodeURIComponent(keyText(row[key]))}`
}

/**
 * Returns the precondition of `If-Match` for the rows with these keys; a list of tags contains those of all of them.
 *
 * It is read before the transaction, since the output of a row may come from other sources, which must not be used
 * inside.
 *
 * @throws HttpError 400 `unreadable`.
 */
export async function preconditionOf(
  call: Call,
  settings: IfMatch,
  keys: readonly unknown[],
  areDeleted: boolean,
): Promise<Precondition | undefined> {
  const { ifMatch, version } = settings
  const tags = readIfMatch(call.req)
  if (tags === '*') return undefined
  // A caller has no tag of a soft-deleted row but an earlier one.
  if (tags === undefined) return ifMatch === 'required' && !areDeleted ? throwMissing : undefined
  if (version !== undefined) return versionPrecondition(call.plan, version, tags)
  const { scopes } = call.plan
  const find = async (): Promise<readonly Row[]> =>
    call.store.find(keys, await (areDeleted ? scopes.ofStored(call) : scopes.ofRecord(call)))
  return contentPrecondition(call, settings, find, tags)
}

function throwMissing(): never {
  throw new HttpError(428, messageOf('precondition_missing'))
}

function versionPrecondition({ store }: CrudPlan, version: string, tags: readonly string[]): Precondition {
  const versions = new Set(tags.map((tag) => tag.split('/')[0]))
  return (row) => check(versions.has(versionTag(row, version, store.key)))
}

/**
 * Returns the condition that the row with this key has one of the versions of `If-Match`, and the version to increase;
 * `undefined` where the header is missing, or names a content.
 */
export function singleChangeOf({ ifMatch, version }: IfMatch, req: Request, key: unknown): SingleAddition | undefined {
  const increments = version === undefined ? [] : [version]
  const tags = readIfMatch(req) ?? (ifMatch === 'required' ? undefined : '*')
  if (tags === '*') return { where: [], increments }
  if (tags === undefined || version === undefined) return undefined
  const versions = tags.flatMap((tag) => {
    const [, number = '', name] = /^(0|[1-9]\d{0,14})\.([^/]*)/.exec(tag) ?? []
    return name === encodeURIComponent(keyText(key)) ? [Number(number)] : []
  })
  return { where: [[version, 'in', versions]], increments }
}

interface Seen {
  readonly row: Row
  readonly related: readonly unknown[]
  readonly tag: string | undefined
}

/** Returns the precondition that a row is unchanged since it had one of the tags, before the transaction. */
async function contentPrecondition(
  call: Call,
  settings: IfMatch,
  find: () => Promise<readonly Row[]>,
  tags: readonly string[],
): Promise<Precondition> {
  const { store, plan, plan: { schemas, withinDeadline } } = call
  const seen = new Map<unknown, Seen>()
  await withinDeadline(async () => {
    for (const row of await find()) {
      // Read before the output: what is changed in between makes the tag another one.
      const related = await relatedRows(call, row)
      const sent = await safeParseAsync(schemas.output, await toOutputOne(call, row))
      const tag = sent.success ? tagOf(plan, settings, row, sent.data) : undefined
      seen.set(row[store.key], { row, tag, related })
    }
  })
  return async (row, inside) => {
    const { tag, row: before, related } = seen.get(row[store.key]) ?? {}
    check(tag !== undefined && tags.includes(tag) && isDeepStrictEqual(before, row))
    check(isDeepStrictEqual(related, await relatedRows(inside, row)))
  }
}

/** Returns the rows that features keep for a row, such as its children: they are part of the record. */
async function relatedRows(call: Call, row: Row): Promise<readonly unknown[]> {
  const all: unknown[] = []
  for (const feature of call.plan.features) all.push(await feature.relatedRows?.(call, row))
  return all
}

function check(holds: boolean): void {
  if (!holds) throw new HttpError(412, messageOf('stale'))
}

/** One entity tag and the separator after it (RFC 9110 §8.8.3, §5.6.1). */
const TAG = /[\t ]*(?:(W\/)?"([\x21\x23-\x7E\x80-\xFF]*)"[\t ]*)?(?:,|$)/y

const ONE_TAG = '(?:W/)?"[\\x21\\x23-\\x7E\\x80-\\xFF]*"'
/** Matches the values that {@link readIfMatch} reads. */
export const IF_MATCH = `^[\\t ]*(?:\\*|(?:,[\\t ]*)*${ONE_TAG}[\\t ]*(?:,[\\t ]*(?:${ONE_TAG}[\\t ]*)?)*)[\\t ]*$`

/**
 * Reads `If-Match` (RFC 9110 §13.1.1): `*`, the strong tags, or `undefined` without the header. A weak tag is read, and
 * equals no other.
 *
 * @throws HttpError 400 `unreadable` for a header that is neither `*` nor a list of tags.
 */
export function readIfMatch(req: Request): '*' | readonly string[] | undefined {
  const header = req.headers['if-match']
  if (header === undefined) return undefined
  if (header.trim() === '*') return '*'
  const tags = tagsIn(header)
  if (tags.length === 0) throw unreadable()
  return tags.flatMap(({ weak, opaque }) => (weak ? [] : [opaque]))
}

function tagsIn(header: string): { weak: boolean; opaque: string }[] {
  const tags: { weak: boolean; opaque: string }[] = []
  for (TAG.lastIndex = 0; TAG.lastIndex < header.length;) {
    const match = TAG.exec(header)
    if (match === null) throw unreadable()
    const [, weak, opaque] = match
    if (opaque !== undefined) tags.push({ weak: weak !== undefined, opaque })
  }
  return tags
}

function unreadable(): HttpError {
  return new HttpError(400, messageOf('unreadable.if_match'))
}
