import type { Request, RequestHandler, Response } from 'express'
import { z } from 'zod'
import { MisuseError, mounting, NotFoundError, pathNamesOf, type LooseSpec,
  type Mounting } from '../../../core/index.js'
import type { CrudPlan, Feature } from '../../feature.js'
import type { AnyStore, Conditions, Row } from '../../options.js'
import { parentOf, rememberTarget, type Parent } from './declared-parent.js'
import type { AnyParent } from './options.js'

/** The path arguments of a request, as the schemas of its action have read them. */
const argsOf = new WeakMap<Request, Row>()

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
    const check = { [mounting]: mountingOf(plan, own) }
    return {
      wrapAction: (
        spec,
      ) => (option === false ? spec : { ...(own === undefined ? spec : nested(plan, own, spec)), ...check }),
      onBuilt: (built) => {
        const isScoped = options.scope !== undefined || option === false
        rememberTarget(built, {
          store,
          id: schemas.id,
          scope: (req, inside) => scopes.ofCaller(req, inside),
          check: options.check,
          above: own,
          isScoped,
        })
      },
      ...(own !== undefined && {
        pathArguments: Object.keys(own.args),
        readPathArguments: (req) => argsOf.get(req) ?? {},
        pathConditions: (req) => childrenWhere(own, req),
        ...(own.joins && { reach: (req, db) => loadParent(own, req, db) }),
      }),
    }
  },
}

function nested<Spec extends LooseSpec>({ store, withinDeadline }: CrudPlan, own: Parent, spec: Spec): Spec {
  const names = Object.keys(own.args)
  const input = spec.input === undefined ? z.object(own.args) : (spec.input as z.ZodObject).safeExtend(own.args)
  const handler = async (req: Request, res: Response, args: object): Promise<unknown> => {
    const [path, others] = split(args as Row, names)
    argsOf.set(req, path)
    if (!own.joins) await withinDeadline(() => loadParent(own, req, store))
    return spec.handler(req, res, others as never)
  }
  return { ...spec, input, handler }
}

function split(args: Row, names: readonly string[]): [path: Row, others: Row] {
  const entries = Object.entries(args)
  const isPath = ([name]: [string, unknown]): boolean => names.includes(name)
  return [Object.fromEntries(entries.filter(isPath)), Object.fromEntries(entries.filter((entry) => !isPath(entry)))]
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
  const known = Object.keys(own?.args ?? {})
  const missing = known.find((name) => !names.includes(name))
  if (missing !== undefined) {
    throw new MisuseError(
      'crud_parent',
      `${where} has no path argument \`${missing}\`, which its \`parent\` names: add \`:${missing}\` to the route, or `
        + `change \`parent.arg\`.`,
    )
  }
  const strange = names.find((name) => !known.includes(name))
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
function childrenWhere({ arg, column }: Parent, req: Request): Conditions {
  return [[column, '=', keyOf(req, arg)]]
}

function keyOf(req: Request, arg: string): unknown {
  const key = argsOf.get(req)?.[arg]
  if (key !== undefined) return key
  throw new Error(`The path argument \`${arg}\` was not read: call the handlers of crud through their own route.`)
}

/**
 * Loads the parent that the path names, on the `db` of `store`, and locks it inside a transaction, so that it is not
 * deleted before its new child is committed. The levels above it are read without a lock.
 *
 * @throws NotFoundError when it does not exist for this caller, and what its `check` throws.
 */
async function loadParent(own: Parent, req: Request, store: AnyStore, locks = true): Promise<void> {
  const { target, arg, joins } = own
  if (target === undefined) return
  const { above, scope, check } = target
  if (above !== undefined) await loadParent({ ...above, joins }, req, store, false)
  const near = joins ? onDbOf(store, target.store) : target.store
  const where = [...(above === undefined ? [] : childrenWhere(above, req)), ...await scope(req, near)]
  const row = await (locks ? lockedRow : unlockedRow)(near, keyOf(req, arg), where)
  if (row === undefined) throw new NotFoundError()
  await check?.(row, { req, action: 'show', store: near })
}

function onDbOf({ db }: AnyStore, parents: AnyStore): AnyStore {
  return parents.on?.(db) ?? parents
}

async function lockedRow(store: AnyStore, key: unknown, where: Conditions): Promise<Row | undefined> {
  const [row] = await store.find([key], where)
  return row
}

async function unlockedRow(store: AnyStore, key: unknown, where: Conditions): Promise<Row | undefined> {
  const [row] = await store.list({ where: [[store.key, '=', key], ...where], order: [store.key] }).slice(0, 1)
  return row
}
