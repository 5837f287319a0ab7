import type { Application } from 'express'

/*
 * What we read of Express's own routers: public in behaviour (`listRoutes`, `req.route`), undocumented in shape.
 * This file is the only place that knows the shape.
 */

export interface ExpressRoute {
  readonly path: unknown
  readonly methods: Readonly<Record<string, boolean | undefined>>
  readonly stack: readonly { readonly handle: unknown }[]
}

export interface Layer {
  readonly name: string
  readonly handle: { readonly stack?: readonly Layer[] }
  readonly route: ExpressRoute | undefined
  readonly rawPath: unknown
  match(path: string): { readonly path: string } | false
}

export interface Stacked {
  readonly stack: readonly Layer[]
}

/** A mounted app hides behind a closure of Express's, so each is remembered by the layer it was mounted with. */
const mountedApps = new WeakMap<Layer, Application>()
const followed = new WeakSet<Application>()

/** Remembers under which layers of its parents an app is mounted, now and later, so that routes can be found inside it. */
export function followApp(app: Application): void {
  if (followed.has(app)) return
  followed.add(app)
  app.on('mount', (parent: Application) => {
    const layer = stackOf(parent).at(-1)
    if (layer !== undefined) mountedApps.set(layer, app)
    followApp(parent)
  })
  const parent = parentOf(app)
  if (parent === undefined) return
  const candidates = stackOf(parent).filter((layer) => layer.name === 'mounted_app' && layer.rawPath === app.mountpath && !mountedApps.has(layer))
  // Two apps at one path that were mounted before anyone looked cannot be told apart: both stay unseen.
  if (candidates.length === 1 && candidates[0] !== undefined) mountedApps.set(candidates[0], app)
  followApp(parent)
}

export function isApp(target: unknown): target is Application {
  return typeof target === 'function' && 'handle' in target && 'set' in target && 'router' in target
}

/** The stack of a router or an app, in Express's order. */
export function stackOf(target: unknown): readonly Layer[] {
  const router = isApp(target) ? target.router : target
  return (router as Stacked).stack
}

/** The layers behind a mounted router or app, `undefined` for plain middleware. */
export function stackInside(layer: Layer): readonly Layer[] | undefined {
  const app = mountedApps.get(layer)
  if (app !== undefined) return stackOf(app)
  return Array.isArray(layer.handle.stack) ? layer.handle.stack : undefined
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

interface Visitor {
  /** Each layer that is no route and matches, before what is inside it; `path` is what is left for it. */
  middleware?(layer: Layer, path: string): void
  /** Each route whose path matches, whatever its methods; `true` ends the walk. */
  route(route: ExpressRoute): boolean
}

/**
 * Walks the layers that a path meets, in Express's order and by the layers' own `match`, through nested routers and apps.
 * Nothing of the caller's runs. Answers whether a visitor ended the walk.
 */
export function walk(stack: readonly Layer[], path: string, visitor: Visitor): boolean {
  for (const layer of stack) {
    const matched = matchOf(layer, path)
    if (matched === undefined) continue
    if (layer.route !== undefined) {
      if (visitor.route(layer.route)) return true
      continue
    }
    const rest = restOf(path, matched)
    if (rest === undefined) continue
    visitor.middleware?.(layer, rest)
    const inside = stackInside(layer)
    if (inside !== undefined && walk(inside, rest, visitor)) return true
  }
  return false
}

function matchOf(layer: Layer, path: string): string | undefined {
  try {
    const match = layer.match(path)
    return match === false ? undefined : match.path
  } catch {
    return undefined // a malformed `%`: Express refuses it when it gets here
  }
}

/** What Express leaves of the path for the inside of a mount, `undefined` where it would pass the mount by. */
function restOf(path: string, matched: string): string | undefined {
  if (!path.startsWith(matched)) return undefined
  const rest = path.slice(matched.length)
  if (matched !== '' && rest !== '' && !rest.startsWith('/')) return undefined
  return rest.startsWith('/') ? rest : `/${rest}`
}
