import { randomUUID } from 'node:crypto'
import { ConflictError, HttpError, messageOf, ValidationError } from '../../../core/index.js'
import type { IdempotencyKey, Keys } from './options.js'

/** A reply as it is stored, which a repeat gets. */
export interface StoredReply {
  readonly status: number
  readonly text: string
  readonly headers: Readonly<Record<string, string | number | readonly string[]>>
}

/** The digests of a request with a key. */
interface KeyedRequest {
  readonly id: string
  readonly fingerprint: string
}

/** The right to carry out a request, until another process takes it over. */
export interface Claim {
  readonly id: string
  readonly claim: string
}

const ATTEMPTS = 5

/**
 * Claims a key, or returns the reply that was stored for it. The claim is committed on its own, so that every process
 * sees it; one whose time is over, or that was made before the clock was set back, is taken over.
 *
 * @throws HttpError 409 `idempotency_key_in_use` while another request with it runs; 422 `idempotency_key_reused` when
 * that request is, or was, another one.
 */
export async function claimKey(
  keys: Keys,
  { id, fingerprint }: KeyedRequest,
  milliseconds: number,
): Promise<Claim | StoredReply> {
  const claim = randomUUID()
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const row = { id, fingerprint, claim, expiresAt: Date.now() + milliseconds, reply: null }
    if (await isAdded(keys, row)) return { id, claim }
    const [stored] = await keys.find([id])
    if (stored === undefined) continue // given back meanwhile
    if (!isFree(stored, milliseconds)) return storedReplyOf(stored, fingerprint)
    if (await isTakenOver(keys, row, milliseconds)) return { id, claim }
  }
  throw inUse()
}

function isOver({ expiresAt }: IdempotencyKey): boolean {
  // A driver may return a bigint as a string.
  return BigInt(expiresAt) <= Date.now()
}

/**
 * True for a key whose time is over, and for a claim that would last too long: the clock was set back after it was
 * made. The clocks of two machines may differ by as much as a claim lasts.
 */
function isFree(stored: IdempotencyKey, milliseconds: number): boolean {
  return isOver(stored) || (stored.reply === null && BigInt(stored.expiresAt) > Date.now() + 2 * milliseconds)
}

function storedReplyOf({ fingerprint, reply }: IdempotencyKey, own: string): StoredReply {
  if (fingerprint !== own) throw new HttpError(422, messageOf('idempotency_key_reused'))
  if (reply === null) throw inUse()
  return fromStored(reply)
}

async function isAdded(keys: Keys, row: IdempotencyKey): Promise<boolean> {
  try {
    await keys.create(row)
    return true
  } catch (error) {
    if (error instanceof ConflictError) return false
    throw error instanceof ValidationError
      ? new Error('A key does not fit the columns of the idempotency keys.', { cause: error })
      : error
  }
}

function isTakenOver(keys: Keys, { id, ...row }: IdempotencyKey, milliseconds: number): Promise<boolean> {
  return keys.transaction(async (inside) => {
    const [stored] = await inside.find([id])
    if (stored === undefined || !isFree(stored, milliseconds)) return false
    await inside.update(id, row)
    return true
  })
}

function inUse(): HttpError {
  return new HttpError(409, messageOf('idempotency_key_in_use'), { headers: { 'Retry-After': '1' } })
}

/**
 * Stores the reply together with the rows that it is about, in one transaction with them.
 *
 * @throws HttpError 409 `idempotency_key_in_use` when another process has taken the claim over, which undoes the
 * transaction.
 */
export async function storeReply(
  keys: Keys,
  { id, claim }: Claim,
  reply: StoredReply,
  milliseconds: number,
): Promise<void> {
  await keys.transaction(async (inside) => {
    const [stored] = await inside.find([id])
    if (stored?.claim !== claim || stored.reply !== null) throw inUse()
    await inside.update(id, { reply: toStored(reply), expiresAt: Date.now() + milliseconds }).catch(explain)
  })
}

/** Reports a column that is too narrow as an error of the server. */
function explain(error: unknown): never {
  throw error instanceof ValidationError
    ? new Error('The reply does not fit the column `reply` of the idempotency keys.', { cause: error })
    : error
}

/**
 * Gives a claim back, so that a repeat may try again. A reply that was stored after all, where the commit was not
 * noticed, stays.
 */
export async function giveBack(keys: Keys, { id, claim }: Claim): Promise<void> {
  await keys.transaction(async (inside) => {
    const [stored] = await inside.find([id])
    if (stored?.claim === claim && stored.reply === null) await inside.delete([id])
  })
}

const MOST_AT_ONCE = 100

/** Deletes keys whose time is over, at most 100; one that is taken over meanwhile stays. */
export async function deleteOldKeys(keys: Keys): Promise<void> {
  const old = keys.list({ where: [['expiresAt', '<=', Date.now()]], order: ['expiresAt', 'id'] })
  const over = await old.slice(0, MOST_AT_ONCE)
  if (over.length === 0) return
  await keys.transaction(async (inside) => {
    const still = await inside.find(over.map(({ id }) => id))
    await inside.delete(still.filter(isOver).map(({ id }) => id))
  })
}

/** Returns one line of JSON, followed by the body as it is: as JSON inside JSON it would grow. */
function toStored({ text, ...head }: StoredReply): string {
  return `${JSON.stringify(head)}\n${text}`
}

function fromStored(stored: string): StoredReply {
  const end = stored.indexOf('\n')
  const head = JSON.parse(stored.slice(0, end)) as Omit<StoredReply, 'text'>
  return { ...head, text: stored.slice(end + 1) }
}
