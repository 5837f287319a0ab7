import type { z } from 'zod'
import { MisuseError, param } from '../../../core/index.js'
import { conditionsFrom, sentName, type AnyOptions, type AnyStore, type Call, type Conditions,
  type CrudPlan } from '../../core/index.js'
import type { AnyParent } from './options.js'

/** Where the parent of a nested resource is loaded. */
interface ParentTarget {
  readonly store: AnyStore
  readonly id: z.ZodType
  /** Returns the conditions of the rows that exist for a caller, without that of the parent's own parent. */
  readonly scope: (call: Call, store: AnyStore) => Promise<Conditions>
  readonly check: AnyOptions['check']
  readonly above: Parent | undefined
  /** True if a scope may use further path arguments. */
  readonly isScoped: boolean
}

/** The parent of a nested resource. */
export interface Parent {
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

/** The results of `crud` as parents of other resources. */
const targetByResult = new WeakMap<object, ParentTarget>()

/** Makes a result of `crud` a possible parent of other resources. */
export function rememberTarget(built: object, target: ParentTarget): void {
  targetByResult.set(built, target)
}

/**
 * Reads the option `parent` of a nested resource.
 *
 * @throws MisuseError `crud_parent` for a parent that cannot scope the resource.
 */
export function parentOf(option: AnyParent, { store, options, parameters }: CrudPlan): Parent {
  const { arg, column, id } = option
  checkName('arg', arg, 'id')
  checkName('column', column, store.key)
  checkGiven(option)
  const target = targetOf(option)
  const above = target?.above?.args ?? {}
  if (Object.hasOwn(above, arg)) {
    throw misuse(`the path argument \`${arg}\` names a parent of the parent already, so choose another name`)
  }
  const args = { ...above, [arg]: id ?? target?.id ?? param.int() }
  checkWritten(options, [column, ...Object.keys(args)])
  const parameter = parameters.map((each) => sentName(each, options.paramNames ?? {})).find((name) =>
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

/** Refuses an `of` that is undefined: without it the parent is not loaded, and any parent would be reachable. */
function checkGiven(option: AnyParent): void {
  if (option.of !== undefined || !Object.hasOwn(option, 'of')) return
  throw misuse('`of` is undefined, as it is where two modules import each other: declare the parent first, or remove '
    + '`of` if the parent is not to be loaded')
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
  const built = of === undefined ? undefined : targetByResult.get(of)
  if (built !== undefined && scope === undefined) return built
  if (of === undefined ? scope !== undefined : built !== undefined || !isStore(of)) {
    throw misuse('`of` must be what `crud` returned, unchanged, or a store, and `scope` is allowed only beside a store')
  }
  if (of === undefined) return undefined
  return {
    store: of as AnyStore,
    id,
    scope: async ({ req }, { db }) =>
      scope === undefined ? [] : conditionsFrom('`parent.scope` of crud', await scope(req, { db })),
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
