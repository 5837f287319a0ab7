import type { LooseOptions, LooseRow } from '../options.js'

/** What a new row gets beside its fields: with a version column the first version. */
export function firstVersion({ version }: LooseOptions): LooseRow {
  return version === undefined ? {} : { [version]: 1 }
}

/** What every change of a row writes beside its fields: with a version column the next version. The row must be locked. */
export function nextVersion({ version }: LooseOptions, row: LooseRow): LooseRow {
  return version === undefined ? {} : { [version]: Number(row[version] ?? 0) + 1 }
}

/** Which version of which row this is. */
export function stateOf(row: LooseRow, version: string, key: string): string {
  return `${Number(row[version] ?? 0)}.${encodeURIComponent(String(row[key]))}`
}
