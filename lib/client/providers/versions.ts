import type { DataRecord } from './resources.js'
import { isEqual, setNewest } from './values.js'

/** A record as it was read, with the `ETag` of that version. */
export interface Version {
  readonly record: DataRecord
  readonly tag: string | undefined
}

/** The records and the versions of each that are remembered; the oldest are forgotten first. */
const MOST_RECORDS = 1000
const MOST_VERSIONS = 5
/** The time in which a front end reads a record again after a failed update, in milliseconds. */
const KEPT_FOR = 2000

/**
 * Remembers the versions of records that were read.
 *
 * A form keeps the record that it was opened with, while another part of the page may read the record again. So a tag
 * is looked up by the content of the record: the tag of a later version would let the form overwrite changes that its
 * user has never seen.
 */
export class Versions {
  readonly #records = new Map<string, readonly Version[]>()
  #kept: { readonly key: string; readonly until: number } | undefined

  /** Remembers a version that was read or written. A weak tag is not remembered, since `If-Match` never accepts it. */
  remember(key: string, record: DataRecord, headers: Headers): void {
    this.#keep(key, [{ record, tag: strongTagOf(headers) }, ...this.#others(key, record)])
  }

  /** Remembers a version that the user has not seen yet, after the one that was read last. */
  rememberUnseen(key: string, version: Version): void {
    const [latest, ...others] = this.#others(key, version.record)
    this.#keep(key, latest === undefined ? [version] : [latest, version, ...others])
  }

  tagOf(key: string, record: unknown): string | undefined {
    return this.#records.get(key)?.find((version) => isEqual(version.record, record))?.tag
  }

  /** Returns the version that was read last. */
  latest(key: string): Version | undefined {
    return this.#records.get(key)?.[0]
  }

  /** Keeps the version that was read last for the reading that follows a failed update at once. */
  keepLatest(key: string): void {
    this.#kept = { key, until: Date.now() + KEPT_FOR }
  }

  /** Returns the version that was kept, once. */
  takeKept(key: string): Version | undefined {
    const { key: kept, until } = this.#kept ?? { until: 0 }
    if (kept !== key) return undefined
    this.#kept = undefined
    return Date.now() < until ? this.latest(key) : undefined
  }

  forget(key: string): void {
    this.#records.delete(key)
  }

  #others(key: string, record: DataRecord): Version[] {
    return (this.#records.get(key) ?? []).filter((version) => !isEqual(version.record, record))
  }

  #keep(key: string, versions: readonly Version[]): void {
    setNewest(this.#records, key, versions.slice(0, MOST_VERSIONS), MOST_RECORDS)
  }
}

export function strongTagOf(headers: Headers): string | undefined {
  const tag = headers.get('ETag')
  return tag?.startsWith('"') ? tag : undefined
}
