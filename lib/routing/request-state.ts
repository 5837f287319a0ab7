import type { Request } from 'express'
import type { Auth } from '../types.js'
import type { MountedRoute } from './registry.js'

/** Says whether a permission is granted; anything but `true` is a refusal. */
export type Judge = (auth: Auth, permission: string, req: Request) => boolean | Promise<boolean>

/** What the pair of one application left on a request: who it is, and who judges. */
export interface Pass {
  readonly auth: Auth | undefined
  /** Names the strategy of `auth` that recognised the caller. */
  readonly strategy?: string | undefined
  judge?: Judge
  /** Permissions granted earlier in this request, so that nobody is asked twice. */
  readonly granted: Set<string>
}

interface RequestState {
  route: MountedRoute | undefined
  passes: ReadonlyMap<string, Pass>
  /** The applications whose guards have let the request pass unchecked, or have refused it. */
  unchecked: readonly string[]
}

const NO_PASSES: ReadonlyMap<string, Pass> = new Map()
const NOBODY: readonly string[] = Object.freeze([])

const key = Symbol('resourcery')

interface Marked {
  [key]: RequestState | undefined
}

/**
 * Records that a guard of `app` has not admitted this request: it foresaw a public route, or it refused. A route that needs the guard
 * refuses the request too, whether the path was rewritten since or an error handler has let the request go on.
 */
export function leaveUnchecked(req: Request, app: string): void {
  const state = stateOf(req)
  if (!state.unchecked.includes(app)) state.unchecked = [...state.unchecked, app]
}

/** Takes back what an `auth` of the same application in front has found out. */
export function revokePass(req: Request, app: string): void {
  leaveUnchecked(req, app)
  const state = stateOf(req)
  if (state.passes.has(app)) state.passes = new Map([...state.passes].filter(([name]) => name !== app))
}

/** What our middleware knows about this request; a symbol of ours, so nothing a caller sends can reach it. */
export function stateOf(req: Request): RequestState {
  return ((req as unknown as Marked)[key] ??= { route: undefined, passes: NO_PASSES, unchecked: NOBODY })
}
