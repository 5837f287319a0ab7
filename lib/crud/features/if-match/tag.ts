import { createHash } from 'node:crypto'
import type { CrudPlan } from '../../feature.js'
import type { Row } from '../../options.js'

/** The options of any resource. */
export interface IfMatch {
  readonly ifMatch: 'required' | 'optional'
  readonly version: string | undefined
}

/**
 * Returns the opaque part of a row's strong tag; `sent` is the record as it is sent to this caller.
 *
 * The tag is a digest of that record alone: one of hidden columns could be guessed at. The version stands in front of it, so that `If-Match`
 * compares the version, and a cache compares the whole.
 */
export function tagOf({ store }: CrudPlan, { version }: IfMatch, row: Row, sent: unknown): string {
  const digest = createHash('sha256').update(JSON.stringify([row[store.key], sent], toJson)).digest('base64url').slice(0, 22)
  return version === undefined ? digest : `${versionTag(row, version, store.key)}/${digest}`
}

/** Returns the part of a tag that tells which version of which row it is. */
export function versionTag(row: Row, version: string, key: string): string {
  return `${Number(row[version] ?? 0)}.${encodeURIComponent(String(row[key]))}`
}

/** Converts a bigint, which JSON does not have. */
function toJson(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? value.toString() : value
}
