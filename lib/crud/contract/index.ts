/*
 * The contract between `crud` and its stores: the face that `adapters` and `tools` use.
 */
export { checkValues, checkWhere, withoutUndefined, describe, isCallable, isEither, isRaw, misfit,
  UUID } from './checks.js'
export type { AnyCondition, AnyWhere, FieldCondition } from './checks.js'
export { joinLocks, tableOf, withSingleWrites, withTable, withTurns } from './connection.js'
export type { ForeignKey, KnownTable, Place } from './connection.js'
export type { Accepted, AcceptedColumns, Ensured, Limit, SingleWrites } from './single-writes.js'
export type { Store, Where } from './store.js'
export { createLock, createTurns, inTurn, stateInTurn } from './turns.js'
export type { Turn } from './turns.js'
export { CheckViolation, ColumnViolation, DeferredViolation, ForeignKeyViolation, NotNullViolation,
  UniqueViolation } from './violations.js'
export type { Violated } from './violations.js'
