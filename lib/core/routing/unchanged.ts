import { stackInside } from '../express/layers.js'
import { mergesParams, stackOf, type ExpressRoute, type HandlerLayer, type Layer } from '../express/stack.js'
import { entriesOf, registrations } from './registry.js'

/*
 * Express has no event for a change of its routers, and applications and tracers change their stacks directly. So a
 * list of routes is kept with all layers that it was made of, which are compared before it is used again.
 */

/**
 * Returns a function that computes a result once for each app or router, and again when a layer, a handler of a route
 * or a declared route below it has changed.
 */
export function whileUnchanged<Result>(compute: (appOrRouter: object) => Result): (appOrRouter: object) => Result {
  const results = new WeakMap<object, { readonly seen: Seen; readonly result: Result }>()
  return (appOrRouter) => {
    const stack = stackOf(appOrRouter)
    const known = results.get(appOrRouter)
    if (known?.seen.isCurrent(stack) === true) return known.result
    // Before the result is computed, so that a change in the meantime is found.
    const seen = new Seen(stack)
    const result = compute(appOrRouter)
    results.set(appOrRouter, { seen, result })
    return result
  }
}

type Stack = readonly Layer[]

/** All layers below a stack at one time. */
class Seen {
  readonly #stacks = new Map<Stack, SeenStack>()
  readonly #root: Stack
  readonly #registrations: number

  constructor(root: Stack) {
    this.#root = root
    this.#add(root)
    this.#registrations = registrations()
  }

  isCurrent(root: Stack): boolean {
    if (root !== this.#root) return false
    for (const stack of this.#stacks.values()) if (!stack.isCurrent()) return false
    return registrations() === this.#registrations
  }

  /** A router may be mounted several times, also below itself. */
  #add(stack: Stack): void {
    if (this.#stacks.has(stack)) return
    const seen = new SeenStack(stack)
    this.#stacks.set(stack, seen)
    for (const { inside } of seen.layers) if (inside !== undefined) this.#add(inside)
  }
}

class SeenStack {
  readonly layers: readonly SeenLayer[]
  readonly #stack: Stack

  constructor(stack: Stack) {
    this.#stack = stack
    this.layers = stack.map((layer) => new SeenLayer(layer))
  }

  isCurrent(): boolean {
    const [stack, layers] = [this.#stack, this.layers]
    if (stack.length !== layers.length) return false
    for (let at = 0; at < layers.length; at++) if (layers[at]?.isCurrent(stack[at]) !== true) return false
    return true
  }
}

/** A layer with all that a list of routes depends on. */
class SeenLayer {
  /** The stack of a mounted router. */
  readonly inside: Stack | undefined
  readonly #layer: Layer
  readonly #handle: Layer['handle']
  readonly #match: Layer['match']
  readonly #rawPath: unknown
  readonly #mergesParams: boolean
  readonly #route: SeenRoute | undefined

  constructor(layer: Layer) {
    const { handle, match, rawPath, route } = layer
    this.#layer = layer
    this.#handle = handle
    this.#match = match
    this.#rawPath = rawPath
    this.#route = route && new SeenRoute(route)
    this.inside = route === undefined ? stackInside(layer) : undefined
    this.#mergesParams = this.inside !== undefined && mergesParams(handle)
  }

  isCurrent(layer: Layer | undefined): boolean {
    if (layer !== this.#layer || layer.handle !== this.#handle || layer.match !== this.#match) return false
    if (layer.rawPath !== this.#rawPath || layer.route !== this.#route?.route) return false
    if (this.#route !== undefined) return this.#route.isCurrent()
    return stackInside(layer) === this.inside
      && (this.inside === undefined || mergesParams(layer.handle) === this.#mergesParams)
  }
}

class SeenRoute {
  readonly route: ExpressRoute
  readonly #handlers: readonly SeenHandler[]

  constructor(route: ExpressRoute) {
    // Completes its declaration, which is a registration.
    entriesOf(route)
    this.route = route
    this.#handlers = route.stack.map(({ handle, method }) => ({ handle, method }))
  }

  isCurrent(): boolean {
    const { stack } = this.route
    const handlers = this.#handlers
    if (stack.length !== handlers.length) return false
    for (let at = 0; at < handlers.length; at++) {
      const [layer, seen] = [stack[at], handlers[at]]
      if (layer?.handle !== seen?.handle || layer?.method !== seen?.method) return false
    }
    return true
  }
}

type SeenHandler = Pick<HandlerLayer, 'handle' | 'method'>
