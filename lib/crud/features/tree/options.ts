import type { z } from 'zod'
import { MisuseError, type Complete } from '../../../core/index.js'

type Field<R> = keyof R & string
type Parents<R, Key> = {
  [K in Field<R>]: null extends R[K] ? (NonNullable<R[K]> extends Key ? K : never) : never
}[Field<R>]

/**
 * The effect of deleting a parent: it is refused, deletes the descendants too, or gives the children to its own parent.
 */
export type OnDelete = 'restrict' | 'cascade' | 'reparent'

/** A tree: rows that refer to other rows of the same store as their parents. */
export interface TreeOptions<R, Key> {
  /** The field with the key of the parent, null at a root; it is in the `output`. */
  readonly parent: Parents<R, Key>
  /** The most levels, from 1 to 100; a root is on the first. @default 10 */
  readonly depth?: number | undefined
  /**
   * The most rows, up to 10,000, that are listed as a tree, or are moved or deleted with their ancestor. @default 1000
   */
  readonly size?: number | undefined
  /**
   * The effect of deleting a parent: `restrict` replies 409, `cascade` deletes its descendants too, each with its check
   * and hooks, `reparent` gives its children to its own parent.
   */
  readonly onDelete: OnDelete
}

export interface TreeOption<R, Id extends z.ZodType> {
  /** Makes the rows a tree: `tree=true` lists children inside their parents. @default no tree */
  readonly tree?: TreeOptions<R, z.output<Id>> | undefined
}

/** The option once more, from which the name of its column is inferred. */
export interface TreeColumn<Column extends string> {
  readonly tree?: { readonly parent: Column } | undefined
}

/** The parameters that the option adds to the list; `Column` is `never` without it. */
export type TreeArgs<Column extends string = string> = [Column] extends [never] ? object
  : { readonly tree?: boolean | undefined }

export type AnyTree = TreeOptions<Record<string, unknown>, unknown>

/** The tree of a resource, its bounds decided. */
export type Tree = Complete<AnyTree>

const POLICIES: readonly string[] = ['restrict', 'cascade', 'reparent']
/** Policies of an earlier version, each with the name that replaced it. */
const RENAMED: Readonly<Record<string, string>> = { refuse: 'restrict', lift: 'reparent' }

/**
 * Returns the tree with its defaults. @throws MisuseError `crud_tree` for bounds out of range, and for an unknown
 * policy
 */
export function treeOf({ depth = 10, size = 1000, ...options }: AnyTree): Tree {
  checkBound('depth', depth, 100)
  checkBound('size', size, 10_000)
  checkPolicy(options.onDelete)
  return { depth, size, ...options }
}

function checkPolicy(policy: string): void {
  if (POLICIES.includes(policy)) return
  const fault = Object.hasOwn(RENAMED, policy)
    ? `\`tree.onDelete: '${policy}'\` of crud was renamed to '${RENAMED[policy]}'.`
    : "`tree.onDelete` of crud must be 'restrict', 'cascade' or 'reparent'."
  throw new MisuseError('crud_tree', fault)
}

function checkBound(name: 'depth' | 'size', bound: number, most: number): void {
  if (Number.isInteger(bound) && bound >= 1 && bound <= most) return
  throw new MisuseError('crud_tree', `\`tree.${name}\` of crud must be a whole number from 1 to ${most}, not ${bound}.`)
}
