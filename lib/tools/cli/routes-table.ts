import type { IRouter } from 'express'
import { listing, obstacleFinder, type AuthMarker, type MountedRoute, type PermissionGroup } from '../../core/index.js'
import { aligned, methodsIn } from '../testing/access-matrix.js'

/** One line of the table: a declared route, or an undeclared handler. */
interface RouteRow {
  readonly method: string
  readonly path: string
  /** `null` for an undeclared handler. */
  readonly name: string | null
  readonly permission: string | null
  readonly auth: AuthMarker | null
  /** With `--fast`: `true`, or the reason why only Express serves it. */
  readonly fast?: true | string
}

/** Returns every route in the order in which Express tries them; with `fast`, whether the fast path serves it. */
export function routeRows(routes: IRouter, fast = false): RouteRow[] {
  const obstacleOf = fast ? obstacleFinder(routes) : undefined
  return listing(routes).flatMap(({ path, route, entries }) => {
    const rows = entries.length > 0
      ? entries.map((entry) => toRow(path, entry))
      : methodsIn(route).map((method): RouteRow => ({ method, path, name: null, permission: null, auth: null }))
    return obstacleOf === undefined ? rows : rows.map((row) => ({ ...row, fast: obstacleOf(route) ?? true }))
  })
}

function toRow(path: string, { method, name, permissions, auth, app, guardedBy }: MountedRoute): RouteRow {
  const isGuarded = app !== undefined || guardedBy.length > 0
  return { method, path, name, permission: permissions.join(', ') || null, auth: isGuarded ? auth : null }
}

/** Formats the rows as a table; an undeclared handler has the name `(undeclared)`. */
export function routesTable(rows: readonly RouteRow[]): string {
  const lines = rows.map(({ method, path, name, permission, auth, fast }) => [
    method,
    path,
    name ?? '(undeclared)',
    permission ?? '-',
    wordOf(auth),
    ...(fast === undefined ? [] : [fast === true ? 'yes' : `no: ${fast}`]),
  ])
  const hasFast = rows.some(({ fast }) => fast !== undefined)
  return aligned([['METHOD', 'PATH', 'NAME', 'PERMISSION', 'AUTH', ...(hasFast ? ['FAST'] : [])], ...lines])
}

function wordOf(auth: AuthMarker | null): string {
  if (auth === null) return '-'
  if (auth === 'optional') return 'optional'
  return auth ? 'required' : 'public'
}

/** Formats each resource with the permissions of its actions below it. */
export function permissionsTree(groups: readonly PermissionGroup[]): string {
  if (groups.length === 0) return 'No route requires a permission.'
  return groups
    .map(({ label, name, children }) =>
      [`${label} (${name})`, ...children.map((leaf) => `  ${leaf.name}  ${leaf.label}`)].join('\n')
    )
    .join('\n')
}
