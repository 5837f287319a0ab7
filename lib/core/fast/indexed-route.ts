import type { RequestHandler } from 'express'
import { matchOf } from '../express/layers.js'
import { isOriginal } from '../express/originals.js'
import type { AddedRoute, ExpressRoute, HandlerLayer, Layer } from '../express/stack.js'

/** A route that answers a request, and the path arguments of the request. */
export interface Hit {
  readonly route: ExpressRoute
  readonly params: PathParams
  readonly layer: Layer
  readonly handler: RequestHandler
  /** The position of the route in its group. */
  readonly at: number
}

interface Answer {
  readonly handler: RequestHandler
  readonly layer: HandlerLayer
}

/** Express has to decide: it refuses the path, or the route was changed. */
export const UNDECIDED = Symbol('undecided')

/** A route of Express's as it was added, with all functions between a request and its handler. */
export class IndexedRoute implements AddedRoute {
  /** Its position in its group. */
  readonly at: number
  readonly route: ExpressRoute
  readonly layer: Layer
  readonly #added: AddedRoute
  readonly #matcher: SimpleMatcher | undefined
  readonly #functions: Pick<Layer, 'handle' | 'handleRequest' | 'match'> & Pick<ExpressRoute, 'dispatch'>
  readonly #answers = new Map<string, Answer>()
  #isKnown: boolean
  #size = 0

  constructor(added: AddedRoute, at: number, matcher: SimpleMatcher | undefined) {
    const { layer, route } = added
    const { handle, handleRequest, match } = layer
    const { dispatch } = route
    this.at = at
    this.route = route
    this.layer = layer
    this.#added = added
    this.#matcher = matcher
    this.#functions = { handle, handleRequest, match, dispatch }
    this.#isKnown = layer.route === route && isOriginal('layer.handleRequest', handleRequest)
      && isOriginal('layer.match', match) && isOriginal('route.dispatch', dispatch)
  }

  answer(method: string, handler: RequestHandler): void {
    this.#added.answer(method, handler)
    const { stack } = this.route
    const layer = stack.at(-1)
    this.#size++
    if (layer?.handle !== handler || !isOriginal('layer.handleRequest', layer.handleRequest)) this.#isKnown = false
    else this.#answers.set(method, { handler, layer })
  }

  /** True if none of its functions is wrapped, for any method. */
  get isIntact(): boolean {
    return this.#isIntact(undefined) && [...this.#answers.values()].every((answer) => this.#isIntact(answer))
  }

  /** Returns the handler of a method, `undefined` where Express would try the next route. */
  answerTo(method: string): Answer | typeof UNDECIDED | undefined {
    const answer = this.#answers.get(method) ?? (method === 'HEAD' ? this.#answers.get('GET') : undefined)
    return this.#isIntact(answer) ? answer : UNDECIDED
  }

  /** Returns the arguments of a path, `false` for a path of another route. */
  paramsOf(path: string): PathParams | false | typeof UNDECIDED {
    if (this.#matcher !== undefined && !path.includes('%')) return this.#matcher(path)
    try {
      return matchOf(this.layer, path)?.params ?? false
    } catch {
      return UNDECIDED
    }
  }

  /** Checks that no function on the way to a handler was wrapped, and that no handler was added to the route. */
  #isIntact(answer: Answer | undefined): boolean {
    const { layer, route } = this
    const { handle, handleRequest, match, dispatch } = this.#functions
    return this.#isKnown && layer.handle === handle && layer.handleRequest === handleRequest && layer.match === match
      && route.dispatch === dispatch && route.stack.length === this.#size
      && (answer === undefined
        || (answer.layer.handle === answer.handler && answer.layer.handleRequest === handleRequest))
  }
}

/** The path arguments of a request, by name. */
export type PathParams = Record<string, string>

export type SimpleMatcher = (path: string) => PathParams | false

/**
 * Returns a function that matches paths without `%` as Express does by default: in any letter case, with or without a
 * trailing slash.
 *
 * Each segment must be text or one path argument; the result is `undefined` for any other route.
 */
export function simpleMatcher(route: string): SimpleMatcher | undefined {
  const segments = route.split('/').slice(1).map(toSegment)
  if (!segments.every((segment) => segment !== undefined)) return undefined
  return (path) => {
    if (!path.startsWith('/')) return false
    const params = Object.create(null) as PathParams
    let at = 0
    for (const { name, text } of segments) {
      const slash = path.indexOf('/', at + 1)
      const end = slash === -1 ? path.length : slash
      const given = path.slice(at + 1, end)
      if (name !== undefined && given !== '') params[name] = given
      else if (name !== undefined || (given !== text && given.toLowerCase() !== text)) return false
      at = end
    }
    return at >= path.length - 1 ? params : false
  }
}

interface Segment {
  /** The name of a path argument. */
  readonly name?: string
  /** In lower case. */
  readonly text: string
}

function toSegment(segment: string): Segment | undefined {
  const name = /^:([A-Za-z_$][\w$]*)$/.exec(segment)?.[1]
  if (name !== undefined) return { name: asKey(name), text: '' }
  return segment === '' || /[:*\\%]/.test(segment) ? undefined : { text: segment.toLowerCase() }
}

/**
 * Returns the string that the engine keeps for a property of this name: with a copy of it, every assignment looks the
 * kept one up first, which takes a fifteenth of the time of a short reply.
 */
function asKey(name: string): string {
  return Object.keys({ [name]: true })[0] ?? name
}
