import type { RequestHandler } from 'express'
import type { AuthScheme } from '../base/auth-scheme.js'
import { recordOwner } from '../base/copies.js'
import { memoize } from '../base/memoize.js'
import { outsideRequests } from '../express/layers.js'
import type { HandlerLayer, Layer } from '../express/stack.js'

/** The kind and the application of a middleware made by `auth` or `permission`. */
export interface Guard {
  readonly kind: 'auth' | 'permission'
  readonly app: string
  /** The credentials that `auth` accepts. */
  readonly schemes?: readonly AuthScheme[]
  /** True where a secret of `auth` reads like a placeholder. */
  readonly isGuessable?: boolean
  /** The grants of `permission`. */
  readonly roles?: Readonly<Record<string, readonly string[]>> | undefined
  /** True where `permission` refuses undeclared handlers. */
  readonly denies?: boolean
}

const guardByMiddleware = new WeakMap<object, Guard>()
let anyGuard = false

/** Registers a middleware as a guard, so that listings recognise it wherever it is mounted. */
export function registerGuard(guard: Guard, middleware: RequestHandler): RequestHandler {
  guardByMiddleware.set(middleware, guard)
  recordOwner(middleware)
  anyGuard = true
  return middleware
}

/** Returns true once there is a guard in this process. */
export function hasGuards(): boolean {
  return anyGuard
}

/** Returns the guards among middleware; a guard that is called by a function of the application's is not found. */
export function guardsAmong(middleware: readonly unknown[]): Guard[] {
  return middleware.flatMap((fn) => (typeof fn === 'function' ? guardByMiddleware.get(fn) ?? [] : []))
}

/** Returns true for a middleware made by `auth` or `permission`. */
export function isGuard(middleware: unknown): boolean {
  return typeof middleware === 'function' && guardByMiddleware.has(middleware)
}

/** The names of this package's guards; a tracer's wrapper has the name of the function in it. */
const GUARD_NAMES: readonly string[] = ['resourceryAuth', 'resourceryPermission']

/** The guards inside wrappers, by wrapper. */
const guardInside = memoize((wrapper: Layer['handle']) => probeGuard(wrapper) ?? wrapper)

/**
 * Returns the middleware that a layer was added for; a guard of this package is found inside the wrapper of a tracer.
 */
export function middlewareIn({ name, handle }: Pick<Layer | HandlerLayer, 'name' | 'handle'>): unknown {
  if (!GUARD_NAMES.includes(name) || typeof handle !== 'function') return handle
  return guardInside(handle as Layer['handle'])
}

/** The probe that is running; a probe ends before any other code can run. */
let runningProbe: { found: unknown } | undefined

/** Calls a wrapper without a request; the guard inside reports itself by `answersProbe`. */
function probeGuard(handle: Layer['handle']): unknown {
  const probe: { found: unknown } = { found: undefined }
  runningProbe = probe
  try {
    outsideRequests.runInAsyncScope(
      () => handle({ method: 'GET', url: '/', originalUrl: '/', baseUrl: '', headers: {} }, {}, () => undefined),
    )
  } catch {
    // The wrapper took the probe for a request.
  } finally {
    runningProbe = undefined
  }
  return probe.found
}

/**
 * Reports a guard to the probe that called it. Returns true for a probe, where the guard must do nothing but call
 * `next()`.
 */
export function answersProbe(guard: unknown): boolean {
  if (runningProbe === undefined) return false
  runningProbe.found = guard
  return true
}
