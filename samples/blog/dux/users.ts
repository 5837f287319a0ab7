import type { Router } from 'express'
import { mountResource, param } from 'resourcery'
import { crud } from 'resourcery/crud'
import { dux } from 'resourcery/dux'
import { z } from 'zod'
import { Avatar, AVATAR_FILES, deleteAvatar, uploadAvatar } from '../admin/avatar.js'
import { User } from '../admin/user.js'
import { hashPassword } from '../passwords.js'
import type { Services } from '../services.js'

export const NewUser = z.object({
  name: z.string().min(2, 'A name has at least 2 characters').max(50, 'A name has at most 50 characters'),
  email: z.email('This is no e-mail address').max(254).toLowerCase(),
  status: param.int().min(-2_147_483_648).max(2_147_483_647).default(1),
  age: param.int().min(18, 'An age is 18 or more').max(100, 'An age is 100 or less').nullable().default(null),
  password: z.string().min(8, 'A password has at least 8 characters').max(200).nullable().optional(),
})

/** Returns the columns of the fields that were sent: an empty password leaves the old one as it is. */
export async function columnsOf<Fields extends { password?: string | null | undefined }>(
  { password, ...fields }: Fields,
) {
  return { ...fields, ...(typeof password === 'string' && { passwordHash: await hashPassword(password) }) }
}

/** The users as a resource of `crud`, which `admin` has with handlers of its own. */
export function mountUsers(router: Router, services: Services): void {
  mountResource(router, {
    app: 'dux',
    route: '/users',
    name: 'users',
    tags: ['Users'],
    examples: { id: 4 },
    ...crud(services.stores.users, {
      input: NewUser,
      output: User,
      sort: ['name', 'email', 'age', 'createdAt'],
      search: ['name', 'email'],
      filters: { status: { eq: param.int() }, role: { eq: z.string().max(20) } },
      bulk: true,
      dialect: dux,
      before: {
        create: async (user) => ({ ...await columnsOf(user), createdAt: new Date() }),
        edit: (user) => columnsOf(user),
        store: (changes) => columnsOf(changes),
      },
      afterCommit: { delete: ({ avatarUrl }) => deleteAvatar(services.storage, avatarUrl) },
      custom: {
        avatar: {
          methods: ['POST'],
          route: '/:id/avatar',
          summary: 'Upload an avatar',
          files: AVATAR_FILES,
          input: z.object({ id: param.int() }),
          output: Avatar,
          message: 'Stored',
          handler: (req, res, { id }) => uploadAvatar(services, req, id),
        },
      },
    }),
  })
}
