import { MisuseError } from '../errors.js'
import { pathNamesOf } from '../routing/path-names.js'

const PARAMETER = /[:*]([A-Za-z_$][\w$]*)/g

/**
 * A route as it is mounted: with its leading slash, without one at the end, `''` for the root.
 *
 * @throws MisuseError `route_invalid` for what Express 5 or a document cannot say.
 */
export function checkedRoute(route: unknown): string {
  if (typeof route !== 'string') throw misuse(String(route), 'is not a text')
  if (route === '' || route === '/') return ''
  const fault = FAULTS.find(([has]) => has(route))
  if (fault !== undefined) throw misuse(route, fault[1](route))
  return route.replace(/\/+$/, '')
}

type Fault = readonly [has: (route: string) => boolean, why: (route: string) => string]

const FAULTS: readonly Fault[] = [
  [(route) => !route.startsWith('/'), () => 'must begin with a slash'],
  [(route) => /\{[\w$]+\}/.test(route), (route) => `is written \`${route.replace(/\{([\w$]+)\}/g, ':$1')}\` here: a parameter begins with a colon`],
  [(route) => /[{}?()[\]+!\s]/.test(route), () => 'has an optional part or a pattern: declare one route for each path, and put the pattern into `input`'],
  [(route) => /[^\x21-\x7E]|\\/.test(route), () => 'has a character that no request path holds as it is: write it percent-encoded'],
  [(route) => /[:*](?![A-Za-z_$])/.test(route), () => 'has a parameter without a name'],
  [(route) => new Set(pathNamesOf(route)).size < pathNamesOf(route).length, () => 'names a parameter twice'],
  [(route) => pathNamesOf(route).includes('__proto__'), () => 'names a parameter `__proto__`'],
]

function misuse(route: string, why: string): MisuseError {
  return new MisuseError('route_invalid', `The route \`${route}\` ${why}.`)
}

/** Sorts paths so that a static segment is tried before a parameter, and that before a wildcard; a path comes before what is below it. */
export function bySpecificity(one: string, other: string): number {
  const [left, right] = [ranksOf(one), ranksOf(other)]
  const at = left.findIndex((rank, index) => rank !== right[index])
  return at === -1 ? left.length - right.length : (left[at] ?? 0) - (right[at] ?? -1)
}

function ranksOf(path: string): number[] {
  return path.split('/').map((segment) => {
    if (segment.includes('*')) return 3
    if (segment.startsWith(':') && pathNamesOf(segment)[0]?.length === segment.length - 1) return 2
    return segment.includes(':') ? 1 : 0
  })
}

/** What two paths share when no request can tell them apart: Express ignores letter case and parameters have no name on the wire. */
export function shapeOf(path: string): string {
  return path.replace(PARAMETER, (parameter) => parameter.charAt(0)).toLowerCase()
}

/** The static segments of a route as a name: `/reports/:year/daily` is `reports.daily`; a route without any gives none. */
export function nameFromRoute(route: string): string | undefined {
  const segments = route.split('/').filter((segment) => segment !== '' && !/[:*]/.test(segment))
  return segments.length === 0 ? undefined : segments.join('.')
}
