/** The most lines that are shown. */
const MOST_LINES = 40

/**
 * What two JSON values differ in, a line for each place: `+` is there and was not, `-` was there and is not, `~` has changed.
 */
export function difference(before: unknown, after: unknown): string[] {
  const lines = [...compareAt('', before, after)]
  return lines.length <= MOST_LINES ? lines : [...lines.slice(0, MOST_LINES), `… and ${lines.length - MOST_LINES} more`]
}

function* compareAt(place: string, before: unknown, after: unknown): Generator<string> {
  if (before === undefined) yield `+ ${place} ${short(after)}`
  else if (after === undefined) yield `- ${place} ${short(before)}`
  else if (!isTree(before) || !isTree(after)) {
    if (JSON.stringify(before) !== JSON.stringify(after)) yield `~ ${place} ${short(before)} -> ${short(after)}`
  } else {
    for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
      yield* compareAt(place === '' ? key : `${place} › ${key}`, own(before, key), own(after, key))
    }
  }
}

type Tree = Readonly<Record<string, unknown>>

function isTree(value: unknown): value is Tree {
  return typeof value === 'object' && value !== null
}

function own(tree: Tree, key: string): unknown {
  return Object.hasOwn(tree, key) ? tree[key] : undefined
}

function short(value: unknown): string {
  const text = JSON.stringify(value)
  return text.length <= 60 ? text : `${text.slice(0, 59)}…`
}
