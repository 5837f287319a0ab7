import type { Updateable } from 'kysely'
import type { UserTable } from '../database/schema.js'
import { hashPassword } from '../passwords.js'

/** The id in the path of a user. */
export const ID = { id: [['required', 'An id is needed'], ['integer', 'An id is a whole number']] } as const

/** The fields of a user that a caller may write; `role`, `id`, `createdAt` and `avatarUrl` are not among them. */
export const USER_FIELDS = {
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

interface Sent {
  readonly name: string
  readonly email: string
  readonly status: number | null
  readonly age: number | null
  readonly password: string | null
}

const ACTIVE = 1

/** Returns the columns of a whole user: a field that was left out has its default, only a password stays as it is. */
export async function columnsOf({ name, email, status, age, password }: Sent) {
  return { name, email: email.toLowerCase(), status: status ?? ACTIVE, age, ...(await passwordColumn(password)) }
}

/** Returns the columns of those fields that were sent. */
export async function changedColumns(
  { name, email, status, age, password }: Partial<Sent>,
): Promise<Updateable<UserTable>> {
  return {
    ...(name !== undefined && { name }),
    ...(email !== undefined && { email: email.toLowerCase() }),
    ...(status !== undefined && { status: status ?? ACTIVE }),
    ...(age !== undefined && { age }),
    ...(await passwordColumn(password)),
  }
}

async function passwordColumn(password: string | null | undefined): Promise<{ passwordHash?: string }> {
  return typeof password === 'string' ? { passwordHash: await hashPassword(password) } : {}
}
