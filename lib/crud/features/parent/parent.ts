import type { RequestHandler } from 'express'
import { z } from 'zod'
import { extend, MisuseError, NotFoundError, pathNamesOf, type Mounting } from '../../../core/index.js'
import { partition, SharedValue, storeInside, withoutLocks, withPathArguments, type Call, type Conditions,
  type CrudPlan, type CrudSpec, type Feature, type Row } from '../../core/index.js'
import { parentOf, rememberTarget, type Parent } from './declared-parent.js'
import type { AnyParent } from './options.js'

/** The path arguments of a request, as the schemas of its action have read them. */
const PATH = new SharedValue<Row>()

interface Settings {
  readonly option: AnyParent | false | undefined
}

/**
 * Reads the path arguments of a nested resource, and checks that every path argument of a route belongs to a parent.
 */
export const parent: Feature<{ readonly parent?: AnyParent | false }, Settings> = {
  options: { parent: true },
  settingsOf: (options) => ({ option: options.parent }),
  install(plan, { option }) {
    const { options, store, schemas, scopes } = plan
    const own = option === undefined || option === false ? undefined : parentOf(option, plan)
    const mounting = mountingOf(plan, own)
    return {
      wrapAction: (spec) =>
        option === false
          ? spec
          : extend(own === undefined ? spec : nestAction(plan, own, withInput(spec, own)), { mounting }),
      onBuilt: (built) => {
        const isScoped = options.scope !== undefined || option === false
        rememberTarget(built, {
          store,
          id: schemas.id,
          scope: (call) => scopes.ofCaller(call.forResource(plan)),
          check: options.check,
          above: own,
          isScoped,
        })
      },
      ...(own !== undefined && {
        pathArguments: Object.keys(own.args),
        wrapCustom: (spec) => extend(nestAction(plan, own, withPathArguments(spec, own.args)), { mounting }),
        readPathArguments: (call) => PATH.get(call) ?? {},
        pathConditions: (call) => childrenWhere(own, call),
        ...(own.joins && { loadParents: (call) => loadParent(own, call) }),
      }),
    }
  },
}

function withInput(spec: CrudSpec, { args }: Parent): CrudSpec {
  return { ...spec, input: spec.input === undefined ? z.object(args) : (spec.input as z.ZodObject).safeExtend(args) }
}

/** Returns an action that keeps the path arguments which its schemas read, and loads a parent of another connection. */
function nestAction({ withinDeadline }: CrudPlan, own: Parent, spec: CrudSpec): CrudSpec {
  const names = Object.keys(own.args)
  return {
    ...spec,
    async handler(call, args) {
      const [path, others] = partition(args, (name) => names.includes(name))
      PATH.set(call, path)
      if (!own.joins) await withinDeadline(() => loadParent(own, call))
      return spec.handler(call, others)
    },
  }
}

/** Returns the check of the path arguments; with `mergeParams` only a request has all of them. */
function mountingOf({ options }: CrudPlan, own: Parent | undefined): Mounting {
  const hasScope = options.scope !== undefined
  return ({ resource, route, path, mergesParams }) => {
    const where = `The resource \`${resource}\` at \`${route}\``
    const ofAction = pathNamesOf(path.slice(route.length))
    if (!mergesParams) {
      checkArguments(own, hasScope, where, pathNamesOf(route))
      return []
    }
    const check: RequestHandler = (req, _res, next) => {
      checkArguments(own, hasScope, where, Object.keys(req.params).filter((name) => !ofAction.includes(name)))
      next()
    }
    return [check]
  }
}

/**
 * @throws MisuseError `crud_parent` for a path argument that selects no rows, and for a parent that the path does not
 * name.
 */
function checkArguments(own: Parent | undefined, hasScope: boolean, where: string, names: readonly string[]): void {
  const argumentNames = Object.keys(own?.args ?? {})
  const missing = argumentNames.find((name) => !names.includes(name))
  if (missing !== undefined) {
    throw new MisuseError(
      'crud_parent',
      `${where} has no path argument \`${missing}\`, which its \`parent\` names: add \`:${missing}\` to the route, or `
        + `change \`parent.arg\`.`,
    )
  }
  const strange = names.find((name) => !argumentNames.includes(name))
  if (strange === undefined || (own !== undefined && isScoped(own, hasScope))) return
  const advice = own === undefined
    ? `set \`parent: { arg: '${strange}', column }\``
    : `give the resource in \`parent.of\` a \`parent\` of its own, or set a \`scope\``
  throw new MisuseError(
    'crud_parent',
    `${where} serves the same rows for every value of \`:${strange}\`: ${advice} in the options of crud, or \`parent: `
      + `false\` if that is intended.`,
  )
}

/** True if a scope may use the path arguments that no parent names. */
function isScoped({ target }: Parent, hasScope: boolean): boolean {
  return hasScope
    || (target !== undefined && (target.isScoped || (target.above !== undefined && isScoped(target.above, false))))
}

/** Returns the condition of the rows below the parent that the path names. */
function childrenWhere({ arg, column }: Parent, call: Call): Conditions {
  return [[column, '=', keyOf(call, arg)]]
}

function keyOf(call: Call, arg: string): unknown {
  const key = PATH.get(call)?.[arg]
  if (key !== undefined) return key
  throw new Error(`The path argument \`${arg}\` was not read: call the handlers of crud through their own route.`)
}

/**
 * Loads the parent that the path names, and locks it inside a transaction, so that it is not deleted before its new
 * child is committed. The levels above it are read without a lock.
 *
 * @throws NotFoundError when it does not exist for this caller, and what its `check` throws.
 */
async function loadParent(own: Parent, call: Call, locks = true): Promise<void> {
  const { target, arg, joins } = own
  if (target === undefined) return
  const { above, scope, check } = target
  if (above !== undefined) await loadParent({ ...above, joins }, call, false)
  const parentStore = joins ? storeInside(call, target.store) : target.store
  const where = [...(above === undefined ? [] : childrenWhere(above, call)), ...await scope(call, parentStore)]
  const [row] = await (locks ? parentStore : withoutLocks(parentStore)).find([keyOf(call, arg)], where)
  if (row === undefined) throw new NotFoundError()
  await check?.(row, { req: call.req, action: 'show', store: parentStore })
}
