import { z } from 'zod'
import type { ExtensionOf } from '../extension.js'
import { purgeHandler } from './purge.js'
import { restoreHandler } from './restore.js'

/** Adds `restore` and `purge`. */
export const softDeleteExtension: ExtensionOf = (plan) => {
  const { softDelete, schemas: { path, output } } = plan
  if (softDelete === undefined) return undefined
  return {
    custom: {
      restore: { methods: ['PUT'], route: '/:id/restore', input: path, output, message: 'Restored', handler: restoreHandler(plan, softDelete) },
      purge: { methods: ['DELETE'], route: '/:id/purge', input: path, output: z.null(), message: 'Deleted for good', handler: purgeHandler(plan, softDelete) },
    },
  }
}
