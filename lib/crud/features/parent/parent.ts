import type { Request, RequestHandler, Response } from 'express'
import { z } from 'zod'
import { MisuseError, NotFoundError } from '../../../errors.js'
import { param } from '../../../param.js'
import type { LooseSpec } from '../../../resource/declaration.js'
import { mounting, type Mounting } from '../../../resource/mounting.js'
import { pathNamesOf } from '../../../routing/path.js'
import type { CrudPlan, Feature } from '../../feature.js'
import { wireName } from '../../list-parameters.js'
import type { AnyOptions, AnyStore, Conditions, Row } from '../../options.js'
import type { AnyParent } from './options.js'

/** Where the parent of a nested resource is loaded. */
interface ParentTarget {
  readonly store: AnyStore
  readonly id: z.ZodType
  /** Returns the conditions of the rows that exist for a caller, without that of the parent's own parent. */
  readonly scope: (req: Request) => Promise<Conditions>
  readonly check: AnyOptions['check']
  readonly above: Parent | undefined
  /** True if a scope may use further path arguments. */
  readonly isScoped: boolean
}

/** The parent of a nested resource. */
interface Parent {
  readonly arg: string
  readonly column: string
  /** The schemas of the path arguments of all levels, the outermost first. */
  readonly args: Readonly<Record<string, z.ZodType>>
  readonly target: ParentTarget | undefined
  /**
   * True if the parent is loaded on the `db` of the child's transaction; otherwise it is loaded before every action.
   */
  readonly joins: boolean
}

/** The path arguments of a request, as the schemas of its action have read them. */
const argsOf = new WeakMap<Request, Row>()

/** The results of `crud` as parents of other resources. */
const targets = new WeakMap<object, ParentTarget>()

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
        targets.set(built, {
          store,
          id: schemas.id,
          scope: (req) => scopes.ofCaller(req),
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

/** @throws MisuseError `crud_parent` for a parent that cannot scope the resource. */
function parentOf(option: AnyParent, { store, options, parameters }: CrudPlan): Parent {
  const { arg, column, id } = option
  checkName('arg', arg, 'id')
  checkName('column', column, store.key)
  const target = targetOf(option)
  const above = target?.above?.args ?? {}
  if (Object.hasOwn(above, arg)) {
    throw misuse(`the path argument \`${arg}\` names a parent of the parent already, so choose another name`)
  }
  const args = { ...above, [arg]: id ?? target?.id ?? param.int() }
  checkWritten(options, [column, ...Object.keys(args)])
  const parameter = parameters.map(({ name }) => wireName(name, options.paramNames ?? {})).find((name) =>
    Object.hasOwn(args, name)
  )
  if (parameter !== undefined) {
    throw misuse(
      `\`${parameter}\` is a path argument and also a parameter of the list, so rename the parameter with `
        + `\`paramNames\``,
    )
  }
  return { arg, column, args, target, joins: isJoinable(target, store) }
}

function checkName(what: 'arg' | 'column', name: unknown, own: string): void {
  if (typeof name === 'string' && name !== '' && name !== own) return
  const meaning = what === 'arg' ? 'the path argument that names' : 'the column with the key of'
  throw misuse(`\`${what}\` must be ${meaning} the parent, not \`${String(name)}\``)
}

function checkWritten({ input, changes = input }: AnyOptions, names: readonly string[]): void {
  const written = [input, changes].flatMap(({ shape }) => Object.keys(shape)).find((name) => names.includes(name))
  if (written === undefined) return
  throw misuse(`only the path sets the parent, so remove \`${written}\` from \`input\` and \`changes\``)
}

const OPTIONS = ['arg', 'column', 'of', 'scope', 'id']

function targetOf(option: AnyParent): ParentTarget | undefined {
  const unknown = Object.keys(option).find((name) => !OPTIONS.includes(name))
  if (unknown !== undefined) throw misuse(`it has no option \`${unknown}\`. The options are ${OPTIONS.join(', ')}`)
  const { of, scope, id = param.int() } = option
  const built = of === undefined ? undefined : targets.get(of)
  if (built !== undefined && scope === undefined) return built
  if (of === undefined ? scope !== undefined : built !== undefined || !isStore(of)) {
    throw misuse('`of` must be what `crud` returned, unchanged, or a store, and `scope` is allowed only beside a store')
  }
  if (of === undefined) return undefined
  return {
    store: of as AnyStore,
    id,
    scope: async (req) => scope?.(req) ?? [],
    check: undefined,
    above: undefined,
    isScoped: scope !== undefined,
  }
}

function isStore(of: object): boolean {
  return 'find' in of && typeof of.find === 'function' && 'key' in of && 'list' in of
}

function isJoinable(target: ParentTarget | undefined, store: AnyStore): boolean {
  if (target === undefined) return true
  const isNear = target.store.on !== undefined && store.db !== undefined && target.store.db === store.db
  return isNear && isJoinable(target.above?.target, store)
}

function misuse(why: string): MisuseError {
  return new MisuseError('crud_parent', `\`parent\` of crud cannot scope its rows: ${why}.`)
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
  const where = [...(above === undefined ? [] : childrenWhere(above, req)), ...await scope(req)]
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
