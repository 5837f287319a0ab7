import type { Application, Request } from 'express'
import { MisuseError } from '../errors.js'
import { permissionIn } from '../mediation.js'
import { isApp, rootOf, stackOf } from '../express/stack.js'
import { guardFinder, type Guard } from '../routing/guards.js'
import { listed, registrations, type Listed, type MountedRoute } from '../routing/registry.js'

/** A route whose full path is known. */
type ListedRoute = Listed & { readonly path: string }

/**
 * Lists every route below an app or a router, each with the permissions that it is asked for.
 *
 * @throws MisuseError `name_taken` where two resources share a permission id, `route_invalid` where two path arguments
 * share a name, `router_mount_path` below a mount whose path `router` does not keep.
 */
export function listing(appOrRouter: object): ListedRoute[] {
  return checkListing(appOrRouter).map((one) => {
    if (one.path !== undefined) return { ...one, path: one.path }
    throw new MisuseError(
      'router_mount_path',
      'The routes of nested Routers cannot be listed with `router` before 2.3, which does not keep the path of a mount: '
      + 'install router 2.3 or later.',
    )
  })
}

/**
 * Checks what only the whole tree can tell about permissions and path arguments.
 *
 * @throws MisuseError `name_taken`, `route_invalid`.
 */
export function checkListing(appOrRouter: object): Listed[] {
  const all = resolved(appOrRouter)
  const [fault] = faultsIn(all).values()
  if (fault !== undefined) throw fault
  return all
}

/** Returns a route without an `app` as the guards in front of it make it; one with an `app` answers to that alone. */
export function behind(guards: readonly Guard[], route: MountedRoute): MountedRoute {
  if (route.app !== undefined || route.auth === false || guards.length === 0) return route
  const guardedBy = [...new Set(guards.map(({ app }) => app))]
  const asking = guardedBy.filter((app) => guards.some((guard) => guard.app === app && guard.kind === 'permission'))
  const permissions = route.can ? asking.map((app) => permissionIn(app, route)) : []
  const copy = Object.freeze({ ...route, guardedBy, permissions, permission: permissions[0] })
  declared.set(copy, route)
  return copy
}

/** Which routes came from one declaration: they share their permission ids. */
const origins = new WeakMap<MountedRoute, object>()

export function declareTogether(routes: readonly MountedRoute[]): void {
  for (const route of routes) origins.set(route, routes)
}

/** Returns what the routes of one declaration have in common. */
export function originOf(route: MountedRoute): object {
  return origins.get(route) ?? route
}

/** The routes as they were declared, by what `behind` made of them. */
const declared = new WeakMap<MountedRoute, MountedRoute>()

function resolved(appOrRouter: object): Listed[] {
  const guardsInFrontOf = guardFinder(stackOf(appOrRouter))
  return listed(appOrRouter).map((one) => ({
    ...one,
    entries: one.entries.map((entry) => {
      if (entry.app !== undefined || entry.auth === false) return entry
      const inFront = one.path === undefined ? [] : guardsInFrontOf(one.route, entry.method, one.path)
      return behind([...inFront, ...entry.ownGuards], entry)
    }),
  }))
}

/** Finds what only the whole tree can tell, by the route as it was declared. */
function faultsIn(all: readonly Listed[]): Map<MountedRoute, MisuseError> {
  const faults = new Map<MountedRoute, MisuseError>()
  const holders = new Map<string, Holder[]>()
  for (const { path, args, entries } of all) {
    const twice = args.find((name, index) => args.indexOf(name) < index)
    for (const entry of entries) {
      const route = declared.get(entry) ?? entry
      if (twice !== undefined) faults.set(route, argumentTwice(entry, path, twice))
      for (const id of entry.permissions) holders.set(id, [...holders.get(id) ?? [], { route, path }])
    }
  }
  for (const [id, sharing] of holders) {
    if (!isShared(sharing)) continue
    for (const { route } of sharing) faults.set(route, idTaken(id, sharing))
  }
  return faults
}

/** A route that is asked for a permission id, under its full path. */
interface Holder {
  readonly route: MountedRoute
  readonly path: string | undefined
}

/** Resources with an `app` may share an id until the whole app is served: a part of it may be looked at before. */
function isShared(sharing: readonly Holder[]): boolean {
  const declarations = new Set(sharing.map(({ route }) => originOf(route)))
  return declarations.size > 1 && sharing.some(({ route }) => route.app === undefined)
}

function idTaken(id: string, sharing: readonly Holder[]): MisuseError {
  const places = new Set(sharing.map(({ route: { resource, method, path: own }, path = own }) =>
    `the resource \`${resource}\` at ${method} ${path}`))
  const sentence = `The permission \`${id}\` belongs to ${[...places].join(' and to ')}: give one of them another name.`
  return new MisuseError('name_taken', sentence)
}

function argumentTwice({ action, resource, path: own }: MountedRoute, path = own, name: string): MisuseError {
  const where = `\`${action}\` of the resource \`${resource}\``
  return new MisuseError('route_invalid', argumentTwiceIn(where, path, name))
}

/** Says that two arguments of a path share a name, so that one hides the other. */
export function argumentTwiceIn(where: string, path: string, name: string): string {
  return `${where} has the path argument \`${name}\` twice in \`${path}\`, so that one hides the other: `
    + 'give one of them another name.'
}

/**
 * Returns what tells, of a request that has reached a route, what is wrong with the route in its app; it is judged again
 * once more routes are mounted.
 */
export function faultFinder(route: MountedRoute): (req: Request) => MisuseError | undefined {
  let judgedApp: unknown
  let judgedAt = -1
  let fault: MisuseError | undefined
  return ({ app }) => {
    if (judgedAt !== registrations() || judgedApp !== app) {
      fault = isApp(app) ? faultsBelow(rootOf(app)).get(route) : undefined
      judgedApp = app
      judgedAt = registrations()
    }
    return fault
  }
}

interface Judged {
  readonly at: number
  readonly faults: ReadonlyMap<MountedRoute, MisuseError>
}

const judged = new WeakMap<Application, Judged>()

function faultsBelow(root: Application): Judged['faults'] {
  const known = judged.get(root)
  if (known?.at === registrations()) return known.faults
  const faults = judge(root)
  judged.set(root, { at: registrations(), faults })
  return faults
}

/** What cannot be listed is not judged: a chain elsewhere that is still wrong is a fault of its own requests. */
function judge(root: Application): Judged['faults'] {
  try {
    return faultsIn(resolved(root))
  } catch {
    return new Map()
  }
}
