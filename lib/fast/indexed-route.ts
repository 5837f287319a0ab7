import type { RequestHandler } from 'express'
import { isOriginal } from '../express/originals.js'
import { matchOf, type ExpressRoute, type HandlerLayer, type Layer } from '../express/stack.js'
import type { RoutePlace } from '../seam.js'
import type { PathParams, PlainMatcher } from './plain-matcher.js'

/** A route that answers a request, what the path says to it, and where it stands. */
export interface Hit {
  readonly route: ExpressRoute
  readonly params: PathParams
  readonly handler: RequestHandler
  readonly layer: Layer
  /** The last layer of its group. */
  readonly end: Layer
}

interface Answer {
  readonly handler: RequestHandler
  readonly layer: HandlerLayer
}

/** Where Express has to decide: it refuses the path, or somebody has changed the route. */
export const UNDECIDED = Symbol('undecided')

/** A route of Express's as it was when it was added: what stands between a request and its handler. */
export class IndexedRoute implements RoutePlace {
  /** Its place in its group. */
  readonly at: number
  readonly route: ExpressRoute
  readonly layer: Layer
  readonly #place: RoutePlace
  readonly #plain: PlainMatcher | undefined
  readonly #functions: Pick<Layer, 'handle' | 'handleRequest' | 'match'> & Pick<ExpressRoute, 'dispatch'>
  readonly #answers = new Map<string, Answer>()
  #isKnown: boolean
  #size = 0

  constructor(place: RoutePlace & { readonly layer: Layer }, at: number, plain: PlainMatcher | undefined) {
    const { layer, route } = place
    const { handle, handleRequest, match } = layer
    const { dispatch } = route
    this.at = at
    this.route = route
    this.layer = layer
    this.#place = place
    this.#plain = plain
    this.#functions = { handle, handleRequest, match, dispatch }
    this.#isKnown = layer.route === route && isOriginal('layer.handleRequest', handleRequest)
      && isOriginal('layer.match', match) && isOriginal('route.dispatch', dispatch)
  }

  answer(method: string, handler: RequestHandler): void {
    this.#place.answer(method, handler)
    const { stack } = this.route
    const layer = stack.at(-1)
    this.#size++
    if (layer?.handle !== handler || !isOriginal('layer.handleRequest', layer.handleRequest)) this.#isKnown = false
    else this.#answers.set(method, { handler, layer })
  }

  /** What answers a method; `undefined` where Express would go on to the next route. */
  answerTo(method: string): Answer | typeof UNDECIDED | undefined {
    const answer = this.#answers.get(method) ?? (method === 'HEAD' ? this.#answers.get('GET') : undefined)
    return this.#isIntact(answer) ? answer : UNDECIDED
  }

  /** The arguments of a path; `false` where it is the path of another route. */
  paramsOf(path: string): PathParams | false | typeof UNDECIDED {
    if (this.#plain !== undefined && !path.includes('%')) return this.#plain(path)
    try {
      return matchOf(this.layer, path)?.params ?? false
    } catch {
      return UNDECIDED
    }
  }

  /** Checks that nobody has wrapped a function on the way to a handler, or added a handler to the route. */
  #isIntact(answer: Answer | undefined): boolean {
    const { layer, route } = this
    const { handle, handleRequest, match, dispatch } = this.#functions
    return this.#isKnown && layer.handle === handle && layer.handleRequest === handleRequest && layer.match === match
      && route.dispatch === dispatch && route.stack.length === this.#size
      && (answer === undefined || (answer.layer.handle === answer.handler && answer.layer.handleRequest === handleRequest))
  }
}
