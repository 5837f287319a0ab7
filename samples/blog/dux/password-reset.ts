import { createHmac, timingSafeEqual } from 'node:crypto'
import { UnauthorizedError } from 'resourcery'
import type { UserRow } from '../database/schema.js'

const SECONDS = 900

/**
 * A code that lets somebody set a new password, once: it is bound to the old one, and ends after a quarter of an hour.
 */
export function resetCode(secret: string, user: UserRow, now = Date.now()): string {
  const ends = Math.floor(now / 1000) + SECONDS
  return `${user.id}.${ends}.${signature(secret, user, ends)}`
}

/** Returns the id in a code that may be valid. */
export function idIn(code: string): number {
  return Number(/^(\d{1,15})\.\d+\./.exec(code)?.[1] ?? 0)
}

/** @throws UnauthorizedError for a code that is forged, too old, or used. */
export function checkResetCode(secret: string, user: UserRow | undefined, code: string, now = Date.now()): void {
  const [, ends = '', sent = ''] = code.split('.')
  if (user !== undefined && Number(ends) * 1000 > now && isSame(sent, signature(secret, user, Number(ends)))) return
  throw new UnauthorizedError('This code is not valid', { reason: 'reset.failed' })
}

function signature(secret: string, { id, passwordHash }: UserRow, ends: number): string {
  return createHmac('sha256', secret).update(`reset ${id} ${ends} ${passwordHash ?? ''}`).digest('base64url')
}

function isSame(one: string, other: string): boolean {
  return one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other))
}
