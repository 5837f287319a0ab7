import { MisuseError } from '../base/errors.js'

/** A path argument or wildcard of path-to-regexp: `:id`, `*rest`, `:"any name"`; a backslash makes it plain text. */
const ARGUMENT = /(?<!\\)[:*](?:"((?:[^"\\]|\\.)*)"|([\p{ID_Start}$_][\p{ID_Continue}$\u200C\u200D]*))/gu

/** Returns the names of a path's arguments, in order. */
export function pathNamesOf(path: string): string[] {
  return [...path.matchAll(ARGUMENT)].map(([, quoted, plain]) => quoted ?? String(plain))
}

/** An optional group without another one inside. */
const GROUP = /(?<!\\)\{((?:[^{}\\]|\\.)*)\}/g

/** Returns the same path without optional groups: one with an argument is included, any other one is left out. */
export function withoutGroups(path: string): string {
  const plain = path.replace(GROUP, (_, inside: string) => (pathNamesOf(inside).length > 0 ? inside : ''))
  return plain === path ? plain : withoutGroups(plain) || '/'
}

/** Returns a path as OpenAPI writes it, with its arguments in braces. */
export function toTemplate(path: string): string {
  return withoutGroups(path)
    .replace(ARGUMENT, (_, quoted?: string, plain?: string) => `{${quoted ?? String(plain)}}`)
    .replace(/\\(.)/g, '$1')
}

/**
 * Returns a path that matches the pattern: each argument becomes `sample`, by default a segment that no route has, and
 * optional groups are included.
 */
export function samplePathOf(path: string, sample = '~sample~'): string {
  return path.replace(ARGUMENT, sample).replace(/(?<!\\)[{}]/g, '').replace(/\\(.)/g, '$1')
}

/**
 * Returns a route as it is mounted: with a leading slash, without a trailing one, `''` for the root.
 *
 * @throws MisuseError `route_invalid` for a route that Express 5 or an OpenAPI document does not support.
 */
export function checkRoute(route: unknown): string {
  if (typeof route !== 'string') throw routeInvalid(String(route), 'must be a string')
  if (route === '' || route === '/') return ''
  const fault = FAULTS.find(([has]) => has(route))
  if (fault !== undefined) throw routeInvalid(route, fault[1](route))
  return route.replace(/\/+$/, '')
}

type Fault = readonly [has: (route: string) => boolean, why: (route: string) => string]

const FAULTS: readonly Fault[] = [
  [(route) => !route.startsWith('/'), () => 'must begin with a slash'],
  [
    (route) => /\{[\w$]+\}/.test(route),
    (route) => `must be written \`${route.replace(/\{([\w$]+)\}/g, ':$1')}\`: a path argument begins with a colon`,
  ],
  [
    (route) => /[{}?()[\]+!\s]/.test(route),
    () => 'has an optional part or a pattern: declare one route for each path, and put the pattern into `input`',
  ],
  [
    (route) => /[^\x21-\x7E]|[\\#]/.test(route),
    () => 'has a character that a request path cannot contain: write it percent-encoded',
  ],
  [(route) => /[:*](?![A-Za-z_$])/.test(route), () => 'has a path argument without a name'],
  [(route) => /[:*][\w$]+[:*]/.test(route), () => 'has two path arguments without text between them'],
  [(route) => new Set(pathNamesOf(route)).size < pathNamesOf(route).length, () => 'names a path argument twice'],
  [(route) => pathNamesOf(route).includes('__proto__'), () => 'names a path argument `__proto__`'],
]

function routeInvalid(route: string, why: string): MisuseError {
  return new MisuseError('route_invalid', `The route \`${route}\` ${why}.`)
}

/**
 * Compares paths so that a static segment is tried before a path argument, and that before a wildcard; a path precedes
 * the paths below it.
 */
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

/**
 * Returns the same string for paths that no request can tell apart: Express ignores letter case, and names of arguments
 * are not sent.
 */
export function shapeOf(path: string): string {
  return withoutGroups(path).replace(ARGUMENT, (argument) => argument.charAt(0)).toLowerCase()
}

/**
 * Returns the static segments of a route as a name: `/reports/:year/daily` is `reports.daily`; `undefined` without any.
 *
 * @throws MisuseError `route_invalid` for anything but a string.
 */
export function nameFromRoute(route: unknown): string | undefined {
  if (typeof route !== 'string') throw routeInvalid(String(route), 'must be a string')
  const segments = route.split('/').filter((segment) => segment !== '' && !/[:*]/.test(segment))
  return segments.length === 0 ? undefined : segments.join('.')
}
