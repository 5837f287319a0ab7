import type { Rule } from '../rule.js'

type Field<Row> = keyof Row & string
/** A field of time that may be null. */
export type SoftDeleteField<Row> = { [K in Field<Row>]: null extends Row[K] ? (NonNullable<Row[K]> extends Date ? K : never) : never }[Field<Row>]

/** Soft deletion: a deleted row is marked, and can be restored or purged. */
export interface SoftDeleteOptions<Row, F extends SoftDeleteField<Row> = SoftDeleteField<Row>> {
  /** A nullable column of time: when the row was deleted. Only `delete` and `restore` write it. */
  readonly field: F
  /**
   * Fields with a unique constraint in the store. A conflict with a soft-deleted row is `conflict_deleted` for callers who may list those.
   *
   * @default none
   */
  readonly unique?: readonly Field<Row>[]
  /**
   * Who may list soft-deleted rows, restore and purge them, in addition to the permissions.
   *
   * @default whoever has the permissions; without permissions nobody lists soft-deleted rows
   */
  readonly allows?: Rule
}

/** Options whose row is no longer of interest. */
export interface LooseSoftDelete {
  readonly field: string
  readonly unique?: readonly string[]
  readonly allows?: Rule
}
