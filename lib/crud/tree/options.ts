type Field<Row> = keyof Row & string
type Parents<Row, Key> = { [K in Field<Row>]: null extends Row[K] ? (NonNullable<Row[K]> extends Key ? K : never) : never }[Field<Row>]

/** What deleting a parent does: it is refused, deletes the descendants too, or gives the children to its own parent. */
export type OnDelete = 'restrict' | 'cascade' | 'reparent'

/** Rows that stand under one another. */
export interface TreeOptions<Row, Key> {
  /** The field with the key of the parent, null at a root; it is in the `output`. */
  readonly parent: Parents<Row, Key>
  /** The most levels, from 1 to 100; a root is on the first. @default 10 */
  readonly depth?: number
  /** The most rows, up to 10,000, that are listed as a tree, or go with the one that is moved or deleted. @default 1000 */
  readonly size?: number
  /**
   * What deleting a parent does: `restrict` replies 409, `cascade` deletes its descendants too, each with its check and hooks, `reparent`
   * gives its children to its own parent.
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
