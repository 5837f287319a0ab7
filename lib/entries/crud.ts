export { crud } from '../crud/crud.js'
export { idempotent } from '../crud/features/idempotency/idempotent.js'
export { filter } from '../crud/core/filters.js'
export { raw } from '../crud/contract/store.js'
export { CheckViolation, ColumnViolation, ForeignKeyViolation, NotNullViolation,
  UniqueViolation } from '../crud/contract/violations.js'
export { memoryStore } from '../adapters/memory/memory-store.js'

// Some of these are named by inferred types alone: a project that emits declarations needs a name for each part.
export type { Crud, CrudFunction } from '../crud/crud.js'
export type { AddedFields, CrudOptions, FeatureArgs, HookContext, Hooks, ListOptions, Members,
  WithFields } from '../crud/feature-options.js'
export type { BulkAction, BulkActions } from '../crud/features/bulk/bulk.js'
export type { AllChildren, AllLinks, ChildFields } from '../crud/features/children/options.js'
export type { Dialect } from '../crud/features/dialect/dialect.js'
export type { ExportAction, ExportActions } from '../crud/features/export/export.js'
export type { Idempotent, IdempotentOptions, IdempotentSpec } from '../crud/features/idempotency/idempotent.js'
export type { IdempotencyKey, IdempotencyOptions } from '../crud/features/idempotency/options.js'
export type { ImportAction, ImportActions, ImportOutput, TrialInput } from '../crud/features/import/options.js'
export type { MemberAction, MemberActions } from '../crud/features/members/options.js'
export type { Referenced } from '../crud/features/references/options.js'
export type { SoftDeleteAction, SoftDeleteActions, SoftDeleteArgs,
  SoftDeleteOptions } from '../crud/features/soft-delete/options.js'
export type { OnDelete, TreeArgs, TreeOptions } from '../crud/features/tree/options.js'
export type { Action, CrudHandlers, ListArgs, ListParameters, Renamed, Titled } from '../crud/core/result-types.js'
export type { CustomFilter, FieldFilter } from '../crud/core/filters.js'
export type { FieldRules, Scope } from '../crud/core/options.js'
export type { Rule } from '../crud/core/rules.js'
export type { MemoryOptions } from '../adapters/memory/memory-store.js'
export type { Condition, FindOptions, ListQuery, RawCondition, Store, TransactionOptions,
  Where } from '../crud/contract/store.js'
export type { Violated } from '../crud/contract/violations.js'
