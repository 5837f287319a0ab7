import { readBody } from '../body.js'
import { argsReader } from './args.js'
import { middlewareOf } from './checks.js'
import type { Group, LooseSpec } from './declaration.js'
import { describe } from './describe.js'
import { pathNamesOf } from './path.js'
import type { PipelinePlan } from './pipeline.js'
import { responder } from './respond.js'

/** One action of a group with the methods and paths it answers. */
export interface PlannedAction {
  readonly name: string
  readonly methods: readonly string[]
  /** Behind the group's route. */
  readonly paths: readonly string[]
  readonly spec: LooseSpec
}

/** One route as it will be mounted: everything that can be decided now is decided. */
export type RoutePlan = PipelinePlan

/** Every route of one action, one per path and method. */
export function planAction(group: Group, action: PlannedAction): RoutePlan[] {
  return action.paths.flatMap((path) => action.methods.map((method) => planRoute(group, action, method, `${group.route}${path}` || '/')))
}

function planRoute(group: Group, { name: action, spec }: PlannedAction, method: string, path: string): RoutePlan {
  const route = describe(group, action, spec, method, path)
  const body = spec.body ?? group.body ?? { limit: 100_000 }
  // A body in a GET has no meaning (RFC 9110 §9.3.1); a bulk DELETE may bring its ids in one.
  const hasBody = body !== false && method !== 'GET' && method !== 'HEAD'
  const partial = action === 'store'
  return {
    route,
    guards: middlewareOf(group.guards),
    use: [...middlewareOf(group.use), ...middlewareOf(spec.use)],
    read: hasBody ? readBody(body) : undefined,
    args: argsReader({ method, pathNames: pathNamesOf(path), input: spec.input, query: spec.query, hasBody, partial }),
    handler: spec.handler,
    respond: responder({ name: route.name, message: spec.message ?? 'ok', status: route.status, output: spec.output }),
  }
}
