import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { mountRoutes, reply, UnauthorizedError } from 'resourcery'
import type { CheckReport } from 'resourcery/testing'
import { z } from 'zod'
import { checkSmall, told } from './small-app.js'

const ACCOUNT = { email: 'ann@example.com', password: 'Correct-Horse-7' }

interface Faults {
  /** Accepts a password. */
  readonly isRight?: (sent: string, right: string) => boolean
  readonly cookie?: string
  readonly isTold?: boolean
}

function check(
  { isRight = (sent, right) => sent === right, cookie = '; HttpOnly', isTold }: Faults,
): Promise<CheckReport> {
  return checkSmall((_, app) =>
    mountRoutes(app, { route: '', name: 'door', routes: {
      login: { methods: ['POST'], route: '/login', status: 200, statuses: [401],
        input: z.object({ email: z.email(), password: z.string().max(100) }), output: z.object({ token: z.string() }),
        handler: (_req, res, { email, password }) => {
          if (email !== ACCOUNT.email || !isRight(password, ACCOUNT.password)) throw new UnauthorizedError('Wrong')
          const token = randomUUID()
          res.append('Set-Cookie', `desk_key=${token}; Path=/; SameSite=Lax${cookie}`)
          return { token }
        } },
      forgot: { methods: ['POST'], route: '/password/forgot', status: 202, input: z.object({ email: z.email() }),
        handler: (_req, res, { email }) => {
          if (isTold) res.set('X-Mail-Id', email === ACCOUNT.email ? '77' : '')
          return reply('If there is an account, a mail is on its way', null)
        } },
    } }), { examples: { 'POST /login': { body: ACCOUNT } } })
}

const WRONG = ['POST /login: A sign-in with a wrong password is accepted']

describe('checkApi on sign-ins', () => {
  it.each<[string, Faults, string[]]>([
    ['nothing without faults', {}, []],
    ['the beginning of a password that is enough', { isRight: (sent, right) => sent !== '' && right.startsWith(sent) },
      WRONG],
    ['a password of which only the beginning is compared', {
      isRight: (sent, right) => sent.slice(0, 8) === right.slice(0, 8),
    }, WRONG],
    ['a password in another case', { isRight: (sent, right) => sent.toLowerCase() === right.toLowerCase() }, WRONG],
    ['an empty password', { isRight: (sent, right) => sent === '' || sent === right }, WRONG],
    ['a cookie that is the session by its value', { cookie: '' }, [
      'POST /login: Scripts of a page can read the cookie `desk_key`: it has no `HttpOnly`',
    ]],
    ['a header that tells of an account', { isTold: true }, [
      'POST /password/forgot: The reply tells whether an account with this `email` exists',
    ]],
  ])('finds %s', async (_, faults, expected) => {
    expect(told(await check(faults))).toEqual(expected)
  })
})
