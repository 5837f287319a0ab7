import type { Application, IRouter, NextFunction, Request, Response } from 'express'
import { hasDetours, isLenient, isTraced } from '../express/layers.js'
import { hasOriginalHandle, hasOriginalRegistrars } from '../express/originals.js'
import { addRoute, isClosedPlace, lastLayer, layersOf, matchOnlyIf, openStackOf, passOnIf, routerOf, type AddedRoute,
  type Layer } from '../express/stack.js'
import { implementationFor, PLAIN, type LayerIndex, type RouteGroup } from '../express/implementation.js'
import { IndexedRoute, simpleMatcher, UNDECIDED, type Hit } from './indexed-route.js'
import { RouteIndex } from './route-index.js'

/** The groups by the layer in front of them, and by all of their layers. */
const byHead = new WeakMap<Layer, IndexedGroup>()
const byLayer = new WeakMap<Layer, IndexedGroup>()

/**
 * A group of consecutive resource routes of one router, with a layer in front that finds routes by an index.
 *
 * The routes behind it are ordinary routes of Express's. The layer calls `next` for a request on the plain path, and as
 * soon as anything differs from what it was when the routes were added.
 */
class IndexedGroup implements RouteGroup {
  readonly #target: IRouter | Application
  readonly #router: IRouter
  readonly #stack: readonly Layer[]
  readonly #index = new RouteIndex<IndexedRoute>()
  readonly head: Layer
  readonly #handle: unknown
  /** The layers from the head to the last route, with the reserved places in between. */
  readonly #layers: Layer[]
  readonly #routes: IndexedRoute[] = []
  /** The last known position of the head. */
  #start: number
  /** The layers before this one have been compared. */
  #compared = 0

  constructor(target: IRouter | Application) {
    ;(target as IRouter).use((req, res, next) => this.#dispatch(req, res, next))
    this.#target = target
    this.#router = routerOf(target)
    this.#stack = layersOf(this.#router)
    this.head = lastLayer(this.#stack)
    const { handle, handleRequest } = this.head
    this.#handle = handle
    matchOnlyIf(
      this.head,
      (path) =>
        this.head.handleRequest === handleRequest
        && this.#index.candidates(path).length > 0
        && !isTraced()
        && !hasDetours(this.#router),
    )
    this.#layers = [this.head]
    this.#start = this.#stack.length - 1
  }

  /** The number of layers behind the head. */
  get size(): number {
    return this.#layers.length - 1
  }

  /** True if no layer of the group was moved, and none of its functions wrapped. */
  get isIntact(): boolean {
    const start = layersOf(this.#router).indexOf(this.head)
    return this.head.handle === this.#handle
      && this.#layers.every((layer, at) => layersOf(this.#router)[start + at] === layer)
      && this.#routes.every((route) => route.isIntact)
  }

  add(path: string): AddedRoute {
    const added = addRoute(this.#target, path)
    this.#start = this.#stack.indexOf(this.head)
    this.#layers.push(...this.#stack.slice(this.#start + this.#layers.length))
    const at = this.size
    passOnIf(added.layer, (req, next) => this.#hasPassed(req, at, next))
    const route = new IndexedRoute(added, at, isLenient(this.#router) ? simpleMatcher(path) : undefined)
    this.#routes.push(route)
    byLayer.set(added.layer, this)
    this.#index.add(path, route)
    return route
  }

  /**
   * Returns true if a layer is the last one of the group, so that routes added to the stack now belong to the group.
   */
  endsWith(layer: Layer, stack: readonly Layer[]): boolean {
    return this.#stack === stack && layer === this.#layers.at(-1)
  }

  /**
   * Returns the routes that may match a path, in Express's order; `undefined` if the group's layers were moved in the
   * stack.
   *
   * Adding or removing a layer in between moves the last one. To find a layer that was replaced, each request compares
   * some of them: all of them in a group of at most 16.
   */
  candidates(path: string, stack: readonly Layer[], start: number): readonly IndexedRoute[] | undefined {
    const layers = this.#layers
    const last = layers.length - 1
    if (stack !== this.#stack
      || stack[start] !== this.head
      || this.head.handle !== this.#handle
      || stack[start + last] !== layers[last])
    {
      return undefined
    }
    const end = Math.min(this.#compared + COMPARED, layers.length)
    for (let at = this.#compared; at < end; at++) if (stack[start + at] !== layers[at]) return undefined
    this.#compared = end === layers.length ? 0 : end
    const found = this.#index.candidates(path)
    for (const one of found) if (stack[start + one.at] !== one.layer) return undefined
    return found
  }

  /**
   * Returns the route that Express would choose; `undefined` where none matches, `UNDECIDED` where Express has to
   * choose.
   */
  find(method: string, path: string, stack: readonly Layer[], start: number): Hit | typeof UNDECIDED | undefined {
    const found = this.candidates(path, stack, start)
    if (found === undefined) return UNDECIDED
    for (const one of found) {
      const answer = one.answerTo(method)
      if (answer === UNDECIDED) return UNDECIDED
      const params = answer !== undefined && one.paramsOf(path)
      if (params === UNDECIDED) return UNDECIDED
      if (answer !== undefined && params !== false) {
        return { route: one.route, layer: one.layer, params, handler: answer.handler, at: one.at }
      }
    }
    return undefined
  }

  #dispatch(req: Request, res: Response, next: NextFunction): void {
    const hit = implementationFor(req) === PLAIN ? undefined : this.#findFor(req)
    if (hit === undefined || hit === UNDECIDED) {
      next()
      return
    }
    req.route = hit.route
    req.params = hit.params
    const found = req as Dispatched
    found[dispatchKey] = { group: this, at: hit.at, next, earlier: found[dispatchKey] }
    hit.handler(req, res, next)
  }

  /**
   * Returns true if the index has passed a request to the route at a position, or to one behind it: Express knows the
   * head as the last layer that ran, and goes on behind it if middleware in front calls `next` twice.
   */
  #hasPassed(req: Dispatched, at: number, next: NextFunction): boolean {
    let one = req[dispatchKey]
    while (one !== undefined && (one.group !== this || one.next !== next)) one = one.earlier
    return one !== undefined && at <= one.at
  }

  #findFor({ method, path }: Request): Hit | typeof UNDECIDED | undefined {
    const stack = layersOf(this.#router)
    if (stack[this.#start] !== this.head) this.#start = stack.indexOf(this.head)
    return this.find(method, path, stack, this.#start)
  }
}

const dispatchKey = Symbol('resourcery.dispatch')

interface Dispatched {
  [dispatchKey]?: Dispatch | undefined
}

/** A route that the index has found in one pass through its router, which has its own `next`. */
interface Dispatch {
  readonly group: IndexedGroup
  readonly at: number
  readonly next: NextFunction
  readonly earlier: Dispatch | undefined
}

/** The number of layers that are compared at each request. */
const COMPARED = 16

/** Opens the group to which routes are added now; a plain one where functions of Express are unknown or wrapped. */
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

function isKnown(target: IRouter | Application): boolean {
  const router = routerOf(target)
  return hasOriginalHandle(router) && hasOriginalRegistrars(router)
}

/** Returns the group that begins with a layer. */
export function groupAt(layer: Layer): IndexedGroup | undefined {
  return byHead.get(layer)
}

/** Looks a path up in the index at a layer of a stack; returns `undefined` if the layer has no index. */
export function indexAt(stack: readonly Layer[], at: number, path: string): LayerIndex | undefined {
  const layer = stack[at]
  const group = layer && byHead.get(layer)
  const found = group?.candidates(path, stack, at)
  return group === undefined || found === undefined
    ? undefined
    : { size: group.size, layers: found.map(({ layer: one }) => one) }
}

export type { IndexedGroup }
