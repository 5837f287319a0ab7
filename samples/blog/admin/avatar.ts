import type { Request } from 'express'
import { findOrFail, RequestParam, type FileFields, type LocalDisk } from 'resourcery'
import { z } from 'zod'
import type { Database } from '../database/schema.js'
import type { Services } from '../services.js'
import { findUser } from './user.js'

/** The form of an avatar. */
export const AVATAR_FILES: FileFields = {
  avatar: { types: ['image/jpeg', 'image/png'], maxBytes: 2_000_000, required: true },
}

/** The address of an avatar that was stored. */
export const Avatar = z.object({ avatar_url: z.string() })

/** Stores a new avatar, and deletes the one that it replaces. */
export async function uploadAvatar(
  { db, storage }: Services,
  req: Request,
  id: number,
): Promise<z.input<typeof Avatar>> {
  await findUser(db, id)
  const { url } = await findOrFail(RequestParam.file(req, 'avatar')).saveTo(storage)
  const replaced = await db.transaction().execute((transaction) => replaceAvatar(transaction, id, url))
  await deleteAvatar(storage, replaced)
  return { avatar_url: url }
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
