import { z } from 'zod'
import { synchronous } from '../../validate/zod-schemas.js'
import type { Schemas } from '../schemas.js'
import { MOST_ROWS } from '../write.js'

/** What `createMany` reads: the fields of a creation, several times. */
export function itemsSchema({ create }: Schemas): z.ZodObject {
  return z.object({ items: z.array(create).min(1, 'Send at least one').max(MOST_ROWS, `Send at most ${MOST_ROWS}`) })
}

/** What `updateMany` reads: the fields of a partial change, for all of these rows. */
export function selectionSchema({ id, store }: Schemas): z.ZodObject {
  const { id: _path, ...fields } = store.shape
  const ids = z.array(id, 'Must be a list of ids').min(1, 'Provide at least one id').max(MOST_ROWS, `Name at most ${MOST_ROWS}`)
  return z.object({ ids: ids.transform(synchronous((all: unknown[]) => [...new Set(all)])), data: z.object(fields) })
}
