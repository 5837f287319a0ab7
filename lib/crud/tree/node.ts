import { z } from 'zod'

/** A row of a list with those below it, which a list that is no tree does not have. */
export function nodeOf(output: z.ZodObject): z.ZodObject {
  const id = output.meta()?.id
  const nested = output.extend({
    get children() {
      return z.array(node).optional().describe('What stands below, where `tree=true`')
    },
  })
  // What `meta` returns is another schema: the one with the name has to stand in itself.
  const node: z.ZodObject = id === undefined ? nested : nested.meta({ id: `${id}Node` })
  return node
}
