import { BusinessError, NotFoundError } from 'resourcery'
import type { Database } from '../database/schema.js'
import { isForeignKeyViolation } from '../database/violations.js'

/**
 * Deletes all of these users, or none.
 *
 * @throws NotFoundError when one of them does not exist.
 * @throws BusinessError 409 `user.has_posts` when one of them still has posts, which the database itself finds out.
 */
export async function deleteUsers(db: Database, ids: readonly number[]): Promise<void> {
  try {
    await db.transaction().execute(async (transaction) => {
      const found = await transaction.selectFrom('users').select('id').where('id', 'in', ids).execute()
      if (found.length < ids.length) throw new NotFoundError(ids.length === 1 ? 'No such user' : 'One of these users does not exist')
      await transaction.deleteFrom('users').where('id', 'in', ids).execute()
    })
  } catch (error) {
    if (!isForeignKeyViolation(error)) throw error
    throw new BusinessError('Somebody who still has posts cannot be deleted', 409, { reason: 'user.has_posts' })
  }
}
