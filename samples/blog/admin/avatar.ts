import { findOrFail, RequestParam, send, type FileFields, type Handler, type LocalDisk } from 'resourcery'
import type { Database } from '../database/schema.js'
import type { Services } from '../services.js'
import { findUser } from './user.js'
import { userIdOf } from './user-id.js'

/** What the form of an avatar may hold. */
export const AVATAR_FILES: FileFields = {
  avatar: { types: ['image/jpeg', 'image/png'], maxBytes: 2_000_000, required: true },
}

/** Stores a new avatar, and deletes the one that it replaces. */
export const uploadAvatar = ({ db, storage }: Services): Handler => async (req, res) => {
  const id = userIdOf(req)
  await findUser(db, id)
  const { url } = await findOrFail(RequestParam.file(req, 'avatar')).saveTo(storage)
  const replaced = await db.transaction().execute((transaction) => replaceAvatar(transaction, id, url))
  await deleteAvatar(storage, replaced)
  send(res, 'Stored', { avatar_url: url })
}

/** The avatar a user had, `null` for none; the row is locked, so that of two that come at once neither is forgotten. */
async function replaceAvatar(transaction: Database, id: number, avatarUrl: string): Promise<string | null> {
  const row = transaction.selectFrom('users').select('avatarUrl').where('id', '=', id).forUpdate()
  const { avatarUrl: replaced } = findOrFail(await row.executeTakeFirst(), 'No such user')
  await transaction.updateTable('users').set({ avatarUrl }).where('id', '=', id).execute()
  return replaced
}

/** Deletes the file behind an avatar that nobody has any more; that it stays is no reason to fail. */
export async function deleteAvatar(storage: LocalDisk, avatarUrl: string | null): Promise<void> {
  if (avatarUrl === null) return
  await storage.deleteFile(avatarUrl.slice(avatarUrl.lastIndexOf('/') + 1)).catch(console.error)
}
