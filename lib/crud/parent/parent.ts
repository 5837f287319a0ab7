import type { Request } from 'express'
import type { z } from 'zod'
import { MisuseError, NotFoundError } from '../../errors.js'
import { param } from '../../param.js'
import type { LooseOptions, LooseRow, LooseStore, LooseWhere } from '../options.js'
import type { LooseParent } from './options.js'

/** Where the parent of a nested resource is loaded. */
export interface ParentTarget {
  readonly store: LooseStore
  readonly id: z.ZodType
  /** The rows that exist for a caller, without the condition of the parent's own parent. */
  readonly scope: (req: Request) => Promise<LooseWhere>
  readonly check: LooseOptions['check']
  readonly above: Parent | undefined
  /** True if something of the caller's own may use further path arguments. */
  readonly isScoped: boolean
}

/** The parent of a nested resource. */
export interface Parent {
  readonly arg: string
  readonly column: string
  /** The schemas of the path arguments of all levels, the outermost first. */
  readonly args: Readonly<Record<string, z.ZodType>>
  readonly target: ParentTarget | undefined
  /** True if the parent is loaded on the `db` of the child's transaction; otherwise it is loaded before every action. */
  readonly joins: boolean
}

/** The path arguments of a request, as the schemas of its action have read them. */
const argsOf = new WeakMap<Request, LooseRow>()

/** The targets of what `crud` has made. */
const targets = new WeakMap<object, ParentTarget>()

/** Lets a resource be the parent of others. */
export function rememberTarget(made: object, target: ParentTarget): void {
  targets.set(made, target)
}

export function keepArgs(req: Request, args: LooseRow): void {
  argsOf.set(req, args)
}

/** @throws MisuseError `crud_parent` for a parent that cannot scope the resource. */
export function parentOf(option: LooseParent, store: LooseStore, options: LooseOptions, parameters: readonly string[]): Parent {
  const { arg, column, id } = option
  checkName('arg', arg, 'id')
  checkName('column', column, store.key)
  const target = targetOf(option)
  const above = target?.above?.args ?? {}
  if (Object.hasOwn(above, arg)) throw misuse(`the path argument \`${arg}\` is that of a level above`)
  const args = { ...above, [arg]: id ?? target?.id ?? param.int() }
  checkWritten(options, [column, ...Object.keys(args)])
  const parameter = parameters.find((name) => Object.hasOwn(args, name))
  if (parameter !== undefined) throw misuse(`the list has a parameter \`${parameter}\`, which is a path argument`)
  return { arg, column, args, target, joins: isJoinable(target, store) }
}

function checkName(what: 'arg' | 'column', name: unknown, own: string): void {
  if (typeof name === 'string' && name !== '' && name !== own) return
  const names = what === 'arg' ? 'the path argument that names' : 'the column with the key of'
  throw misuse(`\`${what}\` is ${names} the parent, and not \`${String(name)}\``)
}

function checkWritten({ input, changes = input }: LooseOptions, names: readonly string[]): void {
  const written = [input, changes].flatMap(({ shape }) => Object.keys(shape)).find((name) => names.includes(name))
  if (written === undefined) return
  throw misuse(`the path alone says what the parent is, so \`input\` and \`changes\` cannot have \`${written}\``)
}

const OPTIONS = ['arg', 'column', 'of', 'scope', 'id']

function targetOf(option: LooseParent): ParentTarget | undefined {
  const unknown = Object.keys(option).find((name) => !OPTIONS.includes(name))
  if (unknown !== undefined) throw misuse(`it has no option \`${unknown}\`; there are ${OPTIONS.join(', ')}`)
  const { of, scope, id = param.int() } = option
  const made = of === undefined ? undefined : targets.get(of)
  if (made !== undefined && scope === undefined) return made
  if (of === undefined ? scope !== undefined : made !== undefined || !isStore(of)) {
    throw misuse('`of` is what `crud` returned, unchanged, or a store; `scope` stands beside a store alone')
  }
  if (of === undefined) return undefined
  return {
    store: of as LooseStore, id, scope: async (req) => scope?.(req) ?? [], check: undefined, above: undefined, isScoped: scope !== undefined,
  }
}

function isStore(of: object): boolean {
  return 'find' in of && typeof of.find === 'function' && 'key' in of && 'list' in of
}

function isJoinable(target: ParentTarget | undefined, store: LooseStore): boolean {
  if (target === undefined) return true
  const isNear = target.store.on !== undefined && store.db !== undefined && target.store.db === store.db
  return isNear && isJoinable(target.above?.target, store)
}

function misuse(why: string): MisuseError {
  return new MisuseError('crud_parent', `The \`parent\` of crud cannot scope its rows: ${why}.`)
}

/** Returns the condition of the rows below the parent that the path names. */
export function childrenWhere({ arg, column }: Parent, req: Request): LooseWhere {
  return [[column, '=', keyOf(req, arg)]]
}

function keyOf(req: Request, arg: string): unknown {
  const key = argsOf.get(req)?.[arg]
  if (key !== undefined) return key
  throw new Error(`The path argument \`${arg}\` was not read: call the handlers of crud through their own route.`)
}

/**
 * Loads the parent that the path names, on the `db` of `store`, and locks it inside a transaction: nobody deletes it before its new child is
 * committed. The levels above it are read without a lock.
 *
 * @throws NotFoundError when it does not exist for this caller, and what its `check` throws.
 */
export async function reachParent(parent: Parent, req: Request, store: LooseStore, locks = true): Promise<void> {
  const { target, arg, joins } = parent
  if (target === undefined) return
  const { above, scope, check } = target
  if (above !== undefined) await reachParent({ ...above, joins }, req, store, false)
  const near = joins ? onDbOf(store, target.store) : target.store
  const where = [...(above === undefined ? [] : childrenWhere(above, req)), ...await scope(req)]
  const row = await (locks ? lockedRow : unlockedRow)(near, keyOf(req, arg), where)
  if (row === undefined) throw new NotFoundError()
  await check?.(row, { req, action: 'show', store: near })
}

function onDbOf({ db }: LooseStore, parents: LooseStore): LooseStore {
  return parents.on?.(db) ?? parents
}

async function lockedRow(store: LooseStore, key: unknown, where: LooseWhere): Promise<LooseRow | undefined> {
  const [row] = await store.find([key], where)
  return row
}

async function unlockedRow(store: LooseStore, key: unknown, where: LooseWhere): Promise<LooseRow | undefined> {
  const [row] = await store.list({ where: [[store.key, '=', key], ...where], order: [store.key] }).slice(0, 1)
  return row
}
