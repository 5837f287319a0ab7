import type { SelectQueryBuilder, Selectable } from 'kysely'
import { findOrFail } from 'resourcery'
import { z } from 'zod'
import type { Database, Tables, UserTable } from '../database/schema.js'

/** A user as it is sent: everything but the hash of the password. */
export const User = z.object({
  id: z.int(),
  name: z.string(),
  email: z.string(),
  status: z.int(),
  age: z.int().nullable(),
  role: z.string().nullable(),
  avatarUrl: z.string().nullable(),
  createdAt: z.date(),
}).meta({ id: 'User' })

/** The columns of a user that are read. */
export const COLUMNS = ['id', 'name', 'email', 'status', 'age', 'role', 'avatarUrl', 'createdAt'] as const

export type User = Pick<Selectable<UserTable>, (typeof COLUMNS)[number]>

export function selectUsers(db: Database): SelectQueryBuilder<Tables, 'users', User> {
  return db.selectFrom('users').select(COLUMNS)
}

/** @throws NotFoundError when there is no such user. */
export function findUser(db: Database, id: number): Promise<User> {
  return findOrFail(selectUsers(db).where('id', '=', id).executeTakeFirst(), 'No such user')
}
