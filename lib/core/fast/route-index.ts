/** The values that were given for one static part. */
interface Node<T> {
  /** The values, with their positions among all values. */
  readonly entries: { readonly value: T; readonly place: number }[]
  /** The values of the part and of those it begins with, in order; made by the first look-up. */
  all?: readonly T[]
}

/**
 * Finds, among many values with paths, the few that can match a path.
 *
 * It compares the static part of each: the segments in lower case that every path must begin with, `''` for none. So it
 * may return a value that does not match, and returns every value that does.
 */
export class RouteIndex<T> {
  readonly #byPart = new Map<string, Node<T>>()
  readonly #root: Node<T>
  #deepest = 0
  #last: { readonly path: string; readonly found: readonly T[] }

  constructor(values: readonly T[], partOf: (value: T) => string) {
    this.#root = this.#nodeOf('')
    values.forEach((value, place) => this.#nodeOf(partOf(value)).entries.push({ value, place }))
    this.#last = { path: '', found: this.#allOf('', this.#root) }
  }

  /** Returns candidates in their order. The last result is kept, since a request looks its path up several times. */
  candidates(path: string): readonly T[] {
    if (this.#last.path !== path) this.#last = { path, found: this.#find(path.toLowerCase()) }
    return this.#last.found
  }

  /** Looks for the longest part that a path begins with: it begins with the other parts of the path. */
  #find(path: string): readonly T[] {
    let part = ''
    let node = this.#root
    let end = 0
    for (let depth = 0; depth < this.#deepest && end < path.length; depth++) {
      const slash = path.indexOf('/', end + 1)
      end = slash === -1 ? path.length : slash
      const start = path.slice(0, end)
      const longer = this.#byPart.get(start)
      if (longer === undefined) continue
      part = start
      node = longer
    }
    return node.all ?? this.#allOf(part, node)
  }

  #allOf(part: string, node: Node<T>): readonly T[] {
    const segments = part.split('/')
    const entries = segments.flatMap((_, at) => this.#byPart.get(segments.slice(0, at + 1).join('/'))?.entries ?? [])
    node.all = entries.sort((one, other) => one.place - other.place).map(({ value }) => value)
    return node.all
  }

  #nodeOf(part: string): Node<T> {
    const node = this.#byPart.get(part) ?? { entries: [] }
    this.#byPart.set(part, node)
    this.#deepest = Math.max(this.#deepest, part.split('/').length - 1)
    return node
  }
}

/** A segment that path-to-regexp takes as it is. */
const PLAIN_SEGMENT = /^[\w.~$@-]+$/

/** Returns true for a segment of a declared path that is text only: it is the same in every path that matches. */
export function isPlainSegment(segment: string): boolean {
  return PLAIN_SEGMENT.test(segment)
}

/** Returns the plain segments that a declared path begins with, in lower case. */
export function staticPart(path: unknown): string {
  if (typeof path !== 'string' || !path.startsWith('/')) return ''
  const segments = path.split('/').slice(1)
  const end = segments.findIndex((segment) => !isPlainSegment(segment))
  return segments.slice(0, end === -1 ? undefined : end).map((segment) => `/${segment.toLowerCase()}`).join('')
}
