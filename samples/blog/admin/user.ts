import type { SelectQueryBuilder, Selectable } from 'kysely'
import { findOrFail } from 'resourcery'
import type { Database, Tables, UserTable } from '../database/schema.js'

/** What of a user leaves the house: everything but the password's hash. */
export const COLUMNS = ['id', 'name', 'email', 'status', 'age', 'role', 'avatarUrl', 'createdAt'] as const

export type User = Pick<Selectable<UserTable>, (typeof COLUMNS)[number]>

export function selectUsers(db: Database): SelectQueryBuilder<Tables, 'users', User> {
  return db.selectFrom('users').select(COLUMNS)
}

/** @throws NotFoundError when there is no such user. */
export function findUser(db: Database, id: number): Promise<User> {
  return findOrFail(selectUsers(db).where('id', '=', id).executeTakeFirst(), 'No such user')
}
