import { ROLES, type Shape } from '../data.js'

/** The parts around the resources of one shape. */
export interface Features {
  readonly guarded: boolean
  /** Security headers and CORS. */
  readonly plugins: boolean
  readonly logs: boolean
  /** The names of the resources; the posts, which get the load, are in the middle. */
  readonly resources: readonly string[]
}

export function featuresOf(shape: Shape): Features {
  const guarded = shape !== 'public'
  return {
    guarded,
    plugins: shape.startsWith('plugins'),
    logs: shape.endsWith('logs'),
    resources: guarded ? Array.from({ length: 20 }, (_, at) => at === 10 ? 'posts' : `posts${at}`) : ['posts'],
  }
}

/** The permissions of each role: an editor may do everything with all resources. */
export const REAL_ROLES: Readonly<Record<string, readonly string[]>> = {
  ...ROLES,
  editor: featuresOf('guarded').resources.flatMap((name) =>
    ['list', 'show', 'create'].map((action) => `admin.${name}.${action}`)
  ),
}

/** The same for a look-up by hand. */
const GRANTED = new Map(Object.entries(REAL_ROLES).map(([role, permissions]) => [role, new Set(permissions)]))

export function grants(role: string | undefined, permission: string): boolean {
  return GRANTED.get(role ?? '')?.has(permission) === true
}

/** The file that the access logs go to; the check of the replies reads it. */
export const LOG_FILE = process.env.BENCH_LOG ?? '/dev/null'
