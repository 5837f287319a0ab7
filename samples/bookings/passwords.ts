import { randomBytes, scryptSync, timingSafeEqual } from 'node:crypto'

export function hashOf(password: string): string {
  const salt = randomBytes(16).toString('hex')
  return `${salt}.${scryptSync(password, salt, 32).toString('hex')}`
}

export function isPassword(password: string, stored: string): boolean {
  const [salt = '', hash = ''] = stored.split('.')
  return timingSafeEqual(scryptSync(password, salt, 32), Buffer.from(hash, 'hex'))
}
