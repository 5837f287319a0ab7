import { pathNamesOf } from '../../../core/index.js'
import type { Resolve } from '../../openapi/fields.js'
import type { Parameter } from '../../openapi/types.js'
import { EVIL_HOST, NO_IDS } from './hostile.js'
import { encode } from './send.js'
import { typesIn } from './string-schemas.js'
import type { CheckCase, CheckRequest, Target } from './model.js'

/** The parts of the requests to one target. */
export interface CaseSource {
  readonly target: Target
  readonly resolve: Resolve
  /** Makes a valid request; its fields are those of no other request. */
  readonly make: (fields?: Readonly<Record<string, unknown>>) => CheckRequest
  readonly random: () => readonly unknown[]
}

export function queryOf({ operation }: Target): readonly Parameter[] {
  return (operation?.parameters ?? []).filter((one) => one.in === 'query')
}

export function wire(value: unknown): string {
  return typeof value === 'string' ? value : Array.isArray(value) ? value.map(wire).join(',') : JSON.stringify(value)
}

/** Returns a request with these parameters in place of its own of the same names. */
export function withPairs(request: CheckRequest, pairs: CheckRequest['query']): CheckRequest {
  const names = new Set(pairs.map(([name]) => name))
  return { ...request, query: [...request.query.filter(([name]) => !names.has(name)), ...pairs] }
}

export function withQuery(request: CheckRequest, name: string, ...values: readonly string[]): CheckRequest {
  return withPairs(request, values.map((value) => [name, value] as const))
}

export function* brokenPaths({ target, make }: CaseSource): Generator<CheckCase> {
  for (const name of pathNamesOf(target.path)) {
    for (const value of NO_IDS) {
      const request = make()
      yield { request: { ...request, path: withArgument(target, request.path, name, encode(value)) },
        about: `the path argument \`${name}\``, isPlain: /^\w+$/.test(value) }
    }
    yield { request: { ...make(), path: withArgument(target, make().path, name, '%ff') }, about: 'a malformed path' }
  }
}

/** Replaces an argument in a path that was made of the same pattern. */
export function withArgument({ path: pattern }: Target, path: string, name: string, value: string): string {
  const names = pattern.split('/')
  return path.split('/').map((segment, index) => (names[index]?.slice(1) === name ? value : segment)).join('/')
}

export function* brokenQueries({ target, make, resolve }: CaseSource): Generator<CheckCase> {
  for (const { name, schema } of queryOf(target)) {
    const about = `the parameter \`${name}\``
    const types = typesIn(schema, resolve)
    for (const value of ['2026-13', '2026-02-30', '', '-1', '0', '1.5', '1e3', '1e9', '999999999999999999999', 'NaN',
      'null', 'zz~', '1,2,3', ',', ' 1', '\u0000'])
    {
      yield { request: withQuery(make(), name, value), about,
        isInvalid: value === 'zz~' && isNumeric(types) && !PAGING.has(name) }
    }
    yield { request: withQuery(make(), name, '1', '2'), about }
    yield { request: withQuery(make(), `${name}[]`, '1'), about }
    yield { request: withQuery(make(), `${name}[x]`, '1'), about }
    yield { request: withQuery(make(), `${name}[$ne]`, 'x'), about }
    yield { request: withQuery(make(), name, ...Array.from({ length: 120 }, (_, index) => String(index))), about }
  }
  yield { request: withQuery(make(), 'zz~', '1'), about: 'an unknown parameter' }
  yield { request: withQuery(make(), '__proto__[x]', '1'), about: 'an unknown parameter' }
  for (const name of undeclaredOf(target, Object.keys(USUAL))) {
    for (const value of USUAL[name] ?? []) {
      yield { request: withQuery(make(), name, value), about: `the parameter \`${name}\`` }
    }
  }
}

/** Names that handlers of Express tend to read from a query as if each came once. */
const OFTEN = ['q', 'search', 'query', 'name', 'title', 'type', 'status', 'category', 'tag', 'tags', 'from', 'to',
  'date', 'user', 'userId', 'id', 'ids', 'page', 'limit', 'sort', 'order', 'filter', 'fields', 'include', 'lang',
  'format', 'code', 'email']

/** Names of places to which handlers send a browser. */
const PLACES = ['to', 'url', 'next', 'redirect', 'redirect_uri', 'redirectTo', 'return', 'returnTo', 'return_to',
  'continue', 'dest', 'destination', 'target', 'goto', 'back', 'callback']

/** Switches of developers. */
const SWITCHES = ['debug', 'verbose', 'trace', 'test', 'dev', 'stack', 'explain']

/** Sends parameters that a handler may read without declaring them: all switches, all twice, all as objects. */
export function* undeclaredQueries({ target, make }: CaseSource): Generator<CheckCase> {
  if (target.method !== 'GET') return
  const request = make()
  for (const value of ['1', 'true']) yield withUndeclared(request, SWITCHES.map((name) => [name, value] as const))
  const names = undeclaredOf(target, OFTEN)
  for (const ways of [['', ''], ['[a]'], ['[]', '[]']]) {
    yield withUndeclared(request, names.flatMap((name) => ways.map((way) => [`${name}${way}`, 'x'] as const)))
  }
}

/** Sends parameters that handlers tend to take for a place on their own site. */
export function* redirects({ target, make }: CaseSource): Generator<CheckCase> {
  if (target.method !== 'GET') return
  const request = make()
  for (const place of [`https://${EVIL_HOST}/`, `//${EVIL_HOST}`, `/\\${EVIL_HOST}`]) {
    yield withUndeclared(request, undeclaredOf(target, PLACES).map((name) => [name, place] as const))
  }
}

function undeclaredOf(target: Target, names: readonly string[]): string[] {
  return names.filter((name) => !queryOf(target).some((one) => one.name === name))
}

function withUndeclared(request: CheckRequest, pairs: CheckRequest['query']): CheckCase {
  return { request: { ...request, query: [...request.query, ...pairs] }, about: 'undeclared parameters' }
}

/** Parameters that handlers read without declaring them. */
const USUAL: Readonly<Record<string, readonly string[]>> = {
  page: ['0', '-1', 'x', '1e9'],
  limit: ['0', '-1', 'x', '1e9'],
  sort: ['zz~', '-', '', '__proto__'],
  search: ["'", '(', '%', '\\', '[', '*'],
  q: ["'", '(', '\\', '[', '*'],
  ids: ['', 'x', '1,x'],
  cursor: ['x', 'e30', 'bnVsbA', ''],
  filter: ['{', "'"],
}

/** Parameters that the document of every list has, whether or not its handler reads them. */
const PAGING = new Set(['page', 'limit', 'search', 'cursor', 'ids'])

function isNumeric(types: readonly string[]): boolean {
  return types.length > 0 && types.every((type) => type === 'integer' || type === 'number')
}
