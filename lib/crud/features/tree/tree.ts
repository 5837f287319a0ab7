import { z } from 'zod'
import { MisuseError, param } from '../../../core/index.js'
import { checkVisible, type Feature } from '../../core/index.js'
import { childrenFirst, descendantsToDelete, detachChildren } from './dependents.js'
import { readForest } from './forest.js'
import { treeOf, type AnyTree, type Tree } from './options.js'
import { checkPlace, keysOfMove, subtreeToRestore } from './place.js'
import { isChildOf } from './walk.js'

/** Makes the rows a tree: a row has a parent, and children that are listed inside it. */
export const tree: Feature<{ readonly tree?: AnyTree }, Tree> = {
  options: { tree: { names: ['parent', 'depth', 'size', 'onDelete'] } },
  parameters: {
    tree: {
      schema: param.bool().default(false).describe(
        'Lists children inside their parents, as `children`; `page` and `limit` then count roots',
      ),
      selectsRows: false,
    },
  },
  settingsOf(options, key) {
    const { tree: option, output } = options
    if (option === undefined) return undefined
    checkVisible([option.parent], options, key)
    const fault = Object.hasOwn(output.shape, 'children')
      ? '`tree` of crud sends children in the field `children`, which `output` has already: rename that field.'
      : option.parent === key
        && `\`tree.parent\` of crud is the key \`${key}\`: name the column that holds the key of the parent.`
    if (fault !== false) throw new MisuseError('crud_tree', fault)
    return treeOf(option)
  },
  listedOutput: nodeOf,
  install(plan, settings) {
    const live = () => plan.features.flatMap((feature) => feature.live ?? [])
    return {
      hiddenParameters: (_call, denied) => Promise.resolve(denied.has(settings.parent) ? ['tree'] : []),
      readList: (call, listArgs, toOutput) =>
        listArgs.tree === true ? readForest(call, settings, listArgs, toOutput) : undefined,
      locks: (call, target) => keysOfMove(call, settings, target, live()),
      beforeWrite: (write) => checkPlace(settings, write, live()),
      checkedColumns: [settings.parent],
      dependents: {
        deletedWith: descendantsToDelete(settings),
        detach: async (call, rows) => {
          if (settings.onDelete === 'reparent') await detachChildren(call, settings, rows)
        },
        deletionOrder: (rows) => childrenFirst(rows, plan.store.key, settings.parent),
        conditionOf: (rows) => (settings.onDelete === 'cascade' ? isChildOf(settings, plan.store, rows) : undefined),
        restoredWith: subtreeToRestore(settings, live),
      },
    }
  },
}

/** Returns the schema of a record with its children, which are sent where `tree=true`. */
function nodeOf(output: z.ZodObject): z.ZodObject {
  const id = output.meta()?.id
  const nested = output.extend({
    get children() {
      return z.array(node).optional().describe('The children, with `tree=true`')
    },
  })
  // `meta` returns another schema: the one with the name has to refer to itself.
  const node: z.ZodObject = id === undefined ? nested : nested.meta({ id: `${id}Node` })
  return node
}
