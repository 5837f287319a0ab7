import type { Rule } from '../rule.js'

type Field<Row> = keyof Row & string
/** A field of time that may be null. */
export type TrashField<Row> = { [K in Field<Row>]: null extends Row[K] ? (NonNullable<Row[K]> extends Date ? K : never) : never }[Field<Row>]

/** A bin: what is deleted is marked, and can be restored or removed for good. */
export interface TrashOptions<Row, F extends TrashField<Row> = TrashField<Row>> {
  /** A column of time that may be null: since when the row has been in the bin. Nobody else writes it. */
  readonly field: F
  /**
   * Fields of which the store lets no two rows have the same value. A conflict with a row in the bin says so to whoever may list the bin.
   *
   * @default none
   */
  readonly unique?: readonly Field<Row>[]
  /**
   * Who may list the bin, restore from it and empty it, beside the permissions.
   *
   * @default whoever has the permissions; where none is asked for, nobody lists the bin
   */
  readonly allows?: Rule
}

/** Options whose row is no longer of interest. */
export interface LooseTrash {
  readonly field: string
  readonly unique?: readonly string[]
  readonly allows?: Rule
}
