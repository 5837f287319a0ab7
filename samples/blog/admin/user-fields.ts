import type { Updateable } from 'kysely'
import { validate } from 'resourcery'
import type { UserTable } from '../database/schema.js'
import { hashPassword } from '../passwords.js'

/** What a caller may write of a user; `role`, `id`, `createdAt` and `avatarUrl` are not among it. */
const RULES = {
  name: [
    ['required', 'A name is needed'],
    ['lengthMin', 2, 'A name has at least 2 characters'],
    ['lengthMax', 50, 'A name has at most 50 characters'],
  ],
  email: [
    ['required', 'An e-mail address is needed'],
    ['lengthMax', 254, 'An e-mail address has at most 254 characters'],
    ['email', 'This is no e-mail address'],
  ],
  status: [
    ['optional'],
    ['integer', 'A status is a whole number'],
    ['min', -2_147_483_648, 'This status is too small'],
    ['max', 2_147_483_647, 'This status is too large'],
  ],
  age: [
    ['optional'],
    ['integer', 'An age is a whole number'],
    ['min', 18, 'An age is 18 or more'],
    ['max', 100, 'An age is 100 or less'],
  ],
  password: [
    ['optional'],
    ['lengthMin', 8, 'A password has at least 8 characters'],
    ['lengthMax', 200, 'A password has at most 200 characters'],
  ],
} as const

const ACTIVE = 1

/** The columns of a whole user: what was left out has its default, only a password stays as it is. */
export async function readUser(body: object) {
  const { password, email, status, ...rest } = validate(body, RULES)
  return { ...rest, email: email.toLowerCase(), status: status ?? ACTIVE, ...(await passwordColumn(password)) }
}

/** The columns of those fields that were sent. */
export async function readUserChanges(body: object): Promise<Updateable<UserTable>> {
  const { password, email, status, ...rest } = validate(body, RULES, { partial: true })
  return {
    ...rest,
    ...(email !== undefined && { email: email.toLowerCase() }),
    ...(status !== undefined && { status: status ?? ACTIVE }),
    ...(await passwordColumn(password)),
  }
}

async function passwordColumn(password: string | null | undefined): Promise<{ passwordHash?: string }> {
  return typeof password === 'string' ? { passwordHash: await hashPassword(password) } : {}
}
