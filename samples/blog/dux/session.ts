import type { Request, Router } from 'express'
import { ConflictError, issueToken, mountRoutes, permissionsOf, reply, UnauthorizedError } from 'resourcery'
import { z } from 'zod'
import { callerOf } from '../caller.js'
import { insertRow } from '../database/insert.js'
import type { UserRow } from '../database/schema.js'
import { isUniqueViolation } from '../database/violations.js'
import { Credentials, findSignIn } from '../login.js'
import { hashPassword } from '../passwords.js'
import type { Services } from '../services.js'
import { checkResetCode, idIn, resetCode } from './password-reset.js'
import { NewUser } from './users.js'

interface Helpers {
  readonly sendMail: (to: string, text: string) => void
  readonly isGranted: (role: string | null, id: string) => boolean
}

/** All that the client keeps of a sign-in. */
const Session = z.object({
  token: z.string(),
  id: z.int(),
  info: z.object({ name: z.string(), email: z.string(), role: z.string().nullable() }),
  permission: z.array(z.string()),
})

const Account = NewUser.pick({ name: true, email: true }).extend({ password: z.string().min(8).max(200) })

const NEW_USER = { status: 1, age: null, role: null, avatarUrl: null }

/**
 * The routes of the simple auth provider, which sends a token to `/check` alone.
 *
 * Put a rate limit by address and by account in front of the public ones.
 */
export function mountSession(router: Router, services: Services, { sendMail, isGranted }: Helpers): void {
  const { db, secret } = services
  const sessionOf = ({ id, name, email, role }: UserRow, token: string): z.infer<typeof Session> => {
    const all = permissionsOf(router, 'dux').flatMap(({ children }) => children.map((leaf) => leaf.name))
    return { token, id, info: { name, email, role }, permission: all.filter((one) => isGranted(role, one)) }
  }
  const signedIn = async (user: UserRow): Promise<z.infer<typeof Session>> => {
    const { id, role } = user
    return sessionOf(user, await issueToken('dux', role === null ? { id } : { id, role }, { secret }))
  }
  const userBy = (column: 'id' | 'email', value: number | string): Promise<UserRow | undefined> =>
    db.selectFrom('users').selectAll().where(column, '=', value as never).executeTakeFirst()

  mountRoutes(router, {
    app: 'dux',
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
        output: Session,
        statuses: [401],
        handler: async (req, res, credentials) => reply('Signed in', await signedIn(await findSignIn(db, credentials))),
      },
      check: {
        methods: 'GET',
        route: '/check',
        can: false,
        summary: 'Tell who is signed in',
        output: Session,
        handler: async (req) => {
          const user = await userBy('id', callerOf(req).id)
          if (user === undefined) throw new UnauthorizedError('This account is gone')
          return sessionOf(user, tokenOf(req))
        },
      },
      register: {
        methods: 'POST',
        route: '/register',
        auth: false,
        summary: 'Create an account',
        input: Account,
        output: Session,
        status: 201,
        statuses: [409],
        handler: async (req, res, { name, email, password }) => {
          const passwordHash = await hashPassword(password)
          const id = await orTaken(
            insertRow(db, 'users', { ...NEW_USER, name, email, createdAt: new Date(), passwordHash }),
          )
          const user = await userBy('id', id)
          if (user === undefined) throw new UnauthorizedError('This account is gone')
          return reply('Welcome', await signedIn(user), {}, 201)
        },
      },
      forgotPassword: {
        methods: 'POST',
        route: '/forgot-password',
        auth: false,
        summary: 'Ask for a code to set a new password',
        input: z.object({ email: NewUser.shape.email }),
        output: z.null(),
        handler: async (req, res, { email }) => {
          const user = await userBy('email', email)
          if (user !== undefined) sendMail(email, `Your code is ${resetCode(secret, user)}`)
          return reply('If this address has an account, a code was sent to it', null) // the same for every address
        },
      },
      updatePassword: {
        methods: 'POST',
        route: '/update-password',
        auth: false,
        summary: 'Set a new password with a code',
        input: z.object({ code: z.string().min(1).max(200), password: Account.shape.password }),
        output: z.null(),
        statuses: [401],
        handler: async (req, res, { code, password }) => {
          const passwordHash = await hashPassword(password)
          await db.transaction().execute(async (transaction) => {
            const user = await transaction
              .selectFrom('users')
              .selectAll()
              .where('id', '=', idIn(code))
              .forUpdate()
              .executeTakeFirst()
            checkResetCode(secret, user, code)
            await transaction.updateTable('users').set({ passwordHash }).where('id', '=', idIn(code)).execute()
          })
          return reply('The password was changed', null)
        },
      },
    },
  })
}

/** The token that the caller has sent; the client forgets the one that it has if none is returned. */
function tokenOf(req: Request): string {
  return (req.get('authorization') ?? '').replace(/^bearer +/i, '')
}

async function orTaken<T>(write: Promise<T>): Promise<T> {
  try {
    return await write
  } catch (error) {
    throw isUniqueViolation(error)
      ? new ConflictError('This e-mail address is taken', { fields: { email: ['Already taken'] } })
      : error
  }
}
