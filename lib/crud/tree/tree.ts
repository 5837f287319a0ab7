import { MisuseError } from '../../errors.js'
import type { LooseTree } from './options.js'

/** The tree of a resource, its bounds decided. */
export type Tree = Required<LooseTree>

const DEEPEST = 100
const LARGEST = 10_000
const POLICIES: readonly string[] = ['restrict', 'cascade', 'reparent']
/** Policies of an earlier version, each with the name that replaced it. */
const RENAMED: Readonly<Record<string, string>> = { refuse: 'restrict', lift: 'reparent' }

/** @throws MisuseError `crud_tree` for bounds that are none, and without a policy. */
export function treeOf({ depth = 10, size = 1000, ...options }: LooseTree): Tree {
  if (!isWithin(depth, DEEPEST)) throw new MisuseError('crud_tree', `The depth of a tree is a whole number from 1 to ${DEEPEST}, not ${depth}.`)
  if (!isWithin(size, LARGEST)) throw new MisuseError('crud_tree', `The size of a tree is a whole number from 1 to ${LARGEST}, not ${size}.`)
  checkPolicy(options.onDelete)
  return { depth, size, ...options }
}

function checkPolicy(policy: string): void {
  if (POLICIES.includes(policy)) return
  const renamed = Object.hasOwn(RENAMED, policy) ? `\`onDelete: '${policy}'\` of a tree is called '${RENAMED[policy]}' now` : undefined
  throw new MisuseError('crud_tree', `${renamed ?? "`onDelete` of a tree is 'restrict', 'cascade' or 'reparent'"}.`)
}

function isWithin(bound: number, most: number): boolean {
  return Number.isInteger(bound) && bound >= 1 && bound <= most
}
