import type { ExtensionOf } from '../extension.js'
import type { BulkName } from './actions.js'
import { createManyHandler } from './create-many.js'
import { itemsSchema, selectionSchema } from './schemas.js'
import { updateManyHandler } from './update-many.js'

/** `createMany` and `updateMany`. */
export const bulkExtension: ExtensionOf = (plan) => {
  const { bulk } = plan.options
  if (bulk === undefined) return undefined
  const { schemas } = plan
  const { outputs: output } = schemas
  const actions = {
    createMany: { methods: ['POST'], route: '/bulk', input: itemsSchema(schemas), output, status: 201, message: 'Created', handler: createManyHandler(plan) },
    updateMany: { methods: ['PUT'], route: '', input: selectionSchema(schemas), output, message: 'Saved', handler: updateManyHandler(plan) },
  } as const
  return { custom: Object.fromEntries(Object.entries(actions).filter(([name]) => bulk === true || bulk.includes(name as BulkName))) }
}
