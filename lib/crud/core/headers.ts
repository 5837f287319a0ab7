import type { Request, Response } from 'express'
import { pageMeta, type AnyPage } from '../../core/index.js'
import { wireName } from './list-parameters.js'
import type { AnyOptions } from './any-resource.js'

type Names = NonNullable<AnyOptions['paramNames']>

/** The headers of a page, for documents. */
export const PAGE_HEADERS = {
  'X-Total-Count': { description: 'The number of rows of all numbered pages' },
  Link: { description: 'The first, previous, next and last page (RFC 8288)' },
}

/** Sets `X-Total-Count` and `Link` (RFC 8288 §3), and exposes them to scripts of other origins. */
export function setPageHeaders(req: Request, res: Response, page: AnyPage, paramNames: Names): void {
  const meta = pageMeta(page)
  const links = Object.entries(linksOf(page)).map(([rel, changes]) =>
    `<${urlOf(req, changes, paramNames)}>; rel="${rel}"`
  )
  if (meta.total !== undefined) res.setHeader('X-Total-Count', JSON.stringify(meta.total))
  if (links.length > 0) res.setHeader('Link', [res.getHeader('Link') ?? [], links].flat().join(', '))
  exposeHeaders(res, ['Link', 'X-Total-Count'])
}

function linksOf(found: AnyPage): Record<string, Readonly<Record<string, string>>> {
  if ('next' in found) return { first: { cursor: '' }, ...(found.next !== null && { next: { cursor: found.next } }) }
  const { page, limit } = found
  const last = 'total' in found ? Math.max(1, Math.ceil(found.total / limit)) : undefined
  return {
    first: { page: '1' },
    ...(page > 1 && { prev: { page: String(last === undefined ? page - 1 : Math.min(page - 1, last)) } }),
    ...(last !== undefined && page < last && { next: { page: String(page + 1) } }),
    ...(last !== undefined && { last: { page: String(last) } }),
  }
}

/** Returns a URL relative to the request (RFC 8288 §3.1), so that the `Host` of a caller has no part in it. */
function urlOf({ originalUrl }: Request, changes: Readonly<Record<string, string>>, paramNames: Names): string {
  const start = originalUrl.indexOf('?')
  const query = new URLSearchParams(start === -1 ? '' : originalUrl.slice(start))
  for (const [name, value] of Object.entries(changes)) query.set(wireName(name, paramNames), value)
  return `?${query.toString()}`
}

/** Adds headers to those that a browser exposes to scripts of another origin. */
export function exposeHeaders(res: Response, headers: readonly string[]): void {
  const exposed = [res.getHeader('Access-Control-Expose-Headers') ?? []].flat().join(', ').split(/, */)
  res.setHeader(
    'Access-Control-Expose-Headers',
    [...new Set([...exposed, ...headers])].filter((name) => name !== '').join(', '),
  )
}
