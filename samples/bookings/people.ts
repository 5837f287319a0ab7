import type { Express, Request, Router } from 'express'
import { BusinessError, isGranted, mountResource, permissionsOf, send, ValidationError } from 'resourcery'
import { crud } from 'resourcery/crud'
import { kyselyStore } from 'resourcery/kysely'
import { z } from 'zod'
import { audited, type Context } from './audit.js'
import { callerOf, ofTenant, type SignedIn } from './callers.js'
import type { Database } from './database.js'
import { hashOf } from './passwords.js'

const Role = z.object({ id: z.int(), name: z.string().min(1), permissions: z.array(z.string()) })
const NewUser = z.object({
  name: z.string().min(1),
  email: z.email().toLowerCase(),
  roleId: z.int32(),
  active: z.boolean().default(true),
  password: z.string().min(12),
})
const User = NewUser.omit({ password: true }).extend({ id: z.int() })

/** Mounts roles, users and permissions. Nobody can grant a permission that they lack, or change who has it. */
export function mountPeople(app: Express, desk: Router, db: Database, signedIn: SignedIn): void {
  const checkRole = ({ permissions = [] }: { permissions?: string[] | undefined }, { req }: Context): void => {
    const ids = permissionsOf(app, 'desk').flatMap(({ children }) => children.map(({ name }) => name))
    const unknown = permissions.filter((one) => !ids.some((id) => isGranted([one], id)))
    if (unknown.length > 0) throw new ValidationError({ permissions: [`No permission is called ${unknown.join()}`] })
    checkGrant(req, permissions)
  }
  // A change of a role holds for the next request of each of its users, whatever token they have.
  const forgetUsersOf = async ({ id }: { id: number }): Promise<void> => {
    const users = await db.selectFrom('users').select('id').where('roleId', '=', id).execute()
    await Promise.all(users.map((user) => signedIn.forget(user.id)))
  }
  const roles = crud(kyselyStore(db, 'roles', { columns: { permissions: 'json' } }), {
    input: Role.omit({ id: true }),
    output: Role,
    scope: ofTenant,
    after: audited('roles'),
    sort: ['name'],
    conflicts: { roles_name: { field: 'name' }, users_role: { message: 'The role has users' } },
    check: ({ permissions }, { req, action }) => {
      if (action !== 'show') checkGrant(req, permissions)
    },
    before: { create: checkRole, edit: checkRole, store: checkRole },
    afterCommit: { edit: forgetUsersOf, store: forgetUsersOf },
  })
  mountResource(desk, { app: 'desk', route: '/roles', name: 'roles', ...roles })

  const checkRoleOf = async ({ roleId = 0 }: { roleId?: number | undefined }, { req, action, store }: Context) => {
    const role = store.db.selectFrom('roles').select('permissions').where('id', '=', roleId)
    if (action !== 'show') checkGrant(req, (await role.executeTakeFirst())?.permissions ?? [])
  }
  const hashed = async ({ password, ...user }: Partial<z.output<typeof NewUser>>, context: Context) => {
    await checkRoleOf(user, context)
    return { ...user, ...(password !== undefined && { passwordHash: hashOf(password) }) }
  }
  const forget = ({ id }: { id: number }) => signedIn.forget(id)
  const users = crud(kyselyStore(db, 'users'), {
    input: NewUser,
    output: User,
    scope: ofTenant,
    after: audited('users'),
    sort: ['name', 'email'],
    search: ['name', 'email'],
    references: { roleId: { of: roles, message: 'No such role' } },
    check: checkRoleOf,
    before: { create: hashed, edit: hashed, store: hashed },
    afterCommit: { edit: forget, store: forget, delete: forget },
  })
  mountResource(desk, { app: 'desk', route: '/users', name: 'users', ...users })

  desk.get('/me', (req, res) => send(res, 'ok', { id: callerOf(req).id, name: callerOf(req).name }))
  desk.get('/permissions',
    (req, res) => send(res, 'ok', permissionsOf(app, 'desk'), { granted: callerOf(req).permissions }))
}

function checkGrant(req: Request, permissions: readonly string[]): void {
  const lacking = permissions.find((one) => !isGranted(callerOf(req).permissions, one))
  if (lacking !== undefined) throw new BusinessError('You may not grant a permission that you lack', 403)
}
