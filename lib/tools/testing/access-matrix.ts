import { inspect } from 'node:util'
import type { Application } from 'express'
import { isApp, isObject, listing, METHODS, methodsOf, MisuseError, samplePathOf, show, type ExpressRoute,
  type SignedIn } from '../../core/index.js'
import { runGuards, type Access } from './guard-run.js'
import { wayTo } from './guard-steps.js'
import { isAuth, type InjectedCaller } from './inject.js'

export type { Access } from './guard-run.js'

/** The callers of a matrix by name: their claims, or `null` for a caller without credentials. */
export type AccessCallers = Readonly<Record<string, InjectedCaller | null>>

/** The access to one route. */
export interface AccessRow {
  /** `*` for an undeclared handler of all methods. */
  readonly method: string
  readonly path: string
  /** `null` for an undeclared handler. */
  readonly name: string | null
  /** The access of each caller; `unknown` for a path that is a regular expression. */
  readonly access: Readonly<Record<string, Access | 'unknown'>>
}

/** The access of callers to routes. As a string it is an aligned table, for a snapshot. */
export interface AccessMatrix {
  /** Every route, in Express's order. */
  readonly rows: readonly AccessRow[]
  /** A sentence for each route that no caller can be judged for, or whose guards fail; none if all is well. */
  readonly findings: readonly string[]
  readonly toString: () => string
}

/**
 * Runs the guards of every route for every caller, and nothing else: no handler, no body, no `load`, no store.
 *
 * `'public'` is a route for which no guard asks who calls, `'pass'` one that admits the caller, a number the status of
 * the refusal. A caller without an `app` is signed in to every application. A guard that a function of the
 * application's calls is not found.
 *
 * @throws MisuseError (as a rejection) `access_app` for something that is no Express app, `access_callers` for a caller
 * without an id or of an application that no route has.
 * @example
 * expect(String(await accessMatrix(app, { admin: { id: 1, role: 'admin' }, anonymous: null }))).toMatchSnapshot()
 */
export async function accessMatrix(app: Application, callers: AccessCallers): Promise<AccessMatrix> {
  if (!isApp(app)) {
    throw new MisuseError('access_app', 'accessMatrix() was given no Express app. Give it the outermost app.')
  }
  return matrixFor('accessMatrix()', app, callers)
}

export async function matrixFor(by: string, app: Application, callers: AccessCallers): Promise<AccessMatrix> {
  const signedIn = new Map(
    Object.entries(checkCallers(callers)).map(([name, caller]) => [name, signInOf(by, name, caller)]),
  )
  const rows: AccessRow[] = []
  for (const route of routesIn(app)) rows.push(await rowOf(app, route, signedIn))
  for (const [name, caller] of signedIn) checkMet(by, name, caller)
  return new Table(rows, [...signedIn.keys()])
}

function checkCallers(callers: unknown): Readonly<Record<string, unknown>> {
  if (isObject(callers) && Object.keys(callers).length > 0) return callers
  throw new MisuseError(
    'access_callers',
    "accessMatrix() needs callers by name: { admin: { id: 1, role: 'admin' }, anonymous: null }.",
  )
}

function signInOf(by: string, name: string, caller: unknown): SignedIn | undefined {
  if (caller === null) return undefined
  const given: Readonly<Record<string, unknown>> = isObject(caller) ? caller : {}
  const { app, ...auth } = given
  if (isAuth(auth) && (app === undefined || typeof app === 'string')) {
    return { app, auth, met: new Set(), everywhere: true }
  }
  throw new MisuseError(
    'access_callers',
    `The caller \`${name}\` of ${by} is ${show(caller)}. Give it an id that is a string or a number: `
      + "{ id: 1, role: 'admin' }, or null for a caller without credentials.",
  )
}

/** @throws MisuseError `access_callers` for a misspelt application, whose caller would be refused everywhere. */
function checkMet(by: string, name: string, caller: SignedIn | undefined): void {
  if (caller?.app === undefined || caller.met.has(caller.app)) return
  const apps = [...caller.met].map((app) => `\`${app}\``).join(', ')
  throw new MisuseError(
    'access_callers',
    `The caller \`${name}\` of ${by} belongs to the application \`${caller.app}\`, whose auth() guards no `
      + `route; ${apps === '' ? 'no route has an auth()' : `those of ${apps} do`}.`,
  )
}

interface ListedRoute extends Pick<AccessRow, 'method' | 'path' | 'name'> {
  readonly route: ExpressRoute
}

function routesIn(app: Application): ListedRoute[] {
  return listing(app).flatMap(({ path, route, entries }) => {
    const declared = entries.map(({ method, name }): ListedRoute => ({ method, path, name, route }))
    return declared.length > 0 ? declared : methodsIn(route).map((method) => ({ method, path, name: null, route }))
  })
}

/** Returns the methods of an undeclared handler, `*` for all of them. */
export function methodsIn(route: ExpressRoute): string[] {
  const methods = methodsOf(route)
  if (METHODS.every((method) => methods.includes(method))) return ['*']
  return methods.filter((method) => method !== 'HEAD' || !route.methods.get)
}

/** A caller who is anonymous even if `verify` cannot tell. */
const nobody = (): SignedIn => ({ app: undefined, auth: null, met: new Set(), everywhere: true })

async function rowOf(
  app: Application,
  { route, ...shown }: ListedRoute,
  callers: ReadonlyMap<string, SignedIn | undefined>,
): Promise<AccessRow> {
  const method = shown.method === '*' ? 'GET' : shown.method
  const path = samplePathOf(shown.path)
  const way = wayTo(app, route, method, path)
  const access: Record<string, Access | 'unknown'> = {}
  for (const [name, caller] of callers) {
    access[name] = 'unknown'
    if (way === undefined) continue
    // An `auth` behind one that refuses the caller does not run.
    for (const each of way.apps) caller?.met.add(each)
    const decision = await runGuards({ app, method, path, way }, caller)
    // `verify` may need middleware that does not run here, such as a parser of cookies: there are no credentials.
    const isUnavailable = caller === undefined && decision === 503
    access[name] = isUnavailable ? await runGuards({ app, method, path, way }, nobody()) : decision
  }
  return { ...shown, access }
}

class Table implements AccessMatrix {
  readonly rows: readonly AccessRow[]
  readonly findings: readonly string[]
  readonly #callers: readonly string[]

  constructor(rows: readonly AccessRow[], callers: readonly string[]) {
    this.rows = rows
    this.#callers = callers
    this.findings = rows.flatMap(findingsIn)
  }

  toString(): string {
    const head = ['METHOD', 'PATH', 'NAME', ...this.#callers]
    const lines = this.rows.map(({ method, path, name, access }) => [
      method,
      path,
      name ?? '(undeclared)',
      ...this.#callers.map((caller) => String(access[caller])),
    ])
    return aligned([head, ...lines])
  }

  [inspect.custom](): string {
    return this.toString()
  }
}

/** Formats the lines of a table, the first of which has its columns. */
export function aligned(table: readonly (readonly string[])[]): string {
  const widths = (table[0] ?? []).map((_, column) => Math.max(...table.map((line) => line[column]?.length ?? 0)))
  return table
    .map((line) => line.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ').trimEnd())
    .join('\n')
}

/** Returns the faults of a route that do not depend on the caller. */
function findingsIn({ method, path, access }: AccessRow): string[] {
  return Object.entries(access).flatMap(([caller, result]) => {
    const where = `${method} ${path} for \`${caller}\``
    if (result === 'unknown') return [`${where}: the path is a regular expression, or no request reaches it.`]
    if (typeof result === 'string' || result === 401 || result === 403) return []
    return [`${where}: the guards answer ${result} instead of 401 or 403.`]
  })
}
