import type { RequestHandler } from 'express'
import { z } from 'zod'
import { readBody } from '../body.js'
import { MisuseError } from '../errors.js'
import { pathNamesOf } from '../routing/path-names.js'
import type { MountedRoute } from '../routing/registry.js'
import { upload } from '../upload/upload.js'
import { compileRules } from '../validate/compile-rules.js'
import { partialOf } from '../validate/validate.js'
import type { Rules } from '../validate/rules.js'
import { argsReader } from './args.js'
import { middlewareOf } from './checks.js'
import type { Group, LooseSpec } from './declaration.js'
import { describe } from './describe.js'
import { argumentTwiceIn } from './listing.js'
import { mounting } from './mounting.js'
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
export function planAction(group: Group, action: PlannedAction, mergesParams: boolean): RoutePlan[] {
  return action.paths.flatMap((path) => action.methods.map((method) => planRoute(group, action, { method, path: `${group.route}${path}` || '/', mergesParams })))
}

interface Place {
  readonly method: string
  readonly path: string
  readonly mergesParams: boolean
}

function planRoute(group: Group, { name: action, spec: declared }: PlannedAction, { method, path, mergesParams }: Place): RoutePlan {
  const pathNames = pathNamesOf(path)
  const twice = pathNames.find((name, index) => pathNames.indexOf(name) < index)
  if (twice !== undefined) {
    throw new MisuseError('route_invalid', argumentTwiceIn(`\`${action}\` of the resource \`${group.name ?? ''}\``, path, twice))
  }
  const partial = action === 'store'
  const spec = { ...declared, input: toSchema(declared.input, partial), query: toSchema(declared.query, false) }
  const route = describe(group, action, spec, method, path)
  const body = spec.body ?? group.body ?? { limit: 100_000 }
  const checks = spec[mounting]?.({ resource: group.name, route: group.route, path, mergesParams }) ?? []
  return {
    route,
    guards: middlewareOf(group.guards),
    use: [...checks, ...middlewareOf(group.use), ...middlewareOf(spec.use)],
    read: reader(route, body, spec.input !== undefined),
    args: argsReader({ method, pathNames, mergesParams, input: spec.input, query: spec.query, hasBody: route.readsBody, partial }),
    handler: spec.handler,
    respond: responder(route),
  }
}

/** Returns a schema as it is, and the schema of rules; a partial change asks nothing of a field that was not sent. */
function toSchema(input: z.ZodType | Rules | undefined, partial: boolean): z.ZodType | undefined {
  if (input === undefined || input instanceof z.ZodType) return input
  return partial ? partialOf(compileRules(input)) : compileRules(input)
}

/** What reads the body: a form where files are declared, whose text is then what `limit` is about. */
function reader({ name, method, files, readsBody }: MountedRoute, body: { readonly limit: number } | false, hasInput: boolean): RequestHandler | undefined {
  // The arguments are read right behind it.
  if (files === undefined) return body !== false && readsBody ? readBody({ ...body, keep: hasInput }) : undefined
  if (body !== false && readsBody) return upload(files, { textBytes: body.limit })
  throw new MisuseError('files_unread', `\`${name}\` declares files, and ${readsBody ? 'leaves its body alone' : `a ${method} has no body`}.`)
}
