import type { Handler } from 'resourcery'
import { sendCsv } from 'resourcery/csv'
import type { Database } from '../database/schema.js'
import { COLUMNS, selectUsers, type User } from './user.js'

const BATCH = 500

/** Streams all users as `text/csv`, as fast as the caller reads; when the caller leaves, no further row is fetched. */
export const exportUsers = (db: Database): Handler => (_req, res) =>
  sendCsv(res, allUsers(db), { columns: COLUMNS, fileName: 'users.csv' })

/** All users by id, so that neither a transaction nor a connection is held while the caller reads. */
async function* allUsers(db: Database): AsyncGenerator<User> {
  let last: number | undefined = 0
  while (last !== undefined) {
    const batch: User[] = await selectUsers(db).where('id', '>', last).orderBy('id').limit(BATCH).execute()
    yield* batch
    last = batch.length < BATCH ? undefined : batch.at(-1)?.id
  }
}
