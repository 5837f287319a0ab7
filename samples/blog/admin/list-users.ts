import { paginate, param, type Page } from 'resourcery'
import { fromKysely } from 'resourcery/kysely'
import { z } from 'zod'
import type { Database } from '../database/schema.js'
import { contains } from '../database/search.js'
import { selectUsers, type User } from './user.js'

/** The parameters of the list of users beside `page`, `limit` and `search`. */
export const UserQuery = z.object({
  sort: z.enum(['id', '-id', 'name', '-name', 'createdAt', '-createdAt']).default('id'),
  status: param.int().min(-2_147_483_648).max(2_147_483_647).optional(),
  ids: param.list(param.int()).max(100).optional(),
})

interface UserPage extends z.output<typeof UserQuery> {
  readonly page: number
  readonly limit: number
  readonly search: string
}

/** Returns a page of the users that fit; those of one name are listed by their ids. */
export function listUsers(db: Database, { page, limit, search, sort, status, ids }: UserPage): Promise<Page<User>> {
  let users = selectUsers(db).where(contains(db, 'name', search))
  if (status !== undefined) users = users.where('status', '=', status)
  if (ids !== undefined) users = users.where('id', 'in', ids)
  return paginate(fromKysely(users, { by: sort.endsWith('id') ? [sort] : [sort, 'id'] }), { page, limit })
}
