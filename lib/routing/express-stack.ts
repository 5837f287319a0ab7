import { tracingChannel } from 'node:diagnostics_channel'
import type { Application, IRouter } from 'express'
import { filled } from './reserved.js'

/*
 * What we read of Express's own routers: public in behaviour (`listRoutes`, `req.route`), undocumented in shape.
 * This file and `express-entry.ts` are the only places that know the shape.
 */

export interface ExpressRoute {
  readonly path: unknown
  readonly methods: Readonly<Record<string, boolean | undefined>>
  readonly stack: readonly { readonly handle: unknown; readonly method?: string | undefined }[]
}

export interface Layer {
  readonly name: string
  readonly handle: ((req: object, res: object, next: () => void) => unknown) & { readonly stack?: readonly Layer[] }
  readonly route: ExpressRoute | undefined
  readonly rawPath: unknown
  match: (path: string) => Match | false
  readonly handleError: (error: unknown, req: object, res: object, next: (error?: unknown) => void) => void
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

/** The same with places in it that are still kept for somebody. */
export function openStackOf(target: unknown): readonly Layer[] {
  const router = isApp(target) ? target.router : target
  return (router as Stacked).stack
}

/** What was worked out of a stack, until it is another one or layers have come or gone: another length, or another layer at its end. */
export function remembered<T>(current: () => readonly Layer[], work: () => T): () => T {
  let known: { readonly stack: readonly Layer[]; readonly length: number; readonly last: Layer | undefined; readonly value: T } | undefined
  return () => {
    const stack = current()
    const { length } = stack
    const last = stack[length - 1]
    if (known?.stack !== stack || known.length !== length || known.last !== last) known = { stack, length, last, value: work() }
    return known.value
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

/** Lets `judge` say what a layer matches, from here on, and answers Express's own judgement. */
export function matchesBy(layer: Layer, judge: (path: string, own: Layer['match']) => Match | false): Layer['match'] {
  const own = layer.match.bind(layer)
  layer.match = (path) => judge(path, own)
  return own
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

/** The first thing a mounted app does with a request is to give it its own prototype, which names the app; it gets no further. */
function revealApp(layer: Layer): Application | undefined {
  let app: unknown
  const probe = new Proxy({}, {
    setPrototypeOf(_target, prototype) {
      app = (prototype as { app?: unknown }).app
      throw new Error('The app is known.')
    },
  })
  try {
    layer.handle(probe, { setHeader: () => undefined }, () => undefined)
  } catch {
    // Nothing but the probe's own refusal to go on.
  }
  return isApp(app) ? app : undefined
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
