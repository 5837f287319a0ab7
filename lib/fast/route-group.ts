import type { Application, IRouter, NextFunction, Request, Response } from 'express'
import { isOriginal } from '../express/originals.js'
import { isLenient, lastLayer, matchOnlyIf, openStackOf, routerOf, takesDetours, type Layer, type Stacked } from '../express/stack.js'
import { isClosedPlace } from '../routing/reserve-place.js'
import { addRoute, partsFor, PLAIN, type LayerIndex, type RouteGroup, type RoutePlace } from '../seam.js'
import { IndexedRoute, UNDECIDED, type Hit } from './indexed-route.js'
import { plainMatcher } from './plain-matcher.js'
import { RouteIndex } from './route-index.js'

/** The groups by the layers that stand in front of them, and by all of theirs. */
const byHead = new WeakMap<Layer, IndexedGroup>()
const byLayer = new WeakMap<Layer, IndexedGroup>()

/**
 * Consecutive resource routes of one router, with a layer in front that finds by an index what Express would find one by one.
 *
 * Behind it the routes stand as Express has made them. The layer calls `next` for a request that takes the plain path, and as soon as
 * anything is not as it was when the routes were added.
 */
class IndexedGroup implements RouteGroup {
  readonly #target: IRouter | Application
  readonly #router: IRouter & Stacked
  readonly #stack: readonly Layer[]
  readonly #index = new RouteIndex<IndexedRoute>()
  readonly head: Layer
  readonly #handle: unknown
  /** The layers from the head to the last route, places in between that were reserved among them. */
  readonly #layers: Layer[]
  /** Where the head was seen last. */
  #start: number
  /** The layers up to here have been compared. */
  #compared = 0

  constructor(target: IRouter | Application) {
    (target as IRouter).use((req, res, next) => this.#dispatch(req, res, next))
    this.#target = target
    this.#router = routerOf(target) as IRouter & Stacked
    this.#stack = this.#router.stack
    this.head = lastLayer(this.#stack)
    const { handle, handleRequest } = this.head
    this.#handle = handle
    matchOnlyIf(this.head, (path) => this.head.handleRequest === handleRequest && this.#index.candidates(path).length > 0 && !takesDetours(this.#router))
    this.#layers = [this.head]
    this.#start = this.#stack.length - 1
  }

  /** How many layers stand behind the head. */
  get size(): number {
    return this.#layers.length - 1
  }

  add(path: string): RoutePlace {
    const place = addRoute(this.#target, path)
    this.#start = this.#stack.indexOf(this.head)
    this.#layers.push(...this.#stack.slice(this.#start + this.#layers.length))
    const route = new IndexedRoute(place, this.size, isLenient(this.#router) ? plainMatcher(path) : undefined)
    byLayer.set(place.layer, this)
    this.#index.add(path, route)
    return route
  }

  get #end(): Layer {
    return this.#layers[this.size] ?? this.head
  }

  /** Checks that what is added to a stack now, which ends with this layer, follows the group. */
  endsWith(layer: Layer, stack: readonly Layer[]): boolean {
    return this.#stack === stack && layer === this.#layers.at(-1)
  }

  /**
   * The routes that may match a path, in Express's order, if the group's layers still stand at a place of a stack.
   *
   * Whatever is put between them, or taken out, moves the last one. To find a layer that was exchanged for another, a part of them is
   * compared at each request: all of them in a group of that size.
   */
  candidates(path: string, stack: readonly Layer[], start: number): readonly IndexedRoute[] | undefined {
    const layers = this.#layers
    const last = layers.length - 1
    if (stack !== this.#stack || stack[start] !== this.head || this.head.handle !== this.#handle || stack[start + last] !== layers[last]) return undefined
    const end = Math.min(this.#compared + COMPARED, layers.length)
    for (let at = this.#compared; at < end; at++) if (stack[start + at] !== layers[at]) return undefined
    this.#compared = end === layers.length ? 0 : end
    const found = this.#index.candidates(path)
    for (const one of found) if (stack[start + one.at] !== one.layer) return undefined
    return found
  }

  /** The route that answers, as Express would choose it; `undefined` where none does, or Express has to choose. */
  find(method: string, path: string, stack: readonly Layer[], start: number): Hit | typeof UNDECIDED | undefined {
    const found = this.candidates(path, stack, start)
    if (found === undefined) return UNDECIDED
    for (const one of found) {
      const answer = one.answerTo(method)
      if (answer === UNDECIDED) return UNDECIDED
      const params = answer !== undefined && one.paramsOf(path)
      if (params === UNDECIDED) return UNDECIDED
      if (answer !== undefined && params !== false) return { route: one.route, params, handler: answer.handler, layer: one.layer, end: this.#end }
    }
    return undefined
  }

  #dispatch(req: Request, res: Response, next: NextFunction): void {
    const hit = partsFor(req) === PLAIN ? undefined : this.#findFor(req)
    if (hit === undefined || hit === UNDECIDED) {
      next()
      return
    }
    req.route = hit.route
    req.params = hit.params
    hit.handler(req, res, next)
  }

  #findFor({ method, path }: Request): Hit | typeof UNDECIDED | undefined {
    const { stack } = this.#router
    if (stack[this.#start] !== this.head) this.#start = stack.indexOf(this.head)
    return this.find(method, path, stack, this.#start)
  }
}

/** How many layers are compared at each request. */
const COMPARED = 64

/** Opens the group to which a route that is added now belongs; one of Express's own where its functions are not known, or wrapped. */
export function openRoutes(target: IRouter | Application): RouteGroup {
  const stack = openStackOf(target)
  const last = stack.findLast((layer) => !isClosedPlace(layer))
  const open = last && byLayer.get(last)
  if (last !== undefined && open?.endsWith(last, stack)) return open
  if (!isKnown(target)) return PLAIN.openRoutes(target)
  const group = new IndexedGroup(target)
  byHead.set(group.head, group)
  byLayer.set(group.head, group)
  return group
}

interface Functions {
  readonly use: unknown
  readonly route: unknown
}

function isKnown(target: IRouter | Application): boolean {
  const { handle, use, route } = routerOf(target) as unknown as Functions & { readonly handle: unknown }
  return isOriginal('router.handle', handle) && isOriginal('router.use', use) && isOriginal('router.route', route)
}

/** The group that begins with a layer. */
export function groupAt(layer: Layer): IndexedGroup | undefined {
  return byHead.get(layer)
}

/** What a layer of a stack stands in front of, and the layers in there that may match a path; `undefined` where it is no index. */
export function indexAt(stack: readonly Layer[], at: number, path: string): LayerIndex | undefined {
  const layer = stack[at]
  const group = layer && byHead.get(layer)
  const found = group?.candidates(path, stack, at)
  return group === undefined || found === undefined ? undefined : { size: group.size, layers: found.map(({ layer: one }) => one) }
}

export type { IndexedGroup }
