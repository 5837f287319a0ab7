import type { Application } from 'express'
import { findAtStart, findRisks, guardFinder, isApp, isGranted, listing, methodsOf, middlewareIn, MisuseError,
  obstacleLines, propertyOf, rootOf, stackOf, type Guard, type MountedRoute } from '../core/index.js'
import type { Untested } from './versions.js'

/** A fault of an app that its operator should mend. */
interface Finding {
  readonly code: string
  readonly message: string
  /** The page of the documentation. */
  readonly page: string
}

export interface Diagnosis {
  readonly findings: readonly Finding[]
  /** Notes that are no faults. */
  readonly notes: readonly string[]
}

/** A route with the guards in front of it; `entry` is `undefined` for an undeclared handler. */
interface Guarded {
  readonly path: string
  readonly method: string
  readonly entry: MountedRoute | undefined
  readonly guards: readonly Guard[]
}

type Report = (code: string, message: string) => void

/** The findings that `docs/serving.md` describes; all others are in `docs/codes.md`. */
export const OWN_CODES = ['error_handler_missing', 'error_handler_early', 'not_found_early', 'not_found_missing',
  'trust_proxy_all', 'guard_missing', 'handler_undeclared', 'grant_dead', 'secret_guessable', 'pool_unguarded',
  'version_untested'] as const

/** The facts that an app does not tell. */
interface Surroundings {
  /** The lines that made a `pg.Pool` without the listeners that survive a lost connection. */
  readonly pools?: readonly string[]
  readonly untested?: readonly Untested[]
}

/** Examines an app without a request: its guards, error handlers, settings, and the checks of its resources. */
export async function doctor(app: Application, surroundings: Surroundings = {}): Promise<Diagnosis> {
  const findings: Finding[] = []
  const report: Report = (code, message) => void findings.push({ code, message, page: pageOf(code) })
  for (const { code, message } of await findAtStart(app)) report(code, message)
  if (isApp(app)) {
    for (const { code, message } of findRisks(app)) report(code, message)
    checkEnd(app, report)
  }
  // What cannot be listed was reported above.
  const routes = attempt(() => guardedRoutes(app)) ?? []
  checkGuards(routes, report)
  checkUndeclared(routes, report)
  const guards = [...new Set(routes.flatMap((route) => route.guards))]
  checkGrants(guards, routes, report)
  checkSurroundings(surroundings, report)
  return { findings, notes: isApp(app) ? obstacleLines(app, true) : [] }
}

function pageOf(code: string): string {
  return OWN_CODES.some((own) => own === code) ? `docs/serving.md#${code}` : 'docs/codes.md#codes-of-mistakes'
}

function checkSurroundings({ pools = [], untested = [] }: Surroundings, report: Report): void {
  for (const line of pools) {
    report('pool_unguarded',
      `The pg.Pool of ${line} has no listeners for lost connections, so that one ends the process. Add `
        + "`pool.on('error', …)` and `pool.on('connect', (client) => client.on('error', () => undefined))`.")
  }
  for (const { name, version, tested: [lowest, highest] } of untested) {
    const range = lowest === highest ? lowest : `${lowest} to ${highest}`
    report('version_untested', `No test of this release has run with ${name} ${version}, only with ${range}.`)
  }
}

function attempt<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    if (error instanceof MisuseError) return undefined
    throw error
  }
}

function guardedRoutes(app: Application): Guarded[] {
  const find = guardFinder(stackOf(app))
  return listing(app).flatMap(({ path, route, entries }): Guarded[] => {
    const declared = entries.map((entry) => ({
      path,
      method: entry.method,
      entry,
      guards: [...find(route, entry.method, path), ...entry.ownGuards],
    }))
    if (declared.length > 0) return declared
    const [method = 'GET'] = methodsOf(route).filter((verb) => verb !== '*')
    return [{ path, method, entry: undefined, guards: find(route, method, path) }]
  })
}

/** Reports an app whose last layer but the error handler is not `notFound()`. */
function checkEnd(app: Application, report: Report): void {
  const handlers = stackOf(rootOf(app)).map(middlewareIn).filter((fn) => typeof fn === 'function')
  const last = handlers.findLast((handler) => handler.length !== 4)
  if (last === undefined || isRouterOrRoute(last)) {
    report('not_found_missing',
      'Nothing answers unknown paths, so they are pages of HTML. Mount `notFound()` after all routes.')
  }
}

function isRouterOrRoute(handler: object): boolean {
  return 'stack' in handler || propertyOf(handler, 'name') === 'handle'
}

/** Reports resources of an application in front of which neither `auth` nor `permission` was found. */
function checkGuards(routes: readonly Guarded[], report: Report): void {
  const missing = new Map<string, string>()
  for (const { entry, path, method, guards } of routes) {
    if (entry?.app === undefined || entry.auth === false) continue
    const needed = entry.permissions.length > 0 ? ['auth', 'permission'] as const : ['auth'] as const
    for (const kind of needed) {
      const isThere = guards.some((guard) => guard.app === entry.app && guard.kind === kind)
      const call = `${kind}('${entry.app}')`
      if (!isThere && !missing.has(call)) missing.set(call, `${method} ${path}`)
    }
  }
  for (const [call, route] of missing) {
    report('guard_missing', `No \`${call}\` was found in front of ${route} and its like. Mount it before the resource.`)
  }
}

function checkUndeclared(routes: readonly Guarded[], report: Report): void {
  for (const { entry, path, method, guards } of routes) {
    const guard = guards.find(({ kind }) => kind === 'permission')
    if (entry !== undefined || guard === undefined || guard.denies === true) continue
    report('handler_undeclared',
      `${method} ${path} is after \`permission('${guard.app}')\`, but no resource declares it: `
        + 'it has no permission id, and every signed-in caller may use it. Declare it with `mountRoutes`, or set '
        + '`undeclared`.')
  }
}

/** Reports patterns of roles that grant no permission of a route. */
function checkGrants(guards: readonly Guard[], routes: readonly Guarded[], report: Report): void {
  const ids = [...new Set(routes.flatMap(({ entry }) => entry?.permissions ?? []))]
  const grants = guards.flatMap(({ app, roles = {} }) =>
    Object.entries(roles).flatMap(([role, patterns]) => patterns.map((pattern) => ({ app, role, pattern })))
  )
  for (const { app, role, pattern } of grants) {
    if (ids.some((id) => isGranted([pattern], id))) continue
    report('grant_dead',
      `\`permission('${app}')\` grants \`${pattern}\` to the role \`${role}\`, but no route needs it.`)
  }
}
