import { stackOf, type Layer } from './stack.js'

/** The last place of each router or app. */
const lastPlaceByTarget = new WeakMap<object, Place>()

/**
 * A place among the layers of a router or an app: layers that are added to it are in front of all that is mounted after
 * the place was made.
 */
export class Place {
  readonly #target: object
  /** The layer or the place in front, `undefined` at the start. */
  readonly #front: Layer | Place | undefined
  readonly #own: Layer[] = []

  constructor(target: object) {
    const stack = stackOf(target)
    const former = lastPlaceByTarget.get(target)
    this.#target = target
    this.#front = former?.end === stack.length ? former : stack.at(-1)
    lastPlaceByTarget.set(target, this)
  }

  /** The position after its last layer. */
  get end(): number {
    const stack = stackOf(this.#target)
    const at = stack.findLastIndex((layer) => this.#own.includes(layer))
    if (at !== -1) return at + 1
    const front = this.#front
    if (front === undefined || front instanceof Place) return front?.end ?? 0
    // After everything, guards included, where the layer in front was removed.
    return stack.includes(front) ? stack.indexOf(front) + 1 : stack.length
  }

  /** Appends a layer by a function and moves it to this place, in front of those of `others` that are there. */
  add<Added extends { readonly layer: Layer }>(append: () => Added, others: readonly Layer[]): Added {
    const { end } = this
    const added = append()
    const { layer } = added
    const stack = stackOf(this.#target) as Layer[]
    const next = others.length === 0 ? -1 : stack.findIndex((following) => others.includes(following))
    stack.splice(stack.lastIndexOf(layer), 1)
    stack.splice(next === -1 ? end : next, 0, layer)
    this.#own.push(layer)
    return added
  }
}
