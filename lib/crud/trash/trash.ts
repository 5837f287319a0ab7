import { z } from 'zod'
import type { ExtensionOf } from '../extension.js'
import { emptyHandler } from './empty.js'
import { restoreHandler } from './restore.js'

/** `restore` and `trash`: out of the bin, and out of the world. */
export const trashExtension: ExtensionOf = (plan) => {
  const { bin, schemas: { path, output } } = plan
  if (bin === undefined) return undefined
  return {
    custom: {
      restore: { methods: ['PUT'], route: '/:id/restore', input: path, output, message: 'Restored', handler: restoreHandler(plan, bin) },
      trash: { methods: ['DELETE'], route: '/:id/trash', input: path, output: z.null(), message: 'Deleted for good', handler: emptyHandler(plan, bin) },
    },
  }
}
