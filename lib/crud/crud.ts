import { z } from 'zod'
import type { NumberParam } from '../param.js'
import type { ActionName, CustomActions, LooseSpec } from '../resource/declaration.js'
import type { Store } from '../store.js'
import { checkOptions } from './check-options.js'
import { deadlineOf } from './deadline.js'
import { extended } from './extensions.js'
import type { ActionOptions, ExtensionActions, ExtensionOptions } from './extension-options.js'
import type { ExportOption } from './export/options.js'
import type { CrudHandlers } from './handlers.js'
import { checkKnown } from './known-options.js'
import type { ImportOption } from './import/options.js'
import { cursorSealOf } from './cursor-seal.js'
import { listParameters, renamed, wireName, type Parameter } from './list-input.js'
import type { SoftDeleteOption, CrudOptions, LooseOptions, LooseStore } from './options.js'
import type { ListArgs, ListNames, WireNames } from './list-args.js'
import type { ActionsWithArgs, ParentArgs, ParentOption } from './parent/options.js'
import { parentOf, rememberTarget, type Parent, type ParentTarget } from './parent/parent.js'
import type { CrudPlan } from './plan.js'
import { listHandler, showHandler } from './read.js'
import { schemasOf } from './schemas.js'
import { scopesOf } from './scope.js'
import { softDeleteOf } from './soft-delete/soft-delete.js'
import type { SoftDeleteField } from './soft-delete/options.js'
import { treeOf } from './tree/tree.js'
import { changeHandler, createHandler, deleteHandler, deleteManyHandler } from './write.js'

/** What {@link crud} makes, for `mountResource(router, { app, route, name, ...crud(store, options) })`. */
export interface Crud<In extends z.ZodObject, Out extends z.ZodObject, Id extends z.ZodType, Custom = object, Query = unknown, Args = object> {
  readonly handlers: CrudHandlers<In, Out, Id, Query, Args>
  /** The actions of those options that were given. */
  readonly custom: Custom
}
/** Names no custom action. */
// eslint-disable-next-line @typescript-eslint/no-generated-empty-object-type -- a type without members is what is meant
type Nothing = Readonly<Record<never, never>>

/**
 * Makes the seven default actions of a resource on a store: listed by page or cursor, searched, sorted and filtered by what is declared,
 * written in transactions, and documented. `custom` adds actions; `actions: ['list', 'show']` behind the spread mounts some of them.
 *
 * Nothing that is not declared is written, sent, sorted or filtered by. PUT replaces: a field that was left out gets its default or
 * null. PATCH writes the keys that were sent.
 *
 * @throws MisuseError `crud_option_unknown` for an option that does not exist, nested ones included; `crud_hidden`, `crud_filter`,
 * `crud_names`, `crud_limit`, `crud_deadline`, `crud_if_match`, `crud_version`, `crud_soft_delete`, `crud_tree`, `crud_conflicts`,
 * `crud_custom`, `idempotency_…` for options that do not go together.
 * @example
 * const notes = memoryStore({ key: 'id', rows: [{ id: 1, title: 'Milk' }] })
 * const Note = z.object({ id: z.int(), title: z.string() })
 * mountResource(app, { route: '/notes', name: 'notes', ...crud(notes, { input: Note.pick({ title: true }), output: Note, search: ['title'] }) })
 */
export function crud<
  Row extends object, Db, In extends z.ZodObject, Out extends z.ZodObject, Id extends z.ZodType = NumberParam,
  const Bulk extends ExtensionOptions['bulk'] = undefined,
  const Export extends ExportOption<z.output<Out>> | undefined = undefined,
  const Import extends ImportOption<z.output<In>> | undefined = undefined,
  Deleted extends SoftDeleteField<Row> = never,
  const Arg extends string = never, Of = unknown, Key = unknown,
  const R extends Readonly<Record<string, string>> = Nothing,
  I extends Readonly<Record<string, unknown>> = Nothing,
  Q extends Readonly<Record<string, unknown>> = Nothing,
  O extends Readonly<Record<string, unknown>> = Nothing,
  F extends Readonly<Record<string, unknown>> = Nothing,
  Filter extends keyof Row & string = never, Custom extends string = never, Sort extends keyof Row & string = never, const Wire extends WireNames = object,
  Query = ListArgs<Row, Id, Filter, Custom, Sort, Wire>,
>(
  store: Store<Row, Db>,
  options: CrudOptions<Row, Db, In, Out, Id> & ExtensionOptions<Bulk, Export, Import> & SoftDeleteOption<Row, Deleted>
    & ParentOption<Row, In, Arg, Of, Key>
    & ListNames<Filter, Custom, Sort, Wire>
    & ActionOptions<ActionName | keyof ExtensionActions<In, Out, Id, Bulk, Export, Import, Deleted> | keyof NoInfer<R>, CustomActions<'', R, I, Q, O, F>>,
): Crud<In, Out, Id, ActionsWithArgs<ExtensionActions<In, Out, Id, Bulk, Export, Import, Deleted, Query>, ParentArgs<Arg, Of, Key>> & CustomActions<'', R, I, Q, O, F>, Query, ParentArgs<Arg, Of, Key>> {
  // From here on rows are maps: the types above have tied the options to the store.
  const made: unknown = actionsOf(store as unknown as LooseStore, options as unknown as LooseOptions)
  return made as Crud<In, Out, Id, ActionsWithArgs<ExtensionActions<In, Out, Id, Bulk, Export, Import, Deleted, Query>, ParentArgs<Arg, Of, Key>> & CustomActions<'', R, I, Q, O, F>, Query, ParentArgs<Arg, Of, Key>>
}

/** The seven, what the options add, and around all of them what the options change. */
function actionsOf(store: LooseStore, options: LooseOptions): object {
  checkKnown(options)
  const schemas = schemasOf(options)
  const parameters = listParameters(options, store.key, schemas.id)
  checkOptions(options, store.key, parameters.map(([name]) => name))
  const softDelete = options.softDelete && softDeleteOf(options.softDelete)
  const tree = options.tree && treeOf(options.tree)
  const parent = parentIn(options, store, parameters)
  const scopes = scopesOf(options.scope, softDelete, parent)
  const plan: CrudPlan = { store, options, schemas, scopes, withinDeadline: deadlineOf(options.deadline), cursorSeal: cursorSealOf(options.cursorSecret), softDelete, tree, parent }
  const made = extended(plan, sevenOf(plan, parameters))
  rememberTarget(made, targetIn(plan))
  return made
}

function parentIn(options: LooseOptions, store: LooseStore, parameters: readonly Parameter[]): Parent | undefined {
  if (options.parent === undefined || options.parent === false) return undefined
  return parentOf(options.parent, store, options, parameters.map(([name]) => wireName(name, options.paramNames ?? {})))
}

/** Returns what a resource is to those nested in it. */
function targetIn({ store, schemas, options: { scope, check, parent: option }, softDelete, parent }: CrudPlan): ParentTarget {
  const own = scopesOf(scope, softDelete)
  return { store, id: schemas.id, scope: (req) => own.ofRecord(req, store), check, above: parent, isScoped: scope !== undefined || option === false }
}

function sevenOf(plan: CrudPlan, parameters: readonly Parameter[]): Readonly<Record<ActionName, LooseSpec>> {
  const { path, create, edit, store: changes, output, listed } = plan.schemas
  const query = z.object(renamed(parameters, plan.options.paramNames ?? {}))
  return {
    list: { input: query, output: z.array(listed), handler: listHandler(plan, parameters) },
    show: { input: path, output, handler: showHandler(plan) },
    create: { input: create, output, message: 'Created', handler: createHandler(plan) },
    edit: { input: edit, output, message: 'Saved', handler: changeHandler(plan, 'edit') },
    store: { input: changes, output, message: 'Saved', handler: changeHandler(plan, 'store') },
    delete: { input: path, output: z.null(), message: 'Deleted', handler: deleteHandler(plan) },
    deleteMany: { output: z.null(), message: 'Deleted', handler: deleteManyHandler(plan) },
  }
}
