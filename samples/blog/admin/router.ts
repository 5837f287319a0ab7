import { Router } from 'express'
import { auth, permission, permissionsOf, send, UnauthorizedError } from 'resourcery'
import { callerOf } from '../caller.js'
import { mountLogin } from '../login.js'
import type { Services } from '../services.js'
import { mountPosts } from './posts.js'
import { selectUsers } from './user.js'
import { mountUsers } from './users.js'

/** The permissions of each role here; a user without a role counts as `user`. */
const ROLES = {
  admin: ['*'],
  editor: ['admin.posts.*', 'admin.users.list', 'admin.users.show'],
  user: ['admin.posts.list', 'admin.posts.show'],
}

/** The application `admin`: its users and posts. */
export function adminRouter(services: Services): Router {
  const admin = Router()
  admin.use(auth('admin', { secret: services.secret }), permission('admin', { roles: ROLES }))
  mountLogin(admin, 'admin', services)
  mountUsers(admin, services)
  mountPosts(admin, services.stores)

  admin.get('/me', async (req, res) => {
    const user = await selectUsers(services.db).where('id', '=', callerOf(req).id).executeTakeFirst()
    if (user === undefined) throw new UnauthorizedError('This account is gone')
    send(res, 'ok', user)
  })

  // All permissions, for a page that edits roles; `granted` is what this caller may do, for a page that offers nothing
  // else.
  admin.get('/permissions', (req, res) => {
    const granted = ROLES[(req.auth?.role ?? 'user') as keyof typeof ROLES]
    send(res, 'ok', permissionsOf(admin, 'admin'), { granted })
  })
  return admin
}
