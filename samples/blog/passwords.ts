import { randomBytes, scrypt, timingSafeEqual, type ScryptOptions } from 'node:crypto'
import { promisify } from 'node:util'

const derive = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt)

/** About a fifth of a second and 16 MB of memory for each password. */
const COST = { N: 16_384, r: 8, p: 5 }
const BYTES = 32

/** A salted scrypt hash as text: `salt:key`, both in base64url. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16)
  const key = await derive(password, salt, BYTES, COST)
  return `${salt.toString('base64url')}:${key.toString('base64url')}`
}

/** The hash of nobody's password: it takes as long to check as a real one. */
const NOBODY = `${randomBytes(16).toString('base64url')}:${randomBytes(BYTES).toString('base64url')}`

/**
 * Returns true if the password belongs to the hash. Without a hash it returns false, after the same amount of work: the
 * time that it takes must not tell which addresses are known.
 */
export async function isPassword(password: string, hash: string | null | undefined): Promise<boolean> {
  const [salt = '', key = ''] = (hash ?? NOBODY).split(':')
  const derived = await derive(password, Buffer.from(salt, 'base64url'), BYTES, COST)
  return timingSafeEqual(derived, Buffer.from(key, 'base64url'))
}
