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
  /** The applications whose `auth` or `permission` foresaw a public route and let the request pass unchecked. */
  skipped: readonly string[]
}

const NO_PASSES: ReadonlyMap<string, Pass> = new Map()
const NONE_SKIPPED: readonly string[] = Object.freeze([])

const key = Symbol('resourcery')

interface Marked {
  [key]: RequestState | undefined
}

/** Records that a guard of `app` let this request pass unchecked: a route that is not public after all refuses it. */
export function skip(req: Request, app: string): void {
  const state = stateOf(req)
  if (!state.skipped.includes(app)) state.skipped = [...state.skipped, app]
}

/** What our middleware knows about this request; a symbol of ours, so nothing a caller sends can reach it. */
export function stateOf(req: Request): RequestState {
  return ((req as unknown as Marked)[key] ??= { route: undefined, passes: NO_PASSES, skipped: NONE_SKIPPED })
}
