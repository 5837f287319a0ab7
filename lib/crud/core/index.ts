/** The face of the core: what features, the public function and its types use of it. */
export { checkVisible } from './check-options.js'
export { createsTogether, partition, type Naming } from './create-rows.js'
export { crudWith, planOf } from './crud-with.js'
export { withPathArguments } from './custom.js'
export type { CrudCustomActions, MadeCustomActions } from './custom-types.js'
export { digest } from './digest.js'
export type { Call, CrudAction, CrudHandler, CrudPlan, CrudSpec, Dependents, Feature, FeatureHooks, Parameter,
  Precondition, RelatedWrite, SentWrite, SingleAddition, WriteTarget, ToOutput, Write, Written } from './feature.js'
export type { FittingColumns } from './fitting-columns.js'
export type { Action, ActionsWithArgs, ChangesOption, CrudHandlers, ListArgs, ListNames, Renamed,
  Titled } from './result-types.js'
export { exposeHeaders } from './headers.js'
export type { HookColumns, NoValue } from './hook-columns.js'
export { keyText } from './key-text.js'
export { fieldOf, restoreNames, nameCheckOf, renameShape, sentName, sortableFields,
  wireName } from './list-parameters.js'
export { listQuery, type ListedQuery } from './list-query.js'
export { nameItem, namingItem, namingList } from './naming.js'
export type { ActionOptions, CoreHookContext, CoreHooks, CoreListName, CoreListOptions, CoreOptions,
  Scope } from './options.js'
export { merge, onEach, type AnyContext, type AnyOptions, type AnyStore, type Conditions, type Row,
  type Rows } from './any-resource.js'
export { successReply, toCheckedOutput, toOutput, toOutputOne, withHeaders } from './output.js'
export { SharedValue, loadInScope, reachableKeys, storeInside } from './call.js'
export { asStored, checkStays, columnsOfChange, CREATING, deleteRows, rowWriter, tellChanged, updateRow,
  type RowWriter } from './row-writer.js'
export { isAllowed, isPermitted, type Rule } from './rules.js'
export { isReadOnly, READ_ONLY, shapeOf, valueOf, type Schemas } from './schemas.js'
export { checkInScope, conditionsFrom, tenancyOf, withoutLocks } from './scope.js'
export { askFieldRules, DEFAULT_DEADLINE, explainedError, explainingErrors, hasOwnCode, inTransaction, lockAbove,
  preconditionOf, runAfterCommit, storeDeadline, type Done } from './transaction.js'
export { checkNewFields, checkPathFields, readOnlyIn } from './unknown-fields.js'
export { NO_FIELDS, reportingFaults, reportingViolations } from './violations.js'
export { columnsFrom } from './writable.js'
export { MOST_ROWS, replyWritten } from './write.js'
