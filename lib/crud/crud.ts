import type { z } from 'zod'
import type { NumberParam } from '../core/index.js'
import type { ActionName } from '../core/resource/mounted.js'
import type { Store } from './contract/store.js'
import { crudWith, type ActionOptions, type ActionsWithArgs, type ChangesOption, type AnyOptions, type AnyStore,
  type CrudHandlers, type CrudCustomActions, type FittingColumns, type HookColumns, type ListArgs, type ListNames,
  type MadeCustomActions, type Renamed } from './core/index.js'
import type { ActionFeatureOptions, Choices, CrudOptions, FeatureActions, FeatureArgs, ListName, Members, PathArgs,
  RecordArgs, WithFields } from './feature-options.js'
import { FEATURES } from './features.js'

/** The result of {@link crud}, for `mountResource(router, { app, route, name, ...crud(store, options) })`. */
export interface Crud<
  In extends z.ZodObject,
  Out extends z.ZodObject,
  Id extends z.ZodType,
  Custom = object,
  Query = unknown,
  Args = object,
  Shown = object,
  Changed extends z.ZodObject = In,
> {
  readonly handlers: CrudHandlers<In, Out, Id, Query, Args, Shown, Changed>
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
  const F extends Readonly<Record<string, unknown>> = Nothing,
  const L extends Readonly<Record<string, unknown>> = Nothing,
  Filters extends Readonly<Record<string, unknown>> = Nothing,
  Customs extends Readonly<Record<string, unknown>> = Nothing,
  Sort extends keyof Row & string = never,
  const Wire extends Readonly<Partial<Record<ListName, string>>> = object,
  const Included extends keyof z.input<Out> & string = never,
  HC = unknown,
  HE = unknown,
  HS = unknown,
  HM = unknown,
  const Children extends Choices<In, Out>['children'] = Nothing,
  const Links extends Choices<In, Out>['links'] = Nothing,
  const Searched extends keyof Row & string = never,
  const Cursor extends boolean = true,
  const Parent extends keyof Row & string = never,
  Changed extends z.ZodObject = In,
  Query = ListArgs<Row, Id, Filters, Customs, Sort, Wire, FeatureArgs<Included, Deleted, Parent>, Searched, Cursor>,
>(
  store: Store<Row, Db>,
  options:
    & CrudOptions<Row, Db, In, Out, Id, NoInfer<Member>, NoInfer<Changed>>
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
      Links,
      Parent
    >
    & ListNames<Row, Filters, Customs, Sort, Wire, Searched, Cursor>
    & ChangesOption<Changed>
    & FittingColumns<Row, z.output<In>, z.input<Out>, keyof NoInfer<Children> | keyof NoInfer<Links>>
    & HookColumns<NoInfer<Row>, Db, z.output<In>, Partial<z.output<NoInfer<Changed>>>, HC, HE, HS, HM>
    & ActionOptions<
      | ActionName
      | keyof FeatureActions<In, Out, Id, Bulk, Export, Import, Deleted, Members<NoInfer<Member>>>
      | keyof NoInfer<R>,
      CrudCustomActions<NoInfer<Row>, NoInfer<Id>, PathArgs<NoInfer<Arg>, NoInfer<Of>, NoInfer<Key>>, R, I, Q, O, F, L>
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
      Query,
      WithFields<Changed, 'input', Children, Links>
    >,
    PathArgs<Arg, Of, Key>
  >
  & MadeCustomActions<R, I, Q, O, F, Id, PathArgs<Arg, Of, Key>>,
  Query,
  PathArgs<Arg, Of, Key>,
  Renamed<RecordArgs<Included>, Wire>,
  WithFields<NoInfer<Changed>, 'input', NoInfer<Children>, NoInfer<Links>>
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
export const crud: CrudFunction = (store: object, options: object) =>
  // From here on rows are maps: the types above have tied the options to the store.
  build(store as AnyStore, options as AnyOptions) as never
