import { AsyncResource } from 'node:async_hooks'
import { tracingChannel } from 'node:diagnostics_channel'
import { Socket } from 'node:net'
import type { Application, IRouter } from 'express'
import { isList, propertyOf } from '../base/guards.js'
import { memoize } from '../base/memoize.js'
import { IncomingMessage, METHODS, ServerResponse } from '../base/node-http.js'
import { isOriginal, isOriginalRouter } from './originals.js'
import { existingRouterOf, isApp, partsOf, stackOf, type ExpressRoute, type Layer, type Match } from './stack.js'

/*
 * Reads what layers and routes of a stack do with a request: the paths and methods that they match, and the routers
 * inside them.
 */

/**
 * Returns the part of a path that a layer matches, `undefined` if it does not match.
 *
 * @throws URIError for a malformed `%`.
 */
export function matchOf(layer: Layer, path: string): Match | undefined {
  const match = layer.match(path)
  if (typeof match === 'object') return match
  return match && layer.path !== undefined ? { path: layer.path, params: layer.params ?? {} } : undefined
}

/**
 * Returns the declared path by which a mount matched a request, `''` for a mount without one; `undefined` for a regular
 * expression, and for a path with arguments that this version of `router` does not keep.
 */
export function mountPathOf(layer: Layer, { path, pattern }: Match): string | undefined {
  if (pattern !== undefined) return typeof pattern === 'string' ? withoutLastSlash(pattern) : undefined
  if (layer.route !== undefined) return typeof layer.route.path === 'string' ? layer.route.path : undefined
  // An optional part matches nothing too.
  if (path === '' || path === '/') return layer.slash === true ? '' : undefined
  return matchesOnly(layer, path) ? withoutLastSlash(path) : undefined
}

function withoutLastSlash(path: string): string {
  return path.replace(/(?<!\/)\/+$/, '')
}

/** Returns true if no segment of a path can be another one for a layer. */
function matchesOnly(layer: Layer, path: string): boolean {
  const segments = path.split('/')
  return segments.every(
    (segment, at) => segment === '' || matchOf(layer, segments.with(at, `${segment}~`).join('/')) === undefined,
  )
}

/** Returns the path that Express passes to the inside of a mount, `undefined` where it would skip the mount. */
export function restOf(path: string, matched: string): string | undefined {
  if (matched === '') return path
  if (!path.startsWith(matched)) return undefined
  const rest = path.slice(matched.length)
  if (rest === '') return '/'
  return rest.startsWith('/') ? rest : undefined
}

/** Returns the declared paths of a layer, `undefined` for a mount whose path this version of `router` does not keep. */
export function pathsOf({ rawPath, route, slash }: Layer): readonly (string | RegExp)[] | undefined {
  const path: unknown = rawPath ?? route?.path
  if (path !== undefined) return [path].flat(Infinity) as (string | RegExp)[]
  return slash === true ? ['/'] : undefined
}

const tracing = tracingChannel('express.router.request')
const tracingEvents = [tracing.start, tracing.end, tracing.asyncStart, tracing.asyncEnd, tracing.error]

/** Returns true if a tracer receives the events of Express's routers. */
export function isTraced(): boolean {
  for (const { hasSubscribers } of tracingEvents) if (hasSubscribers) return true
  return false
}

/** Returns true if a router has `router.param` callbacks, or receives the arguments of its parent's path. */
export function handlesParams(router: IRouter): boolean {
  const { params, mergeParams } = partsOf(router)
  if (mergeParams) return true
  for (const _name in params) return true
  return false
}

/** Returns the Router of a layer that does no more than call it, `undefined` for any other layer. */
export function mountedRouterOf({ handle, route }: Layer): IRouter | undefined {
  return route === undefined && isOriginalRouter(handle) ? handle : undefined
}

/** Returns the layers inside a mounted router or app, `undefined` for plain middleware. */
export function stackInside(layer: Layer): readonly Layer[] | undefined {
  const app = appIn(layer)
  if (app !== undefined) return stackOf(app)
  return isRouter(layer.handle) || isWrapper(layer.handle) ? layer.handle.stack : undefined
}

/** Yields the layers of a stack and all inside them; each stack once, since a router may be mounted below itself. */
export function* layersBelow(
  stack: readonly Layer[],
  seen = new Set<readonly Layer[]>(),
): Generator<Layer, void, undefined> {
  if (seen.has(stack)) return
  seen.add(stack)
  for (const layer of stack) {
    yield layer
    yield* layersBelow(stackInside(layer) ?? [], seen)
  }
}

/** Returns the app that a layer calls, if its layers can be read. */
export function appIn(layer: Layer): Application | undefined {
  const app = isApp(layer.handle) ? layer.handle : mountedApp(layer)
  return app !== undefined && isReadable(app) ? app : undefined
}

interface WithStack {
  readonly stack: readonly Layer[]
}

/** Returns true for a Router of any version. */
function isRouter(handle: object): handle is WithStack {
  const { stack, param, route }: { readonly stack?: unknown; readonly param?: unknown; readonly route?: unknown } =
    handle
  return Array.isArray(stack) && typeof param === 'function' && typeof route === 'function'
}

/** Returns true for a function with the stack of a Router; that of a Connect app has no layers. */
function isWrapper(handle: object): handle is WithStack {
  const { stack }: { readonly stack?: unknown } = handle
  return isList(stack) && stack.length > 0 && stack.every((layer) => propertyOf(layer, 'match') !== undefined)
}

/** Returns true for an app that is mounted on another one. */
export function isMountedApp({ name }: Layer): boolean {
  return name === MOUNTED_APP
}

/**
 * Returns true if a layer calls a function that may answer a request: neither a route, a router, nor an error handler.
 */
export function isFunction(layer: Layer): boolean {
  const { handle, route } = layer
  return route === undefined && handle.length < 4 && !isRouter(handle) && appIn(layer) === undefined
}

/** Returns true for a mounted app whose stack cannot be read, such as one of another version of Express. */
export function isOpaque(layer: Layer): boolean {
  return isMountedApp(layer) && stackInside(layer) === undefined
}

/** The name of the closure in which `app.use(other)` hides the other app. */
const MOUNTED_APP = 'mounted_app'

const mountedApp = memoize((layer: Layer) => (isMountedApp(layer) ? revealApp(layer) : undefined))

/** An asynchronous context that keeps no process running; Jest takes one without `hasRef` for an open handle. */
class IdleContext extends AsyncResource {
  hasRef(): boolean {
    return false
  }
}

/** A context outside any request, so that a tracer records nothing of a probe. */
export const outsideRequests = new IdleContext('resourcery.probe')

/**
 * Calls a mounted app with a request that reveals it: the app first sets the prototype of the request to its own,
 * which names the app.
 *
 * Express's own `handle` is then stopped by an error, so that it does not create its router. An error of a function
 * that wraps it could come too late to be caught: it gets a request without a URL, which no router passes on.
 */
function revealApp({ handle }: Layer): Application | undefined {
  let revealed: Application | undefined
  let isPassed = false
  const request = new IncomingMessage(new Socket())
  const response = new ServerResponse(request)
  const parent = { request: IncomingMessage.prototype, response: ServerResponse.prototype }
  Object.assign(request, { method: 'GET', originalUrl: '/', baseUrl: '', app: parent, res: response })
  const probe = new Proxy(request, {
    get: (target, name): unknown => (name === 'url' ? (isPassed ? undefined : '/') : Reflect.get(target, name)),
    setPrototypeOf(_target, prototype) {
      if (isPassed) return true
      isPassed = true
      const app = propertyOf(prototype, 'app')
      if (isApp(app)) revealed = app
      if (isOriginal('app.handle', propertyOf(app, 'handle'))) throw new Error('The app is known.')
      return true
    },
  })
  try {
    outsideRequests.runInAsyncScope(() => handle(probe, response, () => undefined))
  } catch {
    // The error that the proxy throws.
  }
  return revealed
}

/** Returns true for an app whose layers can be read: Express 4 keeps them in another place. */
function isReadable(app: Application): boolean {
  try {
    existingRouterOf(app)
    return true
  } catch {
    return false
  }
}

/** The names of methods as Express has them; to look one up takes half the time of making it. */
const LOWER_CASE = new Map(METHODS.map((method) => [method, method.toLowerCase()]))

/** Returns true if a route answers a method, as Express decides: GET answers HEAD, `all` answers every method. */
export function handles(route: ExpressRoute, method: string): boolean {
  const name = LOWER_CASE.get(method) ?? method.toLowerCase()
  return Boolean(route.methods._all ?? route.methods[name] ?? (name === 'head' && route.methods.get))
}

/** Returns the methods of a route in upper case, HEAD with GET, and `*` for `all`. */
export function methodsOf(route: ExpressRoute): string[] {
  const methods = Object.keys(route.methods).map((name) => (name === '_all' ? '*' : name.toUpperCase()))
  return route.methods.get && !route.methods.head ? [...methods, 'HEAD'] : methods
}
