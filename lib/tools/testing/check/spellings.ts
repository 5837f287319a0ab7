import { EVIL_HOST } from './hostile.js'
import type { CaseSource } from './url-cases.js'
import { isStream, type CheckCase } from './model.js'

export function* spell({ target, make }: CaseSource): Generator<CheckCase> {
  for (const [about, change] of SPELLINGS) {
    const request = make()
    const path = change(request.path)
    if (path !== request.path) yield { request: { ...request, path }, about }
  }
  for (const [name, value] of HEADERS) {
    const request = make()
    yield { request: { ...request, headers: { ...request.headers, [name]: value } }, about: `the header \`${name}\`` }
  }
  // Node.js sends no headers for the HEAD of a stream before its end.
  if (target.method === 'GET' && !isStream(target)) yield { request: { ...make(), method: 'HEAD' }, about: 'HEAD' }
}

/** Spellings of a path that routers tend to take for the same one. */
export const SPELLINGS: readonly (readonly [about: string, change: (path: string) => string])[] = [
  ['the path in capitals', (path) => path.toUpperCase()],
  ['a slash at the end', (path) => `${path}/`],
  ['two slashes at the end', (path) => `${path}//`],
  ['a doubled slash', (path) => path.replace(/\/([^/]+)$/, '//$1')],
  ['a doubled slash at the beginning', (path) => `/${path}`],
  ['an encoded letter',
    (path) => path.replace(/\/([A-Za-z])/, (_, letter: string) => `/%${letter.charCodeAt(0).toString(16)}`)],
  ['an encoded character at the end',
    (path) => path.replace(/[\w-]$/, (last) => `%${last.charCodeAt(0).toString(16)}`)],
  ['an encoded slash', (path) => path.replace(/(?<=.)\//, '%2F')],
  ['a dot segment', (path) => path.replace(/\/([^/]+)$/, '/./$1')],
  ['two dots', (path) => path.replace(/\/([^/]+)$/, '/x/../$1')],
  ['a matrix parameter', (path) => `${path};a=1`],
  ['an ending', (path) => `${path}.json`],
  ['a space at the end', (path) => `${path}%20`],
  ['a NUL at the end', (path) => `${path}%00`],
]

const HEADERS: readonly (readonly [name: string, value: string])[] = [
  ['origin', `https://${EVIL_HOST}`],
  ['if-none-match', '*'],
  ['if-match', '"x"'],
  ['if-match', 'x'],
  ['if-modified-since', 'x'],
  ['range', 'bytes=9-1'],
  ['accept', 'text/html'],
  ['accept', ';;'],
  ['accept-language', '*;q=x, de-de;q=9'],
  ['accept-encoding', 'br;q=1.0, gzip;q=0.1, *;q=0'],
  ['cookie', 'a=%; b'],
  ['content-encoding', 'x-none'],
  ['x-forwarded-for', "'"],
  ['x-forwarded-host', 'a b'],
  ['x-forwarded-proto', 'x'],
  ['x-http-method-override', 'DELETE'],
  ['x-requested-with', 'x'],
  ['x-request-id', 'x'.repeat(500)],
  ['user-agent', 'x'.repeat(4_000)],
  ['referer', 'http://['],
  ['origin', 'null'],
  ['idempotency-key', 'x'.repeat(1_000)],
]
