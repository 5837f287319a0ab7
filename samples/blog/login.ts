import type { Router } from 'express'
import { issueToken, mountRoutes, reply, UnauthorizedError } from 'resourcery'
import { z } from 'zod'
import type { Database, UserRow } from './database/schema.js'
import { PASSWORD, SIGN_INS } from './database/seed.js'
import { isPassword } from './passwords.js'
import type { Services } from './services.js'

export const Credentials = z.object({
  email: z.string().min(1).meta({ examples: [SIGN_INS[0].email] }),
  password: z.string().min(1).meta({ examples: [PASSWORD] }),
})
const Token = z.object({ token: z.string() })

/**
 * `POST /login` of one application: its token opens no other.
 *
 * Nothing here slows down somebody who tries many passwords: put a rate limit by address and by account in front of it.
 */
export function mountLogin(router: Router, app: string, { db, secret }: Services): void {
  mountRoutes(router, {
    app,
    route: '',
    name: 'session',
    tags: ['Session'],
    routes: {
      login: {
        methods: 'POST',
        route: '/login',
        auth: false,
        summary: 'Sign in',
        input: Credentials,
        output: Token,
        statuses: [401],
        handler: async (req, res, credentials) => {
          const { id, role } = await findSignIn(db, credentials)
          return reply('Signed in', { token: await issueToken(app, role === null ? { id } : { id, role }, { secret }) })
        },
      },
    },
  })
}

/** @throws UnauthorizedError when nobody has this address and this password. */
export async function findSignIn(db: Database, { email, password }: z.infer<typeof Credentials>): Promise<UserRow> {
  const address = email.toLowerCase()
  const found = await db.selectFrom('users').selectAll().where('email', '=', address).executeTakeFirst()
  // By the collations of MySQL `ádmin@…` is equal to `admin@…`.
  const user = found?.email === address ? found : undefined
  const matches = await isPassword(password, user?.passwordHash)
  if (user === undefined || !matches) {
    throw new UnauthorizedError('Wrong e-mail or password', { reason: 'login.failed' })
  }
  return user
}
