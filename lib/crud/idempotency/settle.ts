import { ValidationError } from '../../errors.js'
import { inUse, isOver, type Claim } from './claim.js'
import { toKeptText, type KeptReply } from './kept-reply.js'
import type { Keys } from './options.js'

/**
 * Writes the reply beside what it tells of, in one transaction with it.
 *
 * @throws HttpError 409 `idempotency_key_in_use` when the claim was lost to somebody else, which undoes the transaction.
 */
export async function keepReply(keys: Keys, { id, claim }: Claim, reply: KeptReply, milliseconds: number): Promise<void> {
  await keys.transaction(async (inside) => {
    const [found] = await inside.find([id])
    if (found?.claim !== claim || found.reply !== null) throw inUse()
    await inside.update(id, { reply: toKeptText(reply), expiresAt: Date.now() + milliseconds }).catch(explain)
  })
}

/** A column that is too narrow is no fault of the caller's. */
function explain(error: unknown): never {
  throw error instanceof ValidationError ? new Error('The reply does not fit the column `reply` of the idempotency keys.', { cause: error }) : error
}

/** Lets a repeat try again: nothing was written. A reply that was kept after all, where nobody knew about the commit, stays. */
export async function giveBack(keys: Keys, { id, claim }: Claim): Promise<void> {
  await keys.transaction(async (inside) => {
    const [found] = await inside.find([id])
    if (found?.claim === claim && found.reply === null) await inside.delete([id])
  })
}

const MOST_AT_ONCE = 100

/** Deletes keys whose time is over, at most 100; one that is taken over meanwhile stays. */
export async function forgetKeys(keys: Keys): Promise<void> {
  const over = await keys.list({ where: [['expiresAt', '<=', Date.now()]], order: ['expiresAt', 'id'] }).slice(0, MOST_AT_ONCE)
  if (over.length === 0) return
  await keys.transaction(async (inside) => {
    const still = await inside.find(over.map(({ id }) => id))
    await inside.delete(still.filter(isOver).map(({ id }) => id))
  })
}
