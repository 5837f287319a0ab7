import type { IRouter } from 'express'
import { memoize } from '../base/memoize.js'
import { handles, handlesParams, mountedRouterOf } from '../express/layers.js'
import { hasOriginalHandle, isOriginal } from '../express/originals.js'
import { layersOf, type Layer, type Match } from '../express/stack.js'
import { mayAnswer } from '../routing/in-front.js'
import { isDeclared } from '../routing/registry.js'
import { matcherOf, type Matcher } from './matcher.js'
import { RouteIndex, staticPart } from './route-index.js'

/** The number of parameters of an error handler; Express passes errors to no other function. */
const ERROR_HANDLER = 4

/** One layer of a router, prepared for the fast path. */
export class Step {
  /** Its position in the stack. */
  readonly at: number
  readonly layer: Layer
  /** The view of a mounted Router. */
  readonly inner: View | undefined
  /** True if the layer matches paths by Express's own function. */
  readonly isMatchKnown: boolean
  /** True if only Express can pass a request to the layer, since one of its functions is wrapped. */
  readonly isUnknown: boolean
  readonly arity: number
  /** True for a route of the route table. */
  readonly isDeclared: boolean
  /** The static part of its path. */
  readonly part: string
  readonly #functions: Pick<Layer, 'handle' | 'handleRequest' | 'handleError' | 'match'>
  #match: Matcher | undefined
  #mayAnswer: boolean | undefined

  constructor(layer: Layer, at: number) {
    const { handle, handleRequest, handleError, match, rawPath, route } = layer
    this.at = at
    this.layer = layer
    this.arity = handle.length
    this.isDeclared = route !== undefined && isDeclared(route)
    this.#functions = { handle, handleRequest, handleError, match }
    this.isMatchKnown = isOriginal('layer.match', match)
    this.isUnknown = !this.isMatchKnown || !isOriginal('layer.handleRequest', handleRequest)
      || !isOriginal('layer.handleError', handleError)
    this.part = this.isMatchKnown ? staticPart(rawPath) : ''
    const router = this.isUnknown ? undefined : mountedRouterOf(layer)
    this.inner = router && viewOf(router)
  }

  /** Returns true if the layer is where it was, with the functions that it had. */
  isIn(stack: readonly Layer[]): boolean {
    const { layer } = this
    const { handle, handleRequest, handleError, match } = this.#functions
    return stack[this.at] === layer && layer.handle === handle && layer.handleRequest === handleRequest
      && layer.handleError === handleError && layer.match === match
  }

  /** True for a route: an error skips it. */
  get isRoute(): boolean {
    return this.layer.route !== undefined
  }

  /** True for a function of the application's, which may answer a request. */
  get mayAnswer(): boolean {
    return (this.#mayAnswer ??= this.inner === undefined && mayAnswer(this))
  }

  /** True for a mount without a path. */
  get matchesAll(): boolean {
    return this.layer.slash === true
  }

  /** Returns true if Express would call the layer for a method, without an error, where its path matches. */
  takes(method: string): boolean {
    const { route } = this.layer
    if (this.arity >= ERROR_HANDLER) return false
    return route === undefined || method === 'HEAD' || handles(route, method)
  }

  /** Returns the part of a path without `%` that the layer matches, `undefined` if it does not match. */
  match(path: string): Match | undefined {
    this.#match ??= matcherOf(this.layer)
    return this.#match(path)
  }
}

/** A router whose layers are read again when they have changed, with an index of their paths. */
export class View {
  readonly router: IRouter
  #layout: Layout | undefined

  constructor(router: IRouter) {
    this.router = router
  }

  /** Returns the layers of the router; `undefined` if it has callbacks of `param`, merges arguments or is wrapped. */
  current(): Layout | undefined {
    const { router } = this
    return hasOriginalHandle(router) && !handlesParams(router) ? this.layout() : undefined
  }

  /** Returns the layers of the router, whatever it does with a request. */
  layout(): Layout {
    const stack = layersOf(this.router)
    if (this.#layout?.isCurrent(stack) === true) return this.#layout
    return (this.#layout = new Layout(this.router, stack))
  }
}

/** The layers of a router at one time. */
export class Layout {
  readonly router: IRouter
  readonly layers: readonly Layer[]
  readonly steps: readonly Step[]
  readonly errorSteps: readonly Step[]
  /** The layers as they were read: the stack itself may change. */
  readonly #read: readonly Layer[]
  readonly #compared: readonly Step[]
  readonly #index: RouteIndex<Step>

  constructor(router: IRouter, layers: readonly Layer[]) {
    const steps = layers.map((layer, at) => new Step(layer, at))
    this.router = router
    this.layers = layers
    this.steps = steps
    this.#read = [...layers]
    this.errorSteps = steps.filter(
      ({ arity, isMatchKnown, isUnknown, isRoute }) =>
        !isMatchKnown || arity === ERROR_HANDLER || (isUnknown && !isRoute),
    )
    // Declared routes may be many; each is compared when a request may reach it.
    this.#compared = steps.filter(({ isDeclared }) => !isDeclared)
    this.#index = new RouteIndex(steps, ({ part }) => part)
  }

  isCurrent(stack: readonly Layer[]): boolean {
    if (this.layers !== stack || !this.isSameFrom(0)) return false
    for (const step of this.#compared) if (!step.isIn(stack)) return false
    return true
  }

  /** Returns true if the router has the layers from a position on that it had when they were read. */
  isSameFrom(from: number): boolean {
    const [read, layers] = [this.#read, this.layers]
    if (layers.length !== read.length) return false
    for (let at = from; at < read.length; at++) if (layers[at] !== read[at]) return false
    return true
  }

  /** Returns the steps that may match a path, in their order. */
  stepsFor(path: string): readonly Step[] {
    return this.#index.candidates(path)
  }
}

const viewsByStack = new WeakMap<readonly Layer[], View>()

/** Returns the view of a router, one for all places where it is mounted. */
export const viewOf = memoize((router: IRouter): View => {
  const view = new View(router)
  viewsByStack.set(layersOf(router), view)
  return view
})

/** Returns the layers of a stack that may match a path, in their order. */
export function layersFor(stack: readonly Layer[], path: string): readonly Layer[] {
  const layout = viewsByStack.get(stack)?.layout()
  return layout?.layers === stack ? layout.stepsFor(path).map(({ layer }) => layer) : stack
}
