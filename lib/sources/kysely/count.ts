import { toCount } from '../../paging/count.js'
import type { Builder, Node, Plugin, QueryNode } from './builder.js'

/** How many rows a query has, whatever it joins, groups or makes distinct. */
export async function countRows(query: Builder): Promise<number> {
  const [row = {}] = await query.clearOrderBy().withPlugin(counting).execute()
  return toCount(Object.values(row)[0])
}

const counting: Plugin = {
  transformQuery: ({ node }) => ({ ...(selectsRowsAsTheyAre(node) ? node : selectFrom(node)), selections }),
  transformResult: ({ result }) => Promise.resolve(result),
}

const selections = [{ kind: 'SelectionNode', selection: { kind: 'RawNode', sqlFragments: ['count(*) as total'], parameters: [] } }]

function selectFrom(node: QueryNode): QueryNode {
  const subquery = { kind: 'AliasNode', node, alias: { kind: 'IdentifierNode', name: 'counted' } }
  return { kind: 'SelectQueryNode', from: { kind: 'FromNode', froms: [subquery] } }
}

/** Such a query is counted without a subquery, in which MySQL would refuse two columns of one name, as a join has them. */
function selectsRowsAsTheyAre(node: QueryNode): boolean {
  const changing = [node.groupBy, node.having, node.distinctOn, node.setOperations, node.frontModifiers, node.endModifiers]
  return changing.every((part) => part === undefined) && (node.selections ?? []).every(({ selection }) => isColumn(selection))
}

function isColumn(node: Node): boolean {
  if (node.kind === 'AliasNode' && node.node !== undefined) return isColumn(node.node)
  return node.kind === 'ReferenceNode' || node.kind === 'SelectAllNode'
}
