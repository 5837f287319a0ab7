import { AsyncResource } from 'node:async_hooks'
import { tracingChannel } from 'node:diagnostics_channel'
import type { Application, IRouter } from 'express'
import { filled } from '../routing/reserved.js'

/*
 * What this package reads of Express's routers: public in behaviour (`req.route`, `listRoutes`), undocumented in shape. No other folder
 * knows that shape. Both `router` 2.2 and 2.3 are read; what one of them lacks is optional here.
 */

export interface ExpressRoute {
  readonly path: unknown
  readonly methods: Readonly<Record<string, boolean | undefined>>
  readonly stack: readonly HandlerLayer[]
  readonly dispatch: unknown
}

/** One handler of a route. */
export interface HandlerLayer {
  readonly name: string
  readonly handle: unknown
  readonly handleRequest: unknown
  readonly method?: string | undefined
}

export interface Layer {
  readonly name: string
  readonly handle: ((req: object, res: object, next: () => void) => unknown) & { readonly stack?: readonly Layer[] }
  readonly route: ExpressRoute | undefined
  /** Answers `true` in `router` 2.2, and leaves the match on the layer. */
  readonly match: (path: string) => Match | boolean
  readonly handleRequest: (req: object, res: object, next: (error?: unknown) => void) => void
  readonly handleError: (error: unknown, req: object, res: object, next: (error?: unknown) => void) => void
  /** The path or paths it was added with; `router` 2.2 does not keep them. */
  readonly rawPath?: unknown
  /** Whether it stands for every path. */
  readonly slash?: boolean
  readonly path?: string
  readonly params?: Record<string, string>
}

export interface Match {
  readonly path: string
  readonly params: Record<string, string>
}

export interface Stacked {
  readonly stack: readonly Layer[]
}

export function isApp(target: unknown): target is Application {
  return typeof target === 'function' && 'handle' in target && 'set' in target && 'router' in target
}

/** The stack of a router or an app, in Express's order. */
export function stackOf(target: unknown): readonly Layer[] {
  return filled(openStackOf(target))
}

/** The same with places in it that are still reserved. */
export function openStackOf(target: unknown): readonly Layer[] {
  const router = isApp(target) ? existingRouterOf(target) : target
  return (router as Stacked | undefined)?.stack ?? NO_LAYERS
}

const NO_LAYERS: readonly Layer[] = []

/**
 * The router of an app, if it has one by now.
 *
 * Express makes it when `app.router` is first read, with the settings of that moment, so that to look must not make it. The getter asks
 * `this.enabled(…)` only in order to make one.
 */
export function existingRouterOf(app: Application): IRouter | undefined {
  const descriptor = Object.getOwnPropertyDescriptor(app, 'router')
  if (descriptor?.get === undefined) return app.router
  const stop = (): never => { throw NO_ROUTER }
  try {
    return descriptor.get.call({ enabled: stop }) as IRouter
  } catch (error) {
    if (error === NO_ROUTER) return undefined
    throw error
  }
}

/** The layer that was added last. */
export function lastLayer(stack: readonly Layer[]): Layer {
  const layer = stack.at(-1)
  if (layer === undefined) throw new Error('Nothing was added to this router.')
  return layer
}

export function routerOf(target: object): IRouter {
  return (isApp(target) ? target.router : target) as IRouter
}

/**
 * What a layer matches of a path; `undefined` where it does not match.
 *
 * @throws URIError for a malformed `%`.
 */
export function matchOf(layer: Layer, path: string): Match | undefined {
  const match = layer.match(path)
  if (typeof match === 'object') return match
  return match && layer.path !== undefined ? { path: layer.path, params: layer.params ?? {} } : undefined
}

/** Lets a layer of this package's own match nothing as long as it has nothing to do, so that nobody who watches is shown it. */
export function matchOnlyIf(layer: Layer, isNeeded: (path: string) => boolean): void {
  const own = layer.match.bind(layer)
  Object.assign(layer, { match: (path: string) => isNeeded(path) && own(path) })
}

/** The declared paths of a layer; `undefined` for a mount whose path this version of `router` does not keep. */
export function pathsOf({ rawPath, route, slash }: Layer): readonly unknown[] | undefined {
  if (rawPath !== undefined) return [rawPath].flat(Infinity)
  if (route !== undefined) return [route.path].flat(Infinity)
  return slash === true ? ['/'] : undefined
}

/** Whether a router hands the arguments of its parent's path on. */
export function mergesParams(target: object): boolean {
  return (routerOf(target) as unknown as { readonly mergeParams?: boolean }).mergeParams === true
}

/** Whether a router matches as Express does by default: in any letter case, with a slash at the end or without. */
export function isLenient(router: IRouter): boolean {
  const { strict, caseSensitive } = router as unknown as { readonly strict?: unknown; readonly caseSensitive?: unknown }
  return !strict && !caseSensitive
}

const tracing = tracingChannel('express.router.request')
const tracingEvents = [tracing.start, tracing.end, tracing.asyncStart, tracing.asyncEnd, tracing.error]

/** Whether a router does more on the way to a route than match it: callbacks of `router.param`, arguments of its parent, events for a tracer. */
export function takesDetours(router: IRouter): boolean {
  const { params } = router as unknown as { readonly params: object }
  if (mergesParams(router) || tracingEvents.some(({ hasSubscribers }) => hasSubscribers)) return true
  for (const _name in params) return true
  return false
}

const NO_ROUTER = new Error('There is no router yet.')

/** The layers behind a mounted router or app, `undefined` for plain middleware. */
export function stackInside(layer: Layer): readonly Layer[] | undefined {
  const app = isApp(layer.handle) ? layer.handle : appBehind(layer)
  if (app !== undefined) return stackOf(app)
  return Array.isArray(layer.handle.stack) ? filled(layer.handle.stack as readonly Layer[]) : undefined
}

/** Whether an app is mounted here that cannot be seen into, one of another version of Express's. */
export function isOpaque(layer: Layer): boolean {
  return layer.name === MOUNTED_APP && stackInside(layer) === undefined
}

/** What Express calls the closure behind which `app.use(other)` hides the other app. */
const MOUNTED_APP = 'mounted_app'

const appsBehind = new WeakMap<Layer, Application | undefined>()

function appBehind(layer: Layer): Application | undefined {
  if (layer.name !== MOUNTED_APP) return undefined
  if (!appsBehind.has(layer)) appsBehind.set(layer, revealApp(layer))
  return appsBehind.get(layer)
}

/** Calls a handler outside any request, so that a tracer around it records nothing; it may read what every request has. */
const outside = new AsyncResource('resourcery.probe')
const bareRequest = (): object => ({ method: 'GET', url: '/', originalUrl: '/', baseUrl: '', headers: {} })

/** The first thing a mounted app does with a request is to give it its own prototype, which names the app; it gets no further. */
function revealApp({ handle }: Layer): Application | undefined {
  let app: unknown
  const probe = new Proxy(bareRequest(), {
    setPrototypeOf(_target, prototype) {
      app = (prototype as { app?: unknown }).app
      throw new Error('The app is known.')
    },
  })
  try {
    outside.runInAsyncScope(() => handle(probe, { setHeader: () => undefined }, () => undefined))
  } catch {
    // Nothing but the probe's own refusal to go on.
  }
  return isApp(app) ? app : undefined
}

/** Who answers the probe that is going on; a probe ends before anything else can run. */
let probing: { found: unknown } | undefined

/**
 * Lets a middleware of this package tell who it is, inside whatever a tracer has wrapped around it: true where it was called for that,
 * and should do no more than go on.
 */
export function answersProbe(middleware: unknown): boolean {
  if (probing === undefined) return false
  probing.found = middleware
  return true
}

/** The names of this package's guards, which nobody else gives; a tracer's wrapper has the name of the function in it. */
const OWN_NAMES: readonly string[] = ['resourceryAuth', 'resourceryPermission']

const probed = new WeakMap<object, unknown>()

/** The middleware that a layer was added for: one of this package by its own word, since a tracer may have wrapped it. */
export function middlewareIn({ name, handle }: Pick<Layer | HandlerLayer, 'name' | 'handle'>): unknown {
  if (!OWN_NAMES.includes(name) || typeof handle !== 'function') return handle
  if (!probed.has(handle)) probed.set(handle, probe(handle as Layer['handle']) ?? handle)
  return probed.get(handle)
}

function probe(handle: Layer['handle']): unknown {
  const answer = { found: undefined as unknown }
  probing = answer
  try {
    outside.runInAsyncScope(() => handle(bareRequest(), {}, () => undefined))
  } catch {
    // A wrapper that takes the probe for a request.
  } finally {
    probing = undefined
  }
  return answer.found
}

/** The outermost app around this one. */
export function rootOf(app: Application): Application {
  const parent = parentOf(app)
  return parent === undefined ? app : rootOf(parent)
}

function parentOf(app: Application): Application | undefined {
  return (app as unknown as { parent?: Application }).parent
}

/** Whether a route answers a method, as Express judges: GET answers HEAD, `all` answers everything. */
export function handles(route: ExpressRoute, method: string): boolean {
  const name = method.toLowerCase()
  return Boolean(route.methods._all ?? route.methods[name] ?? (name === 'head' && route.methods.get))
}

/** The methods a route answers, upper case, HEAD with GET; an `all` route says `*`. */
export function methodsOf(route: ExpressRoute): string[] {
  const methods = Object.keys(route.methods).map((name) => (name === '_all' ? '*' : name.toUpperCase()))
  return route.methods.get && !route.methods.head ? [...methods, 'HEAD'] : methods
}
