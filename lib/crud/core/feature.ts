import type { Request, Response } from 'express'
import type { z } from 'zod'
import type { AnyPage, Deadline, LooseCustom, Meta } from '../../core/index.js'
import type { CursorSeal } from './cursor-seal.js'
import type { AnyContext, AnyOptions, AnyStore, Conditions, Row, Rows } from './any-resource.js'
import type { FieldRuleKind } from './rules.js'
import type { Schemas } from './schemas.js'

/**
 * An optional part of crud, such as soft deletion. The core knows features by this interface alone, and `features.ts`
 * lists them. `Own` are the options of the feature, `Settings` the result of reading them for one resource.
 */
export interface Feature<Own extends object = Record<string, unknown>, Settings = unknown> {
  /** The options that it owns, each with the names inside it where those are checked by the core. */
  readonly options: Readonly<Record<keyof Own & string, OptionShape>>
  /** Names of an earlier version, each with the name that replaced it. */
  readonly renamed?: Readonly<Partial<Record<'options' | 'actions' | 'parameters', Readonly<Record<string, string>>>>>
  /** The parameters that it adds to the list. */
  readonly parameters?: Readonly<Record<string, FeatureParameter>>
  /** The names of the actions that it may add; no action that a user names can have them. */
  readonly actions?: readonly string[]
  /**
   * Reads its options, `undefined` where a resource does not use the feature; `key` is the key of the store, and
   * `reserved` are the names of the actions of the core and of all features.
   *
   * @throws MisuseError for options that it cannot work with.
   */
  settingsOf(options: AnyOptions & Own, key: string, reserved: readonly string[]): Settings | undefined
  /** Returns the names of its actions that have hooks, as in `before: { restore }`. */
  hooks?(settings: Settings): readonly string[]
  /** Returns the options with those that it sets itself. */
  changeOptions?(options: AnyOptions, settings: Settings): AnyOptions
  /** Returns the parameters of the list, made of those that the core and the other features have. */
  changeParameters?(parameters: readonly Parameter[], settings: Settings): readonly Parameter[]
  /** Returns the schema of a record of the list, made of the one that the core or another feature has made. */
  listedOutput?(output: z.ZodObject): z.ZodObject
  /** Returns its hooks for one resource. */
  install(plan: CrudPlan, settings: Settings): FeatureHooks
}

/**
 * The names inside an option that is an object, `'object'` for one with names of the application's, or `true` for one
 * that the feature checks itself; `orTrue` allows `true` in its place.
 */
export type OptionShape = true | 'object' | { readonly names: readonly string[]; readonly orTrue?: boolean }

interface FeatureParameter {
  readonly schema: z.ZodType
  /** True if it selects the rows of the list, so that an export has it too. */
  readonly selectsRows: boolean
}

/** A parameter of a list; `field` is the field of the rows that it is about, where there is one. */
export interface Parameter {
  readonly name: string
  /** The name in a request of a filter: it is never renamed, and another parameter may be called so by itself. */
  readonly sentAs?: string | undefined
  readonly schema: z.ZodType
  readonly field?: string | undefined
  readonly selectsRows: boolean
}

/** The effect of an action on rows, for features that wrap actions. */
interface ActionEffect {
  /** True if a success replies with one record. */
  readonly repliesRecord?: boolean
  /** True if it changes or deletes rows that the caller has read before. */
  readonly changesRows?: boolean
  /** True if it changes or removes soft-deleted rows, of which the caller may have an earlier state. */
  readonly changesDeletedRows?: boolean
  /** True if each call adds rows. */
  readonly createsRows?: boolean
  /** True if a repeated call has an effect of its own, though it adds no rows: `Idempotency-Key` is read there too. */
  readonly repeats?: boolean
}

/** An action of the core or of a feature; those of the core have neither methods nor a route. */
export interface CrudAction {
  readonly spec: CrudSpec
  readonly effect?: ActionEffect
}

export interface CrudSpec extends Omit<LooseCustom, 'route' | 'handler'> {
  readonly route?: string
  readonly handler: CrudHandler
}

/** The handler of an action of crud; its arguments are those that the schemas of its action have read. */
export type CrudHandler = (call: Call, args: Row) => unknown

/**
 * One request to a resource: the state that its action, features and hooks share. A transaction has a call of its own,
 * and so has each other resource that the action reads or writes; all calls of a request share their `values`.
 */
export interface Call {
  readonly plan: CrudPlan
  readonly req: Request
  readonly res: Response
  /** The store of the resource, inside the transaction if there is one. */
  readonly store: AnyStore
  readonly transaction: Transaction | undefined
  /** The values that `SharedValue` reads and writes. */
  readonly values: Map<object, unknown>
  /** Returns the call inside a transaction that has begun; `store` is that of the transaction. */
  inside(store: AnyStore): Call
  /** Returns the call for another resource, inside the same transaction. */
  forResource(plan: CrudPlan): Call
  context(action: string): AnyContext
  /** Returns the fields that this caller may not read or write; each rule is evaluated once for a request. */
  denied(kind: FieldRuleKind): Promise<ReadonlySet<string>>
  /** Records rows that the transaction has written, for the hook `afterCommit` of the resource. */
  noteWritten(action: string, rows: readonly Row[]): void
}

export interface Transaction {
  readonly written: Written[]
  /** The store that has begun it, outside and inside of it. */
  readonly begun: { readonly outside: AnyStore; readonly inside: AnyStore }
}

/** Rows that an action has written, for the hook `afterCommit`; `options` are those of their resource. */
export interface Written {
  readonly action: string
  readonly rows: readonly Row[]
  readonly options: AnyOptions
}

/** The store, options and services that the handlers of one resource share. */
export interface CrudPlan {
  readonly store: AnyStore
  readonly options: AnyOptions
  readonly schemas: Schemas
  readonly parameters: readonly Parameter[]
  readonly scopes: Scopes
  readonly withinDeadline: Deadline
  readonly cursorSeal: CursorSeal | undefined
  /** The values that `SharedValue` reads and writes. */
  readonly values: Map<object, unknown>
  /** The features that the resource uses, in the order of `features.ts`. */
  readonly features: readonly FeatureHooks[]
  /** Adds hooks that another resource has for this one, in front of its own: they lock a row of the other resource. */
  readonly addHooks: (hooks: FeatureHooks) => void
}

/**
 * The conditions of the rows that exist for a caller. Each is a choice of these parts: the option `scope`, the
 * conditions of the path, those of live rows (see `FeatureHooks.live`), and `loadParents`, which runs first and may
 * throw.
 */
export interface Scopes {
  /** Of a list with these parameters: all parts. */
  ofList(call: Call, listArgs: Row): Promise<ListScope>
  /** Of single rows: all parts. */
  ofRecord(call: Call): Promise<Conditions>
  /** Of single rows, live or not. */
  ofStored(call: Call): Promise<Conditions>
  /** Of single rows, live or not, without `loadParents`. */
  ofAny(call: Call): Promise<Conditions>
  /** Of rows that were just created, without `loadParents`: their hooks may have changed what the scope depends on. */
  ofNew(call: Call): Promise<Conditions>
  /** Of live rows, by the option `scope` and not by the path: for references from other resources. */
  ofCaller(call: Call): Promise<Conditions>
  /** Of live rows that records of another resource list, by `scope` or its `list` and not by the path. */
  ofListed(call: Call): Promise<Conditions>
}

interface ListScope {
  readonly where: Conditions
  /** The values that every row has by the option `scope`, such as the tenant. */
  readonly tenancy: readonly unknown[]
}

/** Refuses a loaded row that is locked by now. @throws HttpError 412 `stale`, 428 `precondition_missing` */
export type Precondition = (row: Row, call: Call) => void | Promise<void>

/** A row that is about to be written. */
export interface Write {
  readonly call: Call
  /** The row as it is stored, locked; a new one has none. */
  readonly found: Row | undefined
  readonly columns: Row
  /** The conditions of the rows that exist for the caller. */
  readonly scope: Conditions
}

/** A row that will be written, and the columns that were sent for it. */
export type SentWrite = Pick<Write, 'found' | 'columns'>

/** The addition of a feature to a change by one statement. */
export interface SingleAddition {
  /** Conditions of the row; if it does not meet them, a transaction tells why. */
  readonly where: Conditions
  /** Columns that are increased by one. */
  readonly increments: readonly string[]
}

/** A row that was written, and the fields of the caller that are no columns of it. */
export interface RelatedWrite {
  /** The row as it is stored now. */
  readonly row: Row
  readonly isNew: boolean
  /** The values of {@link FeatureHooks.relatedFields} that the caller may write; `null` replaces by nothing. */
  readonly fields: Row
}

/** The rows that a request is about to write, as far as it names them before its transaction begins. */
export interface WriteTarget {
  /** The keys of rows that are changed. */
  readonly ids?: readonly unknown[]
  readonly sent: readonly Row[]
}

/** The behaviour that a feature adds to one resource. Every part is optional. */
export interface FeatureHooks {
  readonly actions?: Readonly<Record<string, CrudAction>>
  /** Returns an action with the additions of the feature; called for the actions of the core and of all features. */
  readonly wrapAction?: (spec: CrudSpec, name: string, effect: ActionEffect) => CrudSpec
  /** Returns an action of the option `custom` with the additions of the feature. */
  readonly wrapCustom?: (spec: CrudSpec) => CrudSpec
  /** Receives what `crud` returns. */
  readonly onBuilt?: (actions: object) => void

  /** Conditions of the rows that exist for any caller; only the feature's own actions reach the others. */
  readonly live?: Conditions
  /** Returns the conditions that replace `live` in a list with these parameters. */
  readonly liveInList?: (call: Call, listArgs: Row) => Promise<Conditions>
  /** Returns the conditions that the path of a request sets. */
  readonly pathConditions?: (call: Call) => Conditions
  /**
   * Loads and locks the records that the path of a request names, inside its transaction. @throws NotFoundError if one
   * does not exist
   */
  readonly loadParents?: (call: Call) => Promise<void>

  /** Path arguments that it reads in addition to the key. */
  readonly pathArguments?: readonly string[]
  /** Returns the values of those, as their schemas have read them. */
  readonly readPathArguments?: (call: Call) => Row
  /**
   * Returns those of its parameters that this caller may not use; `denied` are the fields that the caller may not read.
   */
  readonly hiddenParameters?: (call: Call, denied: ReadonlySet<string>) => Promise<readonly string[]>
  /** Returns the query of a list with the parameters of the core, from the values of all parameters. */
  readonly readParameters?: (call: Call, listArgs: Row) => Row
  /** Reads a list in its own way, `undefined` where these parameters do not ask for that. */
  readonly readList?: (call: Call, listArgs: Row, toOutput: ToOutput) => Promise<AnyPage<Row>> | undefined
  /** Returns more `meta` of a list with these parameters, inside its deadline. */
  readonly listMeta?: (call: Call, listArgs: Row) => Promise<Meta>
  /** Returns the outputs of rows with its additions. */
  readonly addToOutputs?: (call: Call, rows: readonly Row[], outputs: readonly Row[]) => Promise<readonly Row[]>
  /** Makes `addToOutputs` add these of its fields, whether or not the request asks for them. */
  readonly includeFields?: (call: Call, fields: readonly string[]) => void
  /** The fields of the output that `addToOutputs` adds: they are no part of the record itself. */
  readonly addedFields?: readonly string[]
  /** Returns headers of a reply with one record; `sent` is the record as it is sent. */
  readonly recordHeaders?: (row: Row, sent: unknown) => Readonly<Record<string, string>>
  /** The headings of fields in files, for other features that read or write files. */
  readonly headings?: ReadonlyMap<string, string>

  /**
   * Returns the preconditions of a request on the rows with these keys, before its transaction begins; `areDeleted` is
   * true for soft-deleted rows, which no reply shows.
   */
  readonly precondition?: (
    call: Call,
    keys: readonly unknown[],
    areDeleted: boolean,
  ) => Promise<Precondition | undefined>
  /** Locks the rows of other resources that come before these rows, which are sent or were read without a lock. */
  readonly lockAbove?: (call: Call, rows: readonly Row[]) => Promise<void>
  /** Returns the keys of the rows that a transaction locks first. */
  readonly locks?: (call: Call, target: WriteTarget) => Promise<readonly unknown[]>
  /** Returns the error to throw in place of one that a transaction has thrown. */
  readonly explainError?: (call: Call, error: unknown) => Promise<unknown>
  /** Returns the columns of a new row in addition to its fields. */
  readonly columnsOfNew?: () => Row
  /**
   * Returns the meaning of `precondition` and `columnsOfChange` for a change of the row with this key by one statement,
   * `undefined` where the row has to be read for them.
   */
  readonly singleChange?: (call: Call, key: unknown) => SingleAddition | undefined
  /** Returns the columns that every change of this row writes in addition to its fields. */
  readonly columnsOfChange?: (row: Row) => Row
  /** Checks a row before it is written. */
  readonly beforeWrite?: (write: Write) => Promise<void>
  /**
   * Checks new rows that are added together, as `beforeWrite` checks one. Without it, rows that `beforeWrite` checks
   * are added one by one.
   */
  readonly beforeCreateAll?: (writes: readonly Write[]) => Promise<void>
  /** Locks the rows that these writes refer to, by one statement. `beforeWrite` still checks each of the writes. */
  readonly lockReferenced?: (call: Call, writes: readonly SentWrite[]) => Promise<void>
  /** The columns whose values must name rows in the scope of the caller, which the feature checks. */
  readonly checkedColumns?: readonly string[]
  /** The other resources whose rows it reads and writes together with the rows of this one. */
  readonly relatedPlans?: readonly CrudPlan[]
  /** The fields of `input` that are no columns: `writeRelated` gets them, and hooks of the application do not. */
  readonly relatedFields?: readonly string[]
  /** Returns the rows of other resources that belong to a row; inside a transaction they are locked. */
  readonly relatedRows?: (call: Call, row: Row) => Promise<readonly unknown[]>
  /** Writes the rows of other resources that belong to a row, before the hook `after` of that row. */
  readonly writeRelated?: (call: Call, write: RelatedWrite) => Promise<void>
  /** Receives rows that were deleted or restored, and rows whose related rows were changed. */
  readonly rowsChanged?: (call: Call, rows: readonly Row[]) => Promise<void>
  /**
   * Removes the rows of other resources that belong to rows which are about to be removed from the store, and returns
   * those of them that are rows of the same table: they may be among the rows that are to be removed.
   */
  readonly beforeRemoval?: (call: Call, rows: readonly Row[]) => Promise<readonly Row[]>
  /** Deletes rows in its own way, in place of removing them from the store. */
  readonly deleteRows?: (call: Call, rows: readonly Row[]) => Promise<void>
  readonly dependents?: Dependents
}

export type ToOutput = (rows: readonly Row[]) => Promise<Row[]>

/** Rows that depend on other rows of the same store, such as the descendants in a tree. */
export interface Dependents {
  /**
   * Returns the rows that are deleted with these, of those that meet `among`. @throws ConflictError where one must
   * stay, or is outside `scope`
   */
  readonly deletedWith: (
    store: Rows,
    rows: readonly Row[],
    among: Conditions,
    scope: Conditions,
  ) => Promise<readonly Row[]>
  /** Detaches dependents that stay from rows that are about to be deleted. */
  readonly detach: (call: Call, rows: readonly Row[]) => Promise<void>
  /** Returns rows in batches, dependents first, so that no row refers to one that is gone. */
  readonly deletionOrder: (rows: readonly Row[]) => readonly (readonly Row[])[]
  /** Returns the condition of the rows that are deleted with these directly, `undefined` where there are none. */
  readonly conditionOf: (rows: readonly Row[]) => Conditions | undefined
  /**
   * Returns the rows that are restored with a row; `together` holds for rows that were deleted together with it.
   * @throws ConflictError where the row no longer fits
   */
  readonly restoredWith: (store: Rows, row: Row, together: Conditions) => Promise<readonly Row[]>
}
