type Field<Row> = keyof Row & string
type Parents<Row, Key> = { [K in Field<Row>]: null extends Row[K] ? (NonNullable<Row[K]> extends Key ? K : never) : never }[Field<Row>]

/** What happens to children whose parent is deleted: nothing is, all of them are too, or they go to its own parent. */
export type OnDelete = 'refuse' | 'cascade' | 'lift'

/** Rows that stand under one another. */
export interface TreeOptions<Row, Key> {
  /** The field with the key of the parent, null at a root; it is in the `output`. */
  readonly parent: Parents<Row, Key>
  /** The most levels, from 1 to 100; a root is on the first. @default 10 */
  readonly depth?: number
  /** The most rows, up to 10,000, that are listed as a tree, or go with the one that is moved or deleted. @default 1000 */
  readonly size?: number
  /**
   * Deleting a parent: `refuse` answers 409, `cascade` deletes all below it, each with its check and hooks, `lift` hands its children to
   * the grandparent.
   */
  readonly onDelete: OnDelete
}

/** Options whose row is no longer of interest. */
export interface LooseTree {
  readonly parent: string
  readonly depth?: number
  readonly size?: number
  readonly onDelete: OnDelete
}
