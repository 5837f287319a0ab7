import type { Application, IRouter, RequestHandler } from 'express'
import { z } from 'zod'
import { readBody } from '../request/read-body.js'
import { checkOwner } from '../base/copies.js'
import { MisuseError } from '../base/errors.js'
import { OBJECT } from '../base/forms.js'
import { firstRepeated } from '../base/guards.js'
import { addRoute, checkVersion, mergesParams, type AddedRoute } from '../express/stack.js'
import { METHODS } from '../base/node-http.js'
import { checkGuardsOf } from '../routing/copies.js'
import { bySpecificity, checkRoute, pathNamesOf } from '../routing/path.js'
import { register, type MountedRoute } from '../routing/registry.js'
import { upload } from '../upload/upload.js'
import { compileRules } from '../validate/compile-rules.js'
import { partialOf } from '../validate/validate.js'
import type { Rules } from '../validate/rules.js'
import { describeRoute, type RouteFacts } from './actions.js'
import { argumentsReader } from './arguments.js'
import { checkAction, checkGroup, lower, middlewareOf } from './checks.js'
import type { Group, LooseCustom, LooseSpec } from './loose-declaration.js'
import { checkForm } from './forms.js'
import { argumentRepeated } from './listing.js'
import { reserveNames } from './names.js'
import { pipeline, type PipelinePlan } from './pipeline.js'
import { responder } from './respond.js'
import { checkWhenListening } from './start-checks.js'

/** Where routes can be mounted: an Express Router or app. */
export type Target = IRouter | Application

/** One action of a group with its methods and paths. */
export interface PlannedAction {
  readonly name: string
  readonly methods: readonly string[]
  /** Appended to the group's route. */
  readonly paths: readonly string[]
  readonly spec: LooseSpec
}

/** A group of actions that are declared together. */
export interface PlannedGroup {
  readonly group: Group
  readonly actions: readonly PlannedAction[]
  /** The names of the options that only this kind of declaration has. */
  readonly ownOptions: readonly string[]
  /** The advice of the error for a group without actions; without advice a group may be empty. */
  readonly adviceIfEmpty?: string | undefined
}

/** Mounts the actions of one group, after all checks. */
export function mountActions(target: Target, planned: PlannedGroup): void {
  checkTarget(target)
  checkGuardsOf(target)
  addRoutes(target, planActions(target, planned))
  checkWhenListening()
}

/** Checks the actions of one group, plans their routes and reserves their names; an error reserves nothing. */
export function planActions(target: Target, planned: PlannedGroup): PipelinePlan[] {
  const { group, actions, ownOptions, adviceIfEmpty } = planned
  const where = group.name === undefined ? `The group at \`${group.route}\`` : `The resource \`${group.name}\``
  checkGroup(where, group, ownOptions)
  const checkedGroup = { ...group, route: checkRoute(group.route) }
  if (actions.length === 0 && adviceIfEmpty !== undefined) {
    throw new MisuseError('handler_missing', `${where} has no actions to mount: ${adviceIfEmpty}.`)
  }
  checkRepeated(where, actions)
  for (const { name, spec } of actions) checkAction(`\`${name}\` of ${lower(where)}`, name, spec)
  const shown = actions.find(({ name }) => name === 'show')?.paths ?? []
  const plans = actions.flatMap((action) =>
    planAction(checkedGroup, { ...action, paths: action.paths.map(checkRoute) }, {
      hasMergedParams: mergesParams(target),
      locatedBy: action.name === 'create' && shown.includes(`${action.paths[0] ?? ''}/:id`)
        && (action.spec.extension?.parts.keyField ?? 'id'),
    })
  )
  reserveNames(target, where, plans.map(({ route }) => route))
  return plans
}

/** @throws MisuseError `target_invalid`, `express_unsupported`. */
export function checkTarget(target: unknown): void {
  if (typeof target === 'function') checkVersion(target)
  if (typeof target === 'function' && 'route' in target && typeof target.route === 'function') return
  throw new MisuseError('target_invalid', 'Routes can be mounted on an Express app or a Router only.')
}

function checkRepeated(where: string, actions: readonly PlannedAction[]): void {
  const repeated = firstRepeated(actions.map(({ name }) => name))
  if (repeated !== undefined) throw new MisuseError('name_taken', `${where} has two actions called \`${repeated}\`.`)
}

function addRoutes(target: Target, plans: readonly PipelinePlan[]): void {
  const added = new Map<string, AddedRoute>()
  for (const plan of plans.toSorted((one, other) => bySpecificity(one.route.path, other.route.path))) {
    const { path, method } = plan.route
    const route = added.get(path) ?? addRoute(target, path)
    added.set(path, route)
    register(route.route, plan.route)
    route.answer(method, pipeline(plan))
  }
}

/** Converts custom actions to planned ones; without `methods` an action answers GET. */
export function customActions(custom: Readonly<Record<string, LooseCustom>>): PlannedAction[] {
  return Object.entries(custom).map(([name, action]) => {
    checkForm('A custom action', name, action, OBJECT)
    const { methods = 'GET', route, ...spec } = action
    return { name, methods: methodsOf(name, methods), paths: [route], spec }
  })
}

/** Returns one or several methods in upper case, each once. */
export function methodsOf(name: string, methods: string | readonly string[]): string[] {
  const list = typeof methods === 'string' ? [methods] : methods
  if (!Array.isArray(list) || list.length === 0) {
    throw new MisuseError('methods_invalid', `The \`methods\` of \`${name}\` must be a method or a list of methods.`)
  }
  const upper = [...new Set(list.map((method) => String(method).toUpperCase()))]
  const unknown = upper.find((method) => !METHODS.includes(method))
  if (unknown !== undefined) {
    throw new MisuseError('method_invalid', `\`${name}\` has the method \`${unknown}\`, which is not an HTTP method.`)
  }
  return upper
}

/** Plans the routes of one action, one for each path and method. */
function planAction(group: Group, action: PlannedAction, facts: Omit<MountFacts, 'method' | 'path'>): PipelinePlan[] {
  return action.paths.flatMap(
    (path) =>
      action.methods.map(
        (method) => planRoute(group, action, { ...facts, method, path: `${group.route}${path}` || '/' }),
      ),
  )
}

interface MountFacts extends RouteFacts {
  /** True if the route's router receives the arguments of its parent's path. */
  readonly hasMergedParams: boolean
}

/** Decides everything about a route that can be decided before a request. */
function planRoute(group: Group, { name: action, spec: declared }: PlannedAction, facts: MountFacts): PipelinePlan {
  const { path, hasMergedParams } = facts
  checkArguments(`\`${action}\` of the resource \`${group.name ?? ''}\``, path)
  const input = toSchema(declared.input, action === 'store')
  const spec = { ...declared, input, query: toSchema(declared.query, false) }
  const route = describeRoute(group, action, spec, facts)
  const body = spec.body ?? group.body ?? LIMITED
  const place = { resource: group.name, route: group.route, path, mergesParams: hasMergedParams }
  const checks = spec.extension?.parts.mounting?.(place) ?? []
  const guards = middlewareOf(group.guards)
  const use = [...checks, ...middlewareOf(group.use), ...middlewareOf(spec.use)]
  for (const fn of [...guards, ...use]) checkOwner(fn)
  return {
    route,
    guards,
    use,
    readBody: undeclaredReader(group, spec) ?? bodyReader(route, body, spec.input !== undefined),
    readArguments: argumentsReader(route, hasMergedParams),
    handler: spec.handler,
    respond: responder(route),
  }
}

/** Checks that a path names each of its arguments once. @throws MisuseError `route_invalid` */
export function checkArguments(where: string, path: string): void {
  const repeated = firstRepeated(pathNamesOf(path))
  if (repeated !== undefined) throw argumentRepeated(where, path, repeated)
}

/**
 * Returns a schema as it is, and rules as a schema; for a partial update fields that were not sent are not required.
 */
function toSchema(input: z.ZodType | Rules | undefined, partial: boolean): z.ZodType | undefined {
  if (input === undefined || input instanceof z.ZodType) return input
  return partial ? partialOf(compileRules(input)) : compileRules(input)
}

const LIMITED = { limit: 100_000 }

/**
 * Returns the middleware that reads a body which an action does not declare, by the limit of its resource; `undefined`
 * where such a body is not checked.
 */
function undeclaredReader({ body = LIMITED }: Group, { body: own, extension }: LooseSpec): RequestHandler | undefined {
  if (own !== false || extension?.parts.checksBody !== true) return undefined
  return readBody(body === false ? LIMITED : body)
}

/**
 * Returns the middleware that reads the body: a form where files are declared, and then `limit` applies to its text.
 */
function bodyReader(
  { name, method, files, readsBody }: MountedRoute,
  body: { readonly limit: number } | false,
  hasInput: boolean,
): RequestHandler | undefined {
  // `keep`: the arguments are read next.
  if (files === undefined) return body !== false && readsBody ? readBody({ ...body, keep: hasInput }) : undefined
  if (body !== false && readsBody) return upload(files, { textBytes: body.limit })
  throw new MisuseError(
    'files_unread',
    `\`${name}\` declares files, but ${readsBody ? 'has `body: false`' : `a ${method} has no body`}.`,
  )
}
