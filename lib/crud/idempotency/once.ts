import type { OutgoingHttpHeaders } from 'node:http'
import type { Request, Response } from 'express'
import type { SerializedReply } from '../../reply.js'
import { serializeReply } from '../../resource/respond.js'
import type { MountedRoute } from '../../routing/registry.js'
import { stateOf } from '../../routing/request-state.js'
import type { Store } from '../../store.js'
import { within } from '../../promises.js'
import { deadlineOf } from '../deadline.js'
import type { LooseWhere } from '../options.js'
import { scopeValues } from '../scope.js'
import { claimKey, type Claim } from './claim.js'
import { digest, fingerprintOf } from './fingerprint.js'
import { headersSince, replay } from './kept-reply.js'
import { originOf, ownerOf, signedIn } from './key.js'
import { checkIdempotency, type IdempotencyOptions } from './options.js'
import { forgetKeys, giveBack, keepReply } from './settle.js'

/** Returns what else a key is bound to: values that are the same for every retry, such as the tenant. */
export type Bound = (req: Request) => readonly unknown[] | Promise<readonly unknown[]>

/** Carries out a request with a key; `work` is given the store inside the transaction, perhaps more than once. */
export type Once<Row extends object, Db> = (req: Request, res: Response, key: string, work: (store: Store<Row, Db>) => unknown) => Promise<SerializedReply>

/** Every so many new keys, old ones are deleted: more than come. */
const KEYS_BETWEEN_CLEANING = 20
/** Seconds; what is not given back by then is over with the deadline. */
const GIVING_BACK = 2

/**
 * Carries out what comes with a key once, and gives every repeat the first reply.
 *
 * The claim is written first and by itself. Then the work, its reply and the key's new state are one transaction, which fails if the claim
 * has been lost: whoever dies before the commit leaves nothing but a claim that ends with the deadline, whoever dies after it leaves the
 * reply.
 */
export function onceOf<Row extends object, Db>(store: Store<Row, Db>, options: IdempotencyOptions<Db>, deadline = 30, bound: Bound = () => []): Once<Row, Db> {
  checkIdempotency(options, store.db)
  const withinDeadline = deadlineOf(deadline)
  const { keys, seconds = 86_400, identity = signedIn } = options
  let claims = 0
  const claim = async (req: Request, key: string) => {
    const route = routeOf(req)
    const more = [originOf(req), await bound(req)]
    const id = digest([route.app ?? null, route.name, ownerOf(req, identity), key, ...(more.flat().length > 0 ? more : [])])
    const asked = { id, fingerprint: await fingerprintOf(req, route) }
    if (claims++ % KEYS_BETWEEN_CLEANING === 0) await forgetKeys(keys(store.db)).catch(() => undefined)
    return claimKey(keys(store.db), asked, deadline * 1000)
  }
  const carryOut = (req: Request, res: Response, claimed: Claim, work: (store: Store<Row, Db>) => unknown): Promise<SerializedReply> => {
    const before = res.getHeaders()
    return withinDeadline((stillWanted) => store.transaction(async (inside) => {
      const reply = await serializeReply(res, routeOf(req), valueOf(await work(inside), res))
      stillWanted()
      await keepReply(keys(inside.db), claimed, { status: reply.status, text: reply.text, headers: headersSince(before, res) }, seconds * 1000)
      return reply
    }))
  }
  return async (req, res, key, work) => {
    const claimed = await withinDeadline(() => claim(req, key))
    if (!('claim' in claimed)) return replay(res, claimed)
    const before = res.getHeaders()
    try {
      return await carryOut(req, res, claimed, work)
    } catch (error) {
      resetHeaders(res, before)
      await within(GIVING_BACK, giveBack(keys(store.db), claimed)).catch(() => undefined)
      throw error
    }
  }
}

/** Returns the values that every row of a scope has, in one order: ranges, lists and `raw` conditions may change between retries. */
export function tenancyOf(scope: LooseWhere): readonly unknown[] {
  return Object.entries(scopeValues(scope)).sort(([one], [other]) => (one < other ? -1 : 1))
}

/** Takes back the headers of a reply whose transaction was undone: they tell of what is not stored. */
function resetHeaders(res: Response, before: OutgoingHttpHeaders): void {
  if (res.headersSent) return
  for (const name of res.getHeaderNames()) {
    const value = before[name]
    if (value === undefined) res.removeHeader(name)
    else res.setHeader(name, value)
  }
}

function routeOf(req: Request): MountedRoute {
  const { route } = stateOf(req)
  if (route === undefined) throw new Error('An Idempotency-Key is read on the route of a resource or a group, and nowhere else.')
  return route
}

/** What is replied elsewhere cannot be kept. */
function valueOf(value: unknown, res: Response): unknown {
  if (value !== undefined && value !== res && !res.headersSent) return value
  throw new Error('A handler with an Idempotency-Key returns what is to be sent, and does not send it.')
}
