import type { Application, Express, IRouter, RequestHandler } from 'express'
import { MisuseError } from '../base/errors.js'

/*
 * Reads the stacks of Express's routers and adds to them. Their behaviour is public (`req.route`, `listRoutes`), their
 * shape is not documented, and no other folder knows it. Both `router` 2.2 and 2.3 are supported; what one of them
 * lacks is optional here.
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
  /** Returns `true` in `router` 2.2, which keeps the match on the layer. */
  readonly match: (path: string) => Match | boolean
  readonly handleRequest: (req: object, res: object, next: (error?: unknown) => void) => void
  readonly handleError: (error: unknown, req: object, res: object, next: (error?: unknown) => void) => void
  /** The path or paths it was added with; `router` 2.2 does not keep them. */
  readonly rawPath?: unknown
  /** True for a layer that matches every path. */
  readonly slash?: boolean
  readonly path?: string
  readonly params?: Record<string, string>
}

export interface Match {
  readonly path: string
  readonly params: Record<string, string>
  /** The declared path that matched, one of several; `router` 2.2 does not have it. */
  readonly pattern?: unknown
}

/** The properties of a router that Express does not document. */
interface RouterParts {
  readonly handle: unknown
  readonly mergeParams?: unknown
  readonly params: object
  readonly stack: readonly Layer[]
}

/** Returns a router with the properties that Express does not document. */
export function partsOf(router: IRouter): RouterParts {
  return router as IRouter & RouterParts
}

export function isApp(target: unknown): target is Express {
  return typeof target === 'function' && 'handle' in target && 'set' in target && 'router' in target
}

/** Returns the stack of a router or an app, in Express's order. */
export function stackOf(target: unknown): readonly Layer[] {
  const router = isApp(target) ? existingRouterOf(target) : target
  return (router as Partial<RouterParts> | undefined)?.stack ?? NO_LAYERS
}

const NO_LAYERS: readonly Layer[] = []

/** Returns the layers of a router. */
export function layersOf(router: IRouter): readonly Layer[] {
  return partsOf(router).stack
}

/**
 * Returns the router of an app if it has one.
 *
 * Express creates it when `app.router` is first read, with the settings at that moment, so reading the stack must not
 * create it. The getter calls `this.enabled(…)` only to create one.
 */
export function existingRouterOf(app: Application): IRouter | undefined {
  const descriptor = Object.getOwnPropertyDescriptor(app, 'router')
  if (descriptor?.get === undefined) return app.router
  const stop = (): never => {
    throw NO_ROUTER
  }
  try {
    return descriptor.get.call({ enabled: stop }) as IRouter
  } catch (error) {
    if (error === NO_ROUTER) return undefined
    throw error
  }
}

const NO_ROUTER = new Error('There is no router yet.')

export function routerOf(target: IRouter | Application): IRouter {
  return isApp(target) ? target.router : target
}

/** Returns the layer that was added last. */
export function lastLayer(stack: readonly Layer[]): Layer {
  const layer = stack.at(-1)
  if (layer === undefined) throw new Error('Nothing was added to this router.')
  return layer
}

/** Returns true if a router receives the arguments of its parent's path. */
export function mergesParams(target: object): boolean {
  const router: object = isApp(target) ? target.router : target
  const { mergeParams }: Partial<RouterParts> = router
  return mergeParams === true
}

/** Returns the outermost app around this one. */
export function rootOf(app: Application): Application {
  const { parent }: Application & { readonly parent?: Application } = app
  return parent === undefined ? app : rootOf(parent)
}

/** An Express route that was added to a router or an app. */
export interface AddedRoute {
  readonly layer: Layer
  readonly route: ExpressRoute
  /** Adds a handler for a method. */
  readonly answer: (method: string, handler: RequestHandler) => void
}

type Registrars = Readonly<Record<string, ((handler: RequestHandler) => unknown) | undefined>>

/** Adds a route to a router or an app, as `target.route(path).get(handler)` does. */
export function addRoute(target: IRouter | Application, path: string): AddedRoute {
  // A tracer may have wrapped the result of `route`: handlers are added to the wrapper, while Express dispatches to the
  // layer's own route.
  const added: object = target.route(path)
  const layer = lastLayer(stackOf(target))
  probe(layer)
  return {
    layer,
    route: layer.route ?? added as ExpressRoute,
    answer: (method, handler) => void (added as Registrars)[method.toLowerCase()]?.(handler),
  }
}

/** Prototypes of layers that have the shape this package reads. */
const checkedPrototypes = new WeakSet()

/**
 * Checks that a layer of a route has the shape that this package reads.
 *
 * @throws MisuseError `express_unsupported` for Express 4, and for a later version that keeps its routes in another
 * shape.
 */
function probe(layer: Layer): void {
  const prototype = Reflect.getPrototypeOf(layer) ?? layer
  if (checkedPrototypes.has(prototype)) return
  const { route, handle, match, handleRequest, handleError } = layer
  const hasFunctions = [handle, match, handleRequest, handleError].every((member) => typeof member === 'function')
  if (!hasFunctions || !Array.isArray(route?.stack)) throw unsupportedError()
  checkedPrototypes.add(prototype)
}

/**
 * Checks that an app or a Router was not made by Express 4.
 *
 * @throws MisuseError `express_unsupported`.
 */
export function checkVersion(target: object): void {
  if ('lazyrouter' in target || 'process_params' in target) throw unsupportedError()
}

function unsupportedError(): MisuseError {
  return new MisuseError(
    'express_unsupported',
    'This app or Router was made by an unsupported version: install `express` 5.1 or later and `router` 2.2 or later.',
  )
}
