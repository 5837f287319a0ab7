import type { PageSource } from 'resourcery'
import { BusinessError, ConflictError, findOrFail, NotFoundError } from 'resourcery'
import { fromKysely } from 'resourcery/sources/kysely'
import type { Selectable, Updateable } from 'kysely'
import type { z } from 'zod'
import type { Caller } from '../caller.js'
import { insertRow } from '../database/insert.js'
import type { Database, PostTable } from '../database/schema.js'
import { contains } from '../database/search.js'
import { isForeignKeyViolation } from '../database/violations.js'
import type { NewPost, PostQuery } from './post.js'

type Row = Selectable<PostTable>

interface Filters extends z.output<typeof PostQuery> {
  readonly search: string
  readonly ids: readonly number[] | undefined
}

/** The posts that pass all filters; the id comes last in the order, so that no two posts are equal in it. */
export function listPosts(db: Database, { category, status, search, ids, sort }: Filters): PageSource<Row> {
  let posts = db.selectFrom('posts').selectAll().where(contains('title', search))
  if (category !== undefined) posts = posts.where('category', '=', category)
  if (status !== undefined) posts = posts.where('status', '=', status)
  if (ids !== undefined) posts = posts.where('id', 'in', ids)
  return fromKysely(posts, { by: [...sort, '-id'] })
}

/** @throws NotFoundError when there is no such post. */
export function findPost(db: Database, id: number): Promise<Row> {
  return findOrFail(db.selectFrom('posts').selectAll().where('id', '=', id).executeTakeFirst(), 'No such post')
}

export async function createPost(db: Database, author: Caller, post: z.output<typeof NewPost>): Promise<Row> {
  try {
    return await findPost(db, await insertRow(db, 'posts', { ...post, authorId: author.id, createdAt: new Date() }))
  } catch (error) {
    throw isForeignKeyViolation(error) ? new ConflictError('Your account is gone') : error
  }
}

/** @throws BusinessError 403 `post.not_author` when the caller is neither the author nor an admin. */
export async function changePost(db: Database, caller: Caller, id: number, changes: Updateable<PostTable>): Promise<Row> {
  checkAuthor(caller, await findPost(db, id))
  if (Object.keys(changes).length > 0) await db.updateTable('posts').set(changes).where('id', '=', id).execute()
  return findPost(db, id)
}

/**
 * Deletes all of these posts, or none.
 *
 * @throws NotFoundError when one of them does not exist.
 * @throws BusinessError 403 `post.not_author` when the caller may not delete one of them.
 */
export async function deletePosts(db: Database, caller: Caller, ids: readonly number[]): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    const posts = await transaction.selectFrom('posts').select(['id', 'authorId']).where('id', 'in', ids).execute()
    if (posts.length < ids.length) throw new NotFoundError(ids.length === 1 ? 'No such post' : 'One of these posts does not exist')
    for (const post of posts) checkAuthor(caller, post)
    await transaction.deleteFrom('posts').where('id', 'in', ids).execute()
  })
}

function checkAuthor(caller: Caller, post: Pick<Row, 'authorId'>): void {
  if (caller.isAdmin || post.authorId === caller.id) return
  throw new BusinessError('Only the author or an admin may do this', 403, { reason: 'post.not_author' })
}
