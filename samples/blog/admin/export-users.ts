import { once } from 'node:events'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Handler } from 'resourcery'
import { csvLine } from '../csv.js'
import type { Database } from '../database/schema.js'
import { selectUsers, type User } from './user.js'

const HEADINGS = ['id', 'name', 'email', 'status', 'age', 'role', 'avatarUrl', 'createdAt'] as const
const BATCH = 500

/** Streams all users as `text/csv`, as fast as the caller reads; when the caller leaves, no further row is fetched. */
export const exportUsers = (db: Database): Handler => async (req, res) => {
  const csv = Readable.from(csvOf(db))
  await once(csv, 'readable') // what fails before the first row can still be answered
  res.set({ 'Content-Type': 'text/csv; charset=utf-8; header=present', 'Content-Disposition': 'attachment; filename="users.csv"' })
  try {
    await pipeline(csv, res)
  } catch (error) {
    if (!hasLeft(error)) throw error
  }
}

function hasLeft(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE'
}

async function* csvOf(db: Database): AsyncGenerator<string> {
  let lines = csvLine(HEADINGS)
  for await (const batch of batches(db)) {
    for (const user of batch) lines += csvLine(HEADINGS.map((column) => user[column]))
    yield lines
    lines = ''
  }
}

/** All users by id, so that neither a transaction nor a connection is held while the caller reads. */
async function* batches(db: Database): AsyncGenerator<User[]> {
  let last: number | undefined = 0
  while (last !== undefined) {
    const batch = await selectUsers(db).where('id', '>', last).orderBy('id').limit(BATCH).execute()
    yield batch
    last = batch.length < BATCH ? undefined : batch.at(-1)?.id
  }
}
