import { BusinessError, NotFoundError } from 'resourcery'
import type { Database } from '../database/schema.js'
import { isForeignKeyViolation } from '../database/violations.js'
import type { Services } from '../services.js'
import { deleteAvatar } from './avatar.js'

/**
 * Deletes all of these users and their avatars, or none.
 *
 * @throws NotFoundError when one of them does not exist.
 * @throws BusinessError 409 `user.has_posts` when one of them still has posts, which the database itself finds out.
 */
export async function deleteUsers({ db, storage }: Services, ids: readonly number[]): Promise<void> {
  const avatars = await deleteRows(db, ids)
  await Promise.all(avatars.map((avatarUrl) => deleteAvatar(storage, avatarUrl)))
}

/** Says which avatars they had. */
async function deleteRows(db: Database, ids: readonly number[]): Promise<(string | null)[]> {
  try {
    return await db.transaction().execute(async (transaction) => {
      const found = await transaction
        .selectFrom('users')
        .select('avatarUrl')
        .where('id', 'in', ids)
        .forUpdate()
        .execute()
      if (found.length < ids.length) {
        throw new NotFoundError(ids.length === 1 ? 'No such user' : 'One of these users does not exist')
      }
      await transaction.deleteFrom('users').where('id', 'in', ids).execute()
      return found.map(({ avatarUrl }) => avatarUrl)
    })
  } catch (error) {
    if (!isForeignKeyViolation(error)) throw error
    throw new BusinessError('Somebody who still has posts cannot be deleted', 409, { reason: 'user.has_posts' })
  }
}
