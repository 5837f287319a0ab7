import type { LooseRow } from '../options.js'
import { textOf } from './walk.js'

/** Rows that are to be deleted, those that stand below others first: a foreign key never points at what is gone. */
export function childrenFirst(rows: readonly LooseRow[], key: string, parent: string): LooseRow[][] {
  const byKey = new Map(rows.map((row) => [textOf(row[key]), row]))
  const levelOf = (row: LooseRow): number => {
    let level = 0
    for (let above = byKey.get(textOf(row[parent])); above !== undefined && level < rows.length; above = byKey.get(textOf(above[parent]))) level++
    return level
  }
  const levels = new Map<number, LooseRow[]>()
  for (const row of rows) {
    const level = levelOf(row)
    levels.set(level, [...levels.get(level) ?? [], row])
  }
  return [...levels].sort(([one], [other]) => other - one).map(([, batch]) => batch)
}
