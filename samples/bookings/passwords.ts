import { randomBytes, scryptSync, timingSafeEqual } from 'node:crypto'

export function hashOf(password: string): string {
  const salt = randomBytes(16).toString('hex')
  return `${salt}.${scryptSync(password, salt, 32).toString('hex')}`
}

/** Takes as long without a user, so that the time does not tell which addresses are known. */
export function isPassword(password: string, user = { passwordHash: `.${'0'.repeat(64)}` }): boolean {
  const [salt = '', hash = ''] = user.passwordHash.split('.')
  return timingSafeEqual(scryptSync(password, salt, 32), Buffer.from(hash, 'hex'))
}
