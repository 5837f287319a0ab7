import type { IRouter } from 'express'
import { handles, mountedRouterOf } from '../express/layers.js'
import { isOriginal } from '../express/originals.js'
import type { Layer, Match } from '../express/stack.js'
import { mayAnswer } from '../routing/in-front.js'
import { isDeclared } from '../routing/registry.js'
import { matcherOf, type Matcher } from './matcher.js'
import { staticPart } from './route-index.js'

/** The number of parameters of an error handler; Express passes errors to no other function. */
export const ERROR_HANDLER = 4

/** The layers of a router at one time. */
export interface Layout {
  readonly router: IRouter
  readonly layers: readonly Layer[]
  readonly steps: readonly Step[]
  readonly errorSteps: readonly Step[]
  /** Returns true if the router has the layers from a position on that it had when they were read. */
  isSameFrom(at: number): boolean
  /** Returns the steps that may match a path, in their order. */
  stepsFor(path: string): readonly Step[]
}

/** A router whose layers are read again when they have changed. */
export interface View {
  readonly router: IRouter
  /** Returns the layers of the router; `undefined` if it has callbacks of `param`, merges arguments or is wrapped. */
  current(): Layout | undefined
}

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

  constructor(layer: Layer, at: number, viewOf: (router: IRouter) => View) {
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
