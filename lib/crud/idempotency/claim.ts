import { randomUUID } from 'node:crypto'
import { ConflictError, HttpError } from '../../errors.js'
import { fromKeptText, type KeptReply } from './kept-reply.js'
import type { IdempotencyKey, Keys } from './options.js'

/** What is asked with a key, as digests. */
export interface Asked {
  readonly id: string
  readonly fingerprint: string
}

/** The right to carry out what was asked, until somebody else takes it over. */
export interface Claim {
  readonly id: string
  readonly claim: string
}

const ATTEMPTS = 5

/**
 * Claims a key, or finds the reply that was given. The claim is written on its own, so that everybody sees it; one whose time is over
 * is taken over.
 *
 * @throws HttpError 409 `idempotency_key_in_use` while another request with it runs; 422 `idempotency_key_reused` when that asks, or
 * asked, for something else.
 */
export async function claimKey(keys: Keys, { id, fingerprint }: Asked, milliseconds: number): Promise<Claim | KeptReply> {
  const claim = randomUUID()
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const row = { id, fingerprint, claim, expiresAt: Date.now() + milliseconds, reply: null }
    if (await isAdded(keys, row)) return { id, claim }
    const [found] = await keys.find([id])
    if (found === undefined) continue // given back meanwhile
    if (!isOver(found)) return standing(found, fingerprint)
    if (await isTakenOver(keys, row)) return { id, claim }
  }
  throw inUse()
}

export function isOver({ expiresAt }: IdempotencyKey): boolean {
  // A driver may hand a bigint over as text.
  return BigInt(expiresAt) <= Date.now()
}

/** What a key that is neither new nor over means for the one who comes with it. */
function standing({ fingerprint, reply }: IdempotencyKey, asked: string): KeptReply {
  if (fingerprint !== asked) {
    throw new HttpError(422, 'This Idempotency-Key was used for another request', { reason: 'idempotency_key_reused' })
  }
  if (reply === null) throw inUse()
  return fromKeptText(reply)
}

async function isAdded(keys: Keys, row: IdempotencyKey): Promise<boolean> {
  try {
    await keys.create(row)
    return true
  } catch (error) {
    if (error instanceof ConflictError) return false
    throw error
  }
}

function isTakenOver(keys: Keys, { id, ...row }: IdempotencyKey): Promise<boolean> {
  return keys.transaction(async (inside) => {
    const [found] = await inside.find([id])
    if (found === undefined || !isOver(found)) return false
    await inside.update(id, row)
    return true
  })
}

export function inUse(): HttpError {
  return new HttpError(409, 'A request with this Idempotency-Key is still running', { reason: 'idempotency_key_in_use', headers: { 'Retry-After': '1' } })
}
