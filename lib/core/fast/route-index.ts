interface Entries<T> {
  /** The position of each value among all values. */
  readonly places: number[]
  readonly values: T[]
}

/**
 * Finds, among many routes, the few that can match a path.
 *
 * It compares the segments before a route's first path argument, so it may return a route that does not match, and
 * returns every route that does. Routes are those that can be declared: ASCII, without patterns.
 */
export class RouteIndex<T> {
  readonly #byPart = new Map<string, Entries<T>>()
  #size = 0
  #deepest = 0
  #last: { readonly path: string; readonly found: readonly T[] } = { path: '', found: [] }

  add(route: string, value: T): void {
    const part = staticPart(route)
    const entries = this.#byPart.get(part) ?? { places: [], values: [] }
    entries.places.push(this.#size++)
    entries.values.push(value)
    this.#byPart.set(part, entries)
    this.#deepest = Math.max(this.#deepest, part.split('/').length - 1)
    this.#last = { path: '', found: [] }
  }

  /**
   * Returns candidates in the order in which they were added. The last result is kept, since a request looks its path
   * up several times.
   */
  candidates(path: string): readonly T[] {
    if (this.#last.path !== path) this.#last = { path, found: this.#find(path.toLowerCase()) }
    return this.#last.found
  }

  /** Looks up the path cut off before each of its slashes, and the whole path. */
  #find(path: string): readonly T[] {
    const found: Entries<T>[] = []
    let end = 0
    for (let depth = 0; depth <= this.#deepest; depth++) {
      const entries = this.#byPart.get(path.slice(0, end))
      if (entries !== undefined) found.push(entries)
      if (end === path.length) break
      const slash = path.indexOf('/', end + 1)
      end = slash === -1 ? path.length : slash
    }
    return found.length === 1 ? found[0]?.values ?? [] : inOrder(found)
  }
}

/** Returns the segments before the first path argument or wildcard of a route, in lower case. */
function staticPart(route: string): string {
  const end = route.search(/[:*]/)
  const part = end === -1 ? route : route.slice(0, route.lastIndexOf('/', end))
  return part.replace(/\/+$/, '').toLowerCase()
}

function inOrder<T>(found: readonly Entries<T>[]): T[] {
  return found.flatMap(({ places, values }) => values.map((value, index) => ({ place: places[index] ?? 0, value })))
    .sort((one, other) => one.place - other.place)
    .map(({ value }) => value)
}
