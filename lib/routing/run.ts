import type { IRouter, NextFunction, Request, RequestHandler, Response } from 'express'
import { isLenient, lastLayer, matchesBy, openStackOf, remembered, routerOf, takesDetours, type ExpressRoute, type Layer, type Stacked } from './express-stack.js'
import { plainMatcher, type PathParams, type PlainMatcher } from './plain-matcher.js'
import { isClosedPlace } from './reserve-place.js'
import { RouteIndex } from './route-index.js'

/** One route of a run: where it stands among Express's layers, and what answers each method. */
export interface Member {
  readonly layer: Layer
  readonly route: ExpressRoute
  /** Express's own judgement. */
  readonly match: Layer['match']
  /** Ours, which costs less. */
  readonly plain: PlainMatcher | undefined
  readonly handlers: Map<string, RequestHandler>
}

/** A route that answers a request, and what the path says to it. */
export interface Hit {
  readonly layer: Layer
  /** The last one of its run. */
  readonly end: Layer
  readonly route: ExpressRoute
  readonly params: PathParams
  readonly handler: RequestHandler
}

/** The runs by the layers that stand in front of them, and by all of theirs. */
const byHead = new WeakMap<Layer, Run>()
const byLayer = new WeakMap<Layer, Run>()

/**
 * Consecutive resource routes of one router: a layer in front finds by an index what Express would find one by one.
 *
 * Places in between that were kept for some of them, and are closed, match nothing.
 * Behind it the routes stand as Express has made them, for whatever is unusual and for whoever lists them.
 */
class Run {
  readonly #router: IRouter & Stacked
  readonly #stack: readonly Layer[]
  readonly #head: Layer
  /** The last of its layers. */
  #end: Layer
  readonly #members: Member[] = []
  readonly #index = new RouteIndex<Member>()
  readonly #standing: () => number

  constructor(router: IRouter) {
    router.use((req, res, next) => this.#dispatch(req, res, next))
    this.#router = router as IRouter & Stacked
    this.#stack = this.#router.stack
    this.#head = this.#end = lastLayer(this.#stack)
    this.#standing = remembered(() => this.#router.stack, () => this.#measure())
    matchesBy(this.#head, (path, own) => this.#mayFind(path) && own(path))
  }

  get head(): Layer {
    return this.#head
  }

  /** How many layers stand behind its head; -1 where they do not stand together. */
  get size(): number {
    return this.#standing()
  }

  /** Whether nobody has since taken anything out of the stack, or put anything in between. */
  get standsTogether(): boolean {
    return this.size >= 0
  }

  #measure(): number {
    if (this.#router.stack !== this.#stack) return -1
    const start = this.#stack.indexOf(this.#head) + 1
    let end = start
    for (const { layer } of this.#members) {
      end = openFrom(this.#stack, end)
      if (this.#stack[end++] !== layer) return -1
    }
    return start > 0 ? end - start : -1
  }

  /** Whether what is added to a stack now, which ends with this layer, follows it. */
  endsWith(layer: Layer, stack: readonly Layer[]): boolean {
    return this.#stack === stack && layer === this.#end
  }

  /** The routes that may match a path, in Express's order. */
  candidates(path: string): readonly Member[] {
    return this.#index.candidates(path)
  }

  /** Adds a route to Express's, and to the index. */
  add(path: string): Member {
    const route = this.#router.route(path) as unknown as ExpressRoute
    const layer = lastLayer(this.#stack)
    const match = matchesBy(layer, (asked, own) => this.candidates(asked).some((one) => one.layer === layer) && own(asked))
    const plain = isLenient(this.#router) ? plainMatcher(path) : undefined
    const member = { layer, route, match, plain, handlers: new Map<string, RequestHandler>() }
    this.#members.push(member)
    this.#end = layer
    byLayer.set(layer, this)
    this.#index.add(path, member)
    return member
  }

  /** The route that answers, as Express would choose it, where the run stands together and Express need not do more than choose. */
  find(method: string, path: string): Hit | undefined {
    for (const member of this.candidates(path)) {
      const { layer, route, handlers } = member
      const handler = handlers.get(method) ?? (method === 'HEAD' ? handlers.get('GET') : undefined)
      const params = handler !== undefined && paramsOf(member, path)
      if (params === MALFORMED) return undefined
      if (handler !== undefined && params !== false) return { layer, end: this.#end, route, params, handler }
    }
    return undefined
  }

  #mayFind(path: string): boolean {
    return this.candidates(path).length > 0 && !takesDetours(this.#router) && this.standsTogether
  }

  #dispatch(req: Request, res: Response, next: NextFunction): void {
    const hit = this.find(req.method, req.path)
    if (hit === undefined) {
      next()
      return
    }
    req.route = hit.route
    req.params = hit.params
    hit.handler(req, res, next)
  }
}

export type { Run }

const MALFORMED = Symbol('malformed')

/** What a path brings to a route, if it is its path; one that cannot be decoded is left to Express, which refuses it. */
function paramsOf({ plain, match }: Member, path: string): PathParams | false | typeof MALFORMED {
  if (plain !== undefined && !path.includes('%')) return plain(path)
  try {
    const matched = match(path)
    return matched !== false && matched.params
  } catch {
    return MALFORMED
  }
}

/** The run to which a route that is mounted now belongs. */
export function openRun(target: object): Run {
  const stack = openStackOf(target)
  const last = stack.findLast((layer) => !isClosedPlace(layer))
  const open = last && byLayer.get(last)
  if (last !== undefined && open?.endsWith(last, stack)) return open
  const run = new Run(routerOf(target))
  byHead.set(run.head, run)
  byLayer.set(run.head, run)
  return run
}

/** Where the next layer stands that is no closed place. */
function openFrom(stack: readonly Layer[], index: number): number {
  for (let layer = stack[index]; layer !== undefined && isClosedPlace(layer); layer = stack[++index]);
  return index
}

/** The run that stands behind a layer as a whole. */
export function runBehind(layer: Layer): Run | undefined {
  const run = byHead.get(layer)
  return run?.standsTogether ? run : undefined
}
