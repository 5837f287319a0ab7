import type { z } from 'zod'
import type { AggregatesOption } from './features/aggregates/aggregates.js'
import type { BulkActions, BulkChoice, BulkOption } from './features/bulk/bulk.js'
import type { AllChildren, AllLinks, ChildFields, ChildrenOption } from './features/children/options.js'
import type { DialectOption } from './features/dialect/dialect.js'
import type { ExportActions, ExportChoice, ExportOption } from './features/export/export.js'
import type { IdempotencyOption } from './features/idempotency/options.js'
import type { IfMatchOption } from './features/if-match/if-match.js'
import type { ImportActions, ImportChoice, ImportOption } from './features/import/options.js'
import type { IncludeArgs, IncludeNames, IncludeOption } from './features/include/include.js'
import type { MemberActions, MembersOption } from './features/members/options.js'
import type { ParentArgs, ParentOption } from './features/parent/options.js'
import type { ReferencesOption } from './features/references/options.js'
import type { SoftDeleteActions, SoftDeleteArgs, SoftDeleteHooks,
  SoftDeleteOption } from './features/soft-delete/options.js'
import type { TreeArgs, TreeColumn, TreeOption } from './features/tree/options.js'
import type { CoreHookContext, CoreHooks, CoreListName, CoreListOptions, CoreOptions } from './core/index.js'

/*
 * The types of all features, put together here alone, in lines that are removed with their feature. By the type
 * parameters `Bulk`, `Export`, `Import` and `Deleted` of `crud` the types know which actions an option adds, by `Arg`,
 * `Of` and `Key` which path arguments there are, by `M` which members, by `Included` which relations,
 * by `Parent` the column of a tree.
 */

/** The types of the options that a type parameter is inferred from; without its feature an option may have any. */
export interface Choices<In extends z.ZodObject, Out extends z.ZodObject> {
  readonly [option: string]: unknown
  readonly bulk: BulkChoice
  readonly children: AllChildren
  readonly links: AllLinks
  readonly export: ExportChoice<Out>
  readonly import: ImportChoice<In>
}

/** The options of features that tell nothing by a type parameter. */
type PlainOptions<Row, Db, Out extends z.ZodObject, Id extends z.ZodType> =
  & TreeOption<Row, Id>
  & IfMatchOption<Row>
  & IdempotencyOption<Db>
  & DialectOption
  & AggregatesOption<Row>
  & IncludeOption<Row, Db, Out, Id>
  & ReferencesOption<Row>

/** The options of features that add actions or path arguments. */
export type ActionFeatureOptions<
  Row extends object,
  Db,
  In extends z.ZodObject,
  Id extends z.ZodType,
  Bulk,
  Export,
  Import,
  Deleted extends keyof Row & string,
  Arg extends string,
  Of,
  Key,
  M extends Members,
  Included extends string,
  Out extends z.ZodObject,
  Children,
  Links,
  Parent extends string,
> =
  & BulkOption<Bulk>
  & ExportOption<Export>
  & ImportOption<Import>
  & SoftDeleteOption<Row, Deleted>
  & ParentOption<Row, In, Arg, Of, Key>
  & MembersOption<Row, Db, Id, PathArgs<Arg, Of, Key>, M>
  & IncludeNames<Included, Out>
  & ChildrenOption<Children, Links>
  & TreeColumn<Parent>

export type FeatureActions<
  In extends z.ZodObject,
  Out extends z.ZodObject,
  Id extends z.ZodType,
  Bulk,
  Export,
  Import,
  Deleted,
  M extends Members,
  Query = unknown,
  Changed extends z.ZodObject = In,
> =
  & BulkActions<Bulk, In, Out, Id, Changed>
  & ExportActions<Export, Query>
  & ImportActions<Import>
  & SoftDeleteActions<Deleted, Out, Id>
  & MemberActions<M, Out, Id>

/**
 * The inferred types of members: their names, and by these the routes, inputs, outputs, and the results of `change`
 * and `run`.
 */
export interface Members<
  Name extends string = string,
  Routes = unknown,
  Inputs = unknown,
  Outputs = unknown,
  Changes = unknown,
  Runs = unknown,
> {
  readonly name: Name
  readonly routes: Routes
  readonly inputs: Inputs
  readonly outputs: Outputs
  readonly changes: Changes
  readonly runs: Runs
}

/** The fields that features add to `input` and `output`. */
export interface AddedFields<Children, Links> {
  readonly [feature: string]: { readonly input: object; readonly output: object }
  readonly children: ChildFields<Children, Links>
}

/** A schema with the fields that features add to it. */
export type WithFields<S extends z.ZodObject, Part extends 'input' | 'output', Children, Links> = [
  keyof Children | keyof Links,
] extends [never] ? S
  : S extends z.ZodObject<infer Shape, infer Config>
    ? z.ZodObject<Shape & AddedFields<Children, Links>['children'][Part], Config>
  : never

interface PathArguments<Arg extends string, Of, Key> {
  readonly [feature: string]: object
  readonly parent: ParentArgs<Arg, Of, Key>
}
export type PathArgs<Arg extends string, Of, Key> = PathArguments<Arg, Of, Key>['parent']

/** The parameters that features add to the list. */
export type FeatureArgs<
  Included extends string = string,
  Deleted extends string = string,
  Parent extends string = string,
> =
  & SoftDeleteArgs<Deleted>
  & TreeArgs<Parent>
  & IncludeArgs<Included>

interface RecordParameters<Included extends string> {
  readonly [feature: string]: object
  readonly include: IncludeArgs<Included>
}
export type RecordArgs<Included extends string> = RecordParameters<Included>['include']

interface HookNames {
  readonly softDelete: SoftDeleteHooks
}
type FeatureHookNames = HookNames[keyof HookNames]

export type ListName = CoreListName | keyof FeatureArgs
export type ListOptions<Row> = CoreListOptions<Row, ListName>
/** The context of a hook; `Member` are the names of the members of the resource. */
export type HookContext<Row extends object, Db, Member extends string = never> = CoreHookContext<
  Row,
  Db,
  FeatureHookNames | Member
>
/**
 * Hooks around each action; `Member` are the names of the members of the resource. Those of a write run inside its
 * transaction, perhaps more than once: what they throw undoes everything.
 */
export type Hooks<Row extends object, Db, Fields, Member extends string = never> = CoreHooks<
  Row,
  Db,
  Fields,
  FeatureHookNames | Member
>
/** The options of `crud`, without those of features that add actions. */
export type CrudOptions<
  Row extends object,
  Db,
  In extends z.ZodObject,
  Out extends z.ZodObject,
  Id extends z.ZodType,
  Member extends string = never,
  Changed extends z.ZodObject = In,
> =
  & CoreOptions<Row, Db, In, Out, Id, FeatureHookNames | Member, ListName,
    CoreHookContext<Row, Db, FeatureHookNames | Member>, Changed>
  & PlainOptions<Row, Db, Out, Id>
