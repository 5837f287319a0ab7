import type { Request } from 'express'

/**
 * Returns true if the path is a part of the request target as it is. Otherwise (a fragment, characters that Node's
 * legacy parser escapes) Express's nested routers cut the target in another place than the path, and a forecast would
 * be wrong.
 */
export function isVerbatim(req: Request): boolean {
  const path = pathIn(req.url)
  return path === req.path || (path === '' && req.path === '/')
}

/**
 * Returns true if a mount matched the slash after it as well (`/^\/a\//`): Express then splits `/a//b` into `/a` and
 * `/b`.
 */
export function hasLostSlash(req: Request): boolean {
  if (req.baseUrl === '' || !req.originalUrl.includes('//')) return false
  const original = pathIn(req.originalUrl)
  const full = fullPath(req)
  return original !== full && singleSlashed(original) === singleSlashed(full)
}

function singleSlashed(path: string): string {
  return path.replace(/\/{2,}/g, '/')
}

/** Returns the path of a request with the prefixes that the mounts around it have removed. */
export function fullPath(req: Request): string {
  // Express sets `/` for the root of a mount, with or without a slash in the request.
  const rootless = req.path === '/' && !withoutQuery(req.originalUrl).endsWith('/')
  return rootless && req.baseUrl !== '' ? req.baseUrl : `${req.baseUrl}${req.path}`
}

/** Returns the path of a target, without the origin of an absolute one (RFC 9112 §3.2.2). */
function pathIn(target: string): string {
  const bare = withoutQuery(target)
  return bare.startsWith('/') ? bare : bare.replace(/^[^/]*:\/\/[^/#]*/, '')
}

function withoutQuery(target: string): string {
  return target.replace(/\?.*$/s, '')
}
