import type { z } from 'zod'
import type { CustomActions, NumberParam } from '../core/index.js'
import type { ActionName } from '../core/resource/mounted.js'
import type { Store } from './contract/store.js'
import { crudWith } from './crud-with.js'
import type { ActionFeatureOptions, Choices, CrudOptions, FeatureActions, FeatureArgs, ListName, Members, PathArgs,
  RecordArgs, WithFields } from './feature-options.js'
import { FEATURES } from './features.js'
import type { FittingColumns } from './fitting-columns.js'
import type { ActionsWithArgs, CrudHandlers, ListArgs, ListNames, Renamed } from './handlers.js'
import type { HookColumns } from './hook-columns.js'
import type { ActionOptions, AnyOptions, AnyStore } from './options.js'

/** The result of {@link crud}, for `mountResource(router, { app, route, name, ...crud(store, options) })`. */
export interface Crud<
  In extends z.ZodObject,
  Out extends z.ZodObject,
  Id extends z.ZodType,
  Custom = object,
  Query = unknown,
  Args = object,
  Shown = object,
> {
  readonly handlers: CrudHandlers<In, Out, Id, Query, Args, Shown>
  /** The actions of those options that were given. */
  readonly custom: Custom
}
/** Names no custom action. */
// eslint-disable-next-line @typescript-eslint/no-generated-empty-object-type -- a type without members is what is meant
type Nothing = Readonly<Record<never, never>>

const build = crudWith(FEATURES)

/** The type of {@link crud}; the type parameters are inferred from the store and the options. */
export type CrudFunction = <
  Row extends object,
  Db,
  In extends z.ZodObject,
  Out extends z.ZodObject,
  Id extends z.ZodType = NumberParam,
  const Bulk extends Choices<In, Out>['bulk'] = undefined,
  const Export extends Choices<In, Out>['export'] = undefined,
  const Import extends Choices<In, Out>['import'] = undefined,
  Deleted extends keyof Row & string = never,
  const Arg extends string = never,
  Of = unknown,
  Key = unknown,
  Member extends string = never,
  const MR extends Readonly<Record<string, unknown>> = Nothing,
  MI extends Readonly<Record<string, unknown>> = Nothing,
  MO extends Readonly<Record<string, unknown>> = Nothing,
  const MC extends Readonly<Record<string, unknown>> = Nothing,
  MF extends Readonly<Record<string, unknown>> = Nothing,
  const R extends Readonly<Record<string, string>> = Nothing,
  I extends Readonly<Record<string, unknown>> = Nothing,
  Q extends Readonly<Record<string, unknown>> = Nothing,
  O extends Readonly<Record<string, unknown>> = Nothing,
  F extends Readonly<Record<string, unknown>> = Nothing,
  Filter extends keyof Row & string = never,
  Custom extends string = never,
  Sort extends keyof Row & string = never,
  const Wire extends Readonly<Partial<Record<ListName, string>>> = object,
  const Included extends keyof z.input<Out> & string = never,
  HC = unknown,
  HE = unknown,
  HS = unknown,
  HM = unknown,
  const Children extends Choices<In, Out>['children'] = Nothing,
  const Links extends Choices<In, Out>['links'] = Nothing,
  Query = ListArgs<Row, Id, Filter, Custom, Sort, Wire, FeatureArgs<Included>>,
>(
  store: Store<Row, Db>,
  options:
    & CrudOptions<Row, Db, In, Out, Id, NoInfer<Member>>
    & ActionFeatureOptions<
      Row,
      Db,
      In,
      Id,
      Bulk,
      Export,
      Import,
      Deleted,
      Arg,
      Of,
      Key,
      Members<Member, MR, MI, MO, MC, MF>,
      Included,
      Out,
      Children,
      Links
    >
    & ListNames<Filter, Custom, Sort, Wire>
    & FittingColumns<Row, z.output<In>, z.input<Out>, keyof NoInfer<Children> | keyof NoInfer<Links>>
    & HookColumns<NoInfer<Row>, Db, z.output<In>, HC, HE, HS, HM>
    & ActionOptions<
      | ActionName
      | keyof FeatureActions<In, Out, Id, Bulk, Export, Import, Deleted, Members<NoInfer<Member>>>
      | keyof NoInfer<R>,
      CustomActions<'', R, I, Q, O, F>
    >,
) => Crud<
  WithFields<In, 'input', Children, Links>,
  WithFields<Out, 'output', Children, Links>,
  Id,
  & ActionsWithArgs<
    FeatureActions<
      WithFields<In, 'input', Children, Links>,
      WithFields<Out, 'output', Children, Links>,
      Id,
      Bulk,
      Export,
      Import,
      Deleted,
      Members<Member, MR, MI, MO, MC, MF>,
      Query
    >,
    PathArgs<Arg, Of, Key>
  >
  & CustomActions<'', R, I, Q, O, F>,
  Query,
  PathArgs<Arg, Of, Key>,
  Renamed<RecordArgs<Included>, Wire>
>

/**
 * Makes the seven default actions of a resource on a store: lists by page or cursor with declared search, sort keys and
 * filters, writes in transactions, and documentation. `custom` adds actions; `actions: ['list', 'show']` after the
 * spread mounts only some of them.
 *
 * Only declared fields are written, sent, sorted and filtered by. PUT replaces: a field that was not sent gets its
 * default or null. PATCH writes the fields that were sent.
 *
 * @throws MisuseError `crud_option_unknown` for an option that does not exist, nested ones included; `crud_hidden`,
 * `crud_filter`, `crud_names`, `crud_limit`, `crud_deadline`, `crud_if_match`, `crud_version`, `crud_soft_delete`,
 * `crud_tree`, `crud_conflicts`, `crud_custom`, `idempotency_…` for options that do not go together.
 * @example
 * const notes = memoryStore({ key: 'id', rows: [{ id: 1, title: 'Milk' }] })
 * const Note = z.object({ id: z.int(), title: z.string() })
 * const input = Note.pick({ title: true })
 * mountResource(app, { route: '/notes', name: 'notes', ...crud(notes, { input, output: Note, search: ['title'] }) })
 */
export const crud: CrudFunction = (store, options) =>
  // From here on rows are maps: the types above have tied the options to the store.
  build(store as unknown as AnyStore, options as unknown as AnyOptions) as never
