import type { LooseRow } from '../options.js'
import { textOf } from './walk.js'

/** A row as it is sent, with those below it. */
export type Node = LooseRow & { readonly children: Node[] }

export interface Forest {
  readonly roots: Node[]
  readonly levels: number
}

/**
 * Rows under one another, siblings in the order of the list; `shown` is what leaves of each.
 *
 * A row whose parent is not among them is a root, and so is the first of those that stand in a circle.
 */
export function nest(rows: readonly LooseRow[], shown: readonly LooseRow[], key: string, parent: string): Forest {
  const places = new Map(rows.map((row, place) => [textOf(row[key]), place]))
  const above = withoutCircles(rows.map((row) => places.get(textOf(row[parent]))))
  const nodes = shown.map((row): Node => ({ ...row, children: [] }))
  const roots: Node[] = []
  nodes.forEach((node, place) => {
    const siblings = nodes[above[place] ?? -1]?.children ?? roots
    siblings.push(node)
  })
  return { roots, levels: levelsOf(above) }
}

type Places = (number | undefined)[]

function withoutCircles(above: Places): Places {
  const open = [...above]
  const walkOf: Places = []
  open.forEach((_, start) => {
    let place: number | undefined = start
    while (place !== undefined && walkOf[place] === undefined) {
      walkOf[place] = start
      place = open[place]
    }
    // The rows are walked from the first on: the start itself is in the circle, or only leads to it.
    if (place !== undefined && walkOf[place] === start) open[firstInCircle(open, place)] = undefined
  })
  return open
}

function firstInCircle(above: Places, place: number): number {
  let first = place
  for (let next = above[place]; next !== undefined && next !== place; next = above[next]) first = Math.min(first, next)
  return first
}

function levelsOf(above: Places): number {
  const levels: number[] = []
  const levelOf = (place: number): number => {
    const path: number[] = []
    let next: number | undefined = place
    while (next !== undefined && levels[next] === undefined) {
      path.push(next)
      next = above[next]
    }
    let level = next === undefined ? 0 : levels[next] ?? 0
    for (const each of path.reverse()) levels[each] = ++level
    return levels[place] ?? 0
  }
  return above.reduce((most: number, _, place) => Math.max(most, levelOf(place)), 0)
}
