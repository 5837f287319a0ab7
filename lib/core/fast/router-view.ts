import type { IRouter } from 'express'
import { handles, hasDetours, isCaseSensitive, matchOf, mountedRouterOf, restOf } from '../express/layers.js'
import { hasOriginalHandle, isOriginal } from '../express/originals.js'
import { isClosedPlace, layersOf, mountDeferred, type Layer, type Match } from '../express/stack.js'
import { mayAnswer } from '../routing/in-front.js'
import { groupAt, type IndexedGroup } from './route-group.js'

/*
 * The layers of a router, prepared for the fast path: layers that cannot match a path are not asked.
 */

/** One layer of a router, or a group of resource routes. */
export class Step {
  /** Its position in the stack. */
  readonly at: number
  readonly layer: Layer
  /** The number of layers behind this one that belong to it. */
  readonly size: number
  readonly group: IndexedGroup | undefined
  /** The view of a mounted Router. */
  readonly inner: RouterView | undefined
  /** True if only Express can pass a request through the layer, since one of its functions is wrapped. */
  readonly isUnknown: boolean
  /** The number of parameters of an error handler is 4; Express passes errors to no other function. */
  readonly arity: number
  readonly #prefix: string | undefined
  readonly #functions: Pick<Layer, 'handle' | 'handleRequest' | 'handleError' | 'match'>
  #mayAnswer: boolean | undefined

  constructor(layer: Layer, at: number, matchesCase: boolean) {
    const { handle, handleRequest, handleError, match } = layer
    this.at = at
    this.layer = layer
    this.group = groupAt(layer)
    this.size = this.group?.size ?? 0
    this.arity = handle.length
    this.#functions = { handle, handleRequest, handleError, match }
    this.isUnknown = this.group === undefined && !hasOriginalFunctions(layer)
    const router = this.isUnknown ? undefined : mountedRouterOf(layer)
    this.inner = router && viewOf(router)
    this.#prefix = layer.route === undefined && !matchesCase ? prefixOf(layer) : undefined
  }

  /** Returns true if the layer is where it was, with the functions that it had. */
  isIn(stack: readonly Layer[]): boolean {
    const { layer } = this
    const { handle, handleRequest, handleError, match } = this.#functions
    return stack[this.at] === layer && layer.handle === handle && layer.handleRequest === handleRequest
      && layer.handleError === handleError && layer.match === match
  }

  /** True for a route, and for a group of them: an error skips it. */
  get isRoute(): boolean {
    return this.group !== undefined || this.layer.route !== undefined
  }

  /** True for a function of the application's, which may answer a request. */
  get mayAnswer(): boolean {
    return (this.#mayAnswer ??= this.inner === undefined && mayAnswer(this))
  }

  /** True for a mount without a path. */
  get matchesAll(): boolean {
    return this.#prefix === ''
  }

  /** Returns true if Express would call the layer for a method, without an error, where its path matches. */
  takes(method: string): boolean {
    const { route } = this.layer
    if (this.arity >= ERROR_HANDLER) return false
    return route === undefined || method === 'HEAD' || handles(route, method)
  }

  /**
   * Returns the part of a path without `%` that the layer matches; `undefined` if it does not, or if the match of a
   * mount does not end at a slash.
   */
  match(path: string): Match | undefined {
    if (this.#prefix === '') return { path: '', params: {} }
    if (this.#prefix !== undefined) return matchOfPrefix(this.#prefix, path)
    const match = matchOf(this.layer, path)
    if (match === undefined || this.isRoute) return match
    return restOf(path, match.path) === undefined ? undefined : match
  }

  /** Returns the first segment of every path that the layer matches, in lower case; `undefined` if it varies. */
  get segment(): string | undefined {
    const { rawPath } = this.layer
    if (this.group !== undefined || this.isUnknown || typeof rawPath !== 'string') return undefined
    return /^\/([\w.~-]+)(?:\/|$)/.exec(rawPath)?.[1]?.toLowerCase()
  }
}

function matchOfPrefix(prefix: string, path: string): Match | undefined {
  const { length } = prefix
  if (path.length > length && path[length] !== '/') return undefined
  const start = path.slice(0, length)
  if (start !== prefix && start.toLowerCase() !== prefix) return undefined
  // A last slash belongs to the mount.
  return { path: path.length === length + 1 ? path : start, params: Object.create(null) as Match['params'] }
}

function hasOriginalFunctions({ match, handleRequest, handleError }: Layer): boolean {
  return isOriginal('layer.match', match) && isOriginal('layer.handleRequest', handleRequest)
    && isOriginal('layer.handleError', handleError)
}

/**
 * Returns the prefix that a mount matches in any letter case, `''` for every path; `undefined` for a path with
 * arguments or patterns.
 */
function prefixOf({ slash, rawPath }: Layer): string | undefined {
  if (slash === true) return ''
  return typeof rawPath === 'string' && /^(?:\/[\w.~-]+)+\/*$/.test(rawPath)
    ? rawPath.replace(/\/+$/, '').toLowerCase()
    : undefined
}

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
export class RouterView {
  readonly router: IRouter
  #layout: ComparedLayout | undefined

  constructor(router: IRouter) {
    this.router = router
  }

  /** Returns the layers of the router; `undefined` if it has callbacks of `param`, merges arguments or is wrapped. */
  current(): Layout | undefined {
    const { router } = this
    if (!hasOriginalHandle(router) || hasDetours(router)) return undefined
    const stack = layersOf(router)
    if (this.#layout === undefined || !this.#layout.isCurrent(stack)) this.#layout = layoutOf(router, stack)
    return this.#layout
  }
}

/** The steps are compared only from this number on by their first segments. */
const FEW = 4

class ComparedLayout implements Layout {
  readonly router: IRouter
  readonly layers: readonly Layer[]
  readonly steps: readonly Step[]
  readonly errorSteps: readonly Step[]
  /** The layers as they were read: the stack itself may change. */
  readonly #read: readonly Layer[]
  /** The steps for each first segment of a path, and those for any other segment. */
  readonly #bySegment = new Map<string, readonly Step[]>()
  readonly #others: readonly Step[]

  constructor(router: IRouter, layers: readonly Layer[], steps: readonly Step[]) {
    this.router = router
    this.layers = layers
    this.steps = steps
    this.#read = [...layers]
    this.errorSteps = steps.filter(({ arity, isUnknown }) => arity === ERROR_HANDLER || isUnknown)
    this.#others = steps.length > FEW ? steps.filter(({ segment }) => segment === undefined) : steps
    if (this.#others === steps) return
    for (const one of new Set(steps.map(({ segment }) => segment))) {
      if (one === undefined) continue
      this.#bySegment.set(one, steps.filter(({ segment }) => segment === undefined || segment === one))
    }
  }

  isCurrent(stack: readonly Layer[]): boolean {
    if (this.layers !== stack || !this.isSameFrom(0)) return false
    for (const step of this.steps) if (!step.isIn(stack)) return false
    return true
  }

  isSameFrom(from: number): boolean {
    const [read, layers] = [this.#read, this.layers]
    if (layers.length !== read.length) return false
    for (let at = from; at < read.length; at++) if (layers[at] !== read[at]) return false
    return true
  }

  stepsFor(path: string): readonly Step[] {
    if (this.#bySegment.size === 0) return this.#others
    const slash = path.indexOf('/', 1)
    const segment = path.slice(1, slash === -1 ? path.length : slash)
    return this.#bySegment.get(segment) ?? this.#bySegment.get(segment.toLowerCase()) ?? this.#others
  }
}

/** The number of parameters of an error handler. */
const ERROR_HANDLER = 4

/** Reads the layers; `undefined` if a deferred declaration is invalid, which Express's own way reports. */
function layoutOf(router: IRouter, stack: readonly Layer[]): ComparedLayout | undefined {
  try {
    mountDeferred(stack)
  } catch {
    return undefined
  }
  const matchesCase = isCaseSensitive(router)
  const steps: Step[] = []
  for (let at = 0, layer = stack[0]; layer !== undefined; layer = stack[++at]) {
    if (isClosedPlace(layer)) continue
    const step = new Step(layer, at, matchesCase)
    steps.push(step)
    at += step.size
  }
  return new ComparedLayout(router, stack, steps)
}

const views = new WeakMap<IRouter, RouterView>()

/** Returns the view of a router, one for all places where it is mounted. */
export function viewOf(router: IRouter): RouterView {
  const view = views.get(router) ?? new RouterView(router)
  views.set(router, view)
  return view
}
