import { keysOf } from '../base/guards.js'
import { crc32 } from 'node:zlib'
import type { IRouter, NextFunction, Request, Response } from 'express'
import { memoize } from '../base/memoize.js'
import { partsOf } from './stack.js'

/*
 * Tracers replace functions of Express, or rewrite their source when it is loaded, often before this package is
 * imported. The name or the place of a function therefore proves nothing: only its source text shows that it is
 * Express's own.
 */

/**
 * Checksums of the source text of the functions between a server and a handler, for the versions that the fast path
 * supports. Any other checksum means an unknown version or a wrapper: requests then take the plain path.
 * `npm run test:versions` prints the checksums of the installed version.
 */
const ORIGINALS = {
  'app.handle': [0x40bc7642],
  // The function that `Router()` returns.
  'router': [0x59876eca],
  'router.handle': [0x886ad980],
  'layer.handleRequest': [0x4f38ca41],
  'layer.handleError': [0x76bb7493],
  'layer.match': [0xd0641d6f],
  'res.json': [0xc3bdd653],
  'res.send': [0xbbb065a9, 0x3749c734],
} as const satisfies Readonly<Record<string, readonly number[]>>

export type OriginalName = keyof typeof ORIGINALS

/** The names of the functions that are compared. */
export const ORIGINAL_NAMES = keysOf(ORIGINALS)

/** Returns the checksum of a function's source text. */
export function fingerprint(fn: unknown): number {
  return crc32(Function.prototype.toString.call(fn))
}

const checksumOf = memoize((fn: object) => fingerprint(fn))

/** The last function of each name that was found to be original: most requests meet the same ones. */
const lastOriginals: Partial<Record<OriginalName, unknown>> = {}

/** Returns true for a function of Express itself, in a supported version, that no tracer has wrapped or rewritten. */
export function isOriginal(name: OriginalName, fn: unknown): boolean {
  if (typeof fn !== 'function') return false
  if (fn === lastOriginals[name]) return true
  const checksums: readonly number[] = ORIGINALS[name]
  if (!checksums.includes(checksumOf(fn))) return false
  lastOriginals[name] = fn
  return true
}

/** A function by which an app or a router takes a request. */
type Handle = (this: unknown, req: Request, res: Response, done?: NextFunction) => void

/** Returns the last function of a name that was found to be original. */
export function lastOriginal(name: 'app.handle' | 'router.handle'): Handle {
  return lastOriginals[name] as Handle
}

/** Returns true for a function that `Router()` of Express returned. */
export function isOriginalRouter(handle: unknown): handle is IRouter {
  return isOriginal('router', handle)
}

/** Returns true if a router passes requests through its layers by Express's own function. */
export function hasOriginalHandle(router: IRouter): boolean {
  return isOriginal('router.handle', partsOf(router).handle)
}
