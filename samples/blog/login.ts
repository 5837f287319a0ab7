import type { Router } from 'express'
import { issueToken, mountRoutes, reply, UnauthorizedError } from 'resourcery'
import { z } from 'zod'
import { PASSWORD, SIGN_INS } from './database/seed.js'
import { isPassword } from './passwords.js'
import type { Services } from './services.js'

const Credentials = z.object({
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
    app, route: '', name: 'session', tags: ['Session'],
    routes: {
      login: {
        methods: 'POST', route: '/login', auth: false, summary: 'Sign in', input: Credentials, output: Token, statuses: [401],
        handler: async (req, res, { email, password }) => {
          const user = await db.selectFrom('users').selectAll().where('email', '=', email.toLowerCase()).executeTakeFirst()
          const matches = await isPassword(password, user?.passwordHash)
          if (user === undefined || !matches) throw new UnauthorizedError('Wrong e-mail or password', { reason: 'login.failed' })
          const { id, role } = user
          return reply('Signed in', { token: await issueToken(app, role === null ? { id } : { id, role }, { secret }) })
        },
      },
    },
  })
}
