import type { Request, Router } from 'express'
import { auth, authOf, findOrFail, issueToken, mountRoutes, UnauthorizedError, type Caller } from 'resourcery'
import { z } from 'zod'
import type { Database } from './database.js'
import { isPassword } from './passwords.js'

declare module 'resourcery' {
  interface Callers {
    desk: { tenantId: number; name: string; permissions: string[] }
  }
}

/** Signs callers in: a token holds the id of its user, and each request knows their role as it is now. */
export function signIn(db: Database, secret: Uint8Array) {
  return auth('desk', {
    secret,
    load: {
      seconds: 60,
      run: ({ id }) =>
        db.selectFrom('users').innerJoin('roles', 'roles.id', 'users.roleId')
          .select(['users.id', 'users.tenantId', 'users.name', 'roles.permissions']).where('users.id', '=', Number(id))
          .where('active', '=', true).executeTakeFirst(),
    },
  })
}
export type SignedIn = ReturnType<typeof signIn>

/** Mounts `POST /login`, which replies with a token. */
export function mountLogin(app: Router, db: Database, secret: Uint8Array): void {
  mountRoutes(app, {
    route: '/login',
    name: 'login',
    routes: { signIn: {
      methods: ['POST'],
      route: '',
      input: z.object({ email: z.string().toLowerCase(), password: z.string() }),
      statuses: [401],
      handler: async (_req, _res, { email, password }) => {
        const user = await db.selectFrom('users').selectAll().where('email', '=', email).executeTakeFirst()
        if (!isPassword(password, user) || !user?.active) throw new UnauthorizedError('Wrong e-mail or password')
        return { token: await issueToken('desk', { id: user.id }, { secret, expiresIn: 3600 }) }
      },
    } },
  })
}

export function callerOf(req: Request): Caller<'desk'> {
  return findOrFail(authOf(req, 'desk'))
}

/** The scope of every resource: the rows of the caller's tenant. A new row gets that tenant. */
export function ofTenant(req: Request): [['tenantId', '=', number]] {
  return [['tenantId', '=', callerOf(req).tenantId]]
}
