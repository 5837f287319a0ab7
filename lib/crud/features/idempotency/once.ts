import type { OutgoingHttpHeaders } from 'node:http'
import type { Request, Response } from 'express'
import { SerializedReply, serializeReply, stateOf, within, withoutUndoneFiles, type Envelope,
  type MountedRoute } from '../../../core/index.js'
import type { Store } from '../../contract/index.js'
import { DEFAULT_DEADLINE, digest, exposeHeaders, storeDeadline } from '../../core/index.js'
import { claimKey, deleteOldKeys, giveBack, storeReply, type Claim, type StoredReply } from './claims.js'
import { checkIdempotency, type IdempotencyOptions } from './options.js'
import { fingerprintOf, originOf, ownerOf, signedIn } from './request-key.js'

export interface Exchange {
  readonly req: Request
  readonly res: Response
}

/** Returns further values that a key is bound to: those that are the same for every repeat, such as the tenant. */
export type Binding<Call extends Exchange> = (call: Call) => readonly unknown[] | Promise<readonly unknown[]>

/** The work of a request, which is given the store inside the transaction, perhaps more than once. */
type Work<Row extends object, Db> = (store: Store<Row, Db>) => unknown

/** Old keys are deleted once in so many new keys: more are deleted than are added. */
const KEYS_BETWEEN_CLEANING = 20
/** Seconds to give a claim back; one that is not given back ends with the deadline. */
const GIVING_BACK = 2

/**
 * Makes the function that carries out a request with a key once, and replies to every repeat with the first reply.
 *
 * The claim is committed first and by itself. Then the work, its reply and the key's new state are one transaction,
 * which fails if the claim has been lost: after a process that dies before the commit the claim ends with the deadline,
 * after one that dies after it the reply is stored.
 */
export function onceOf<Row extends object, Db, Call extends Exchange>(
  store: Store<Row, Db>,
  options: IdempotencyOptions<Db>,
  deadline = DEFAULT_DEADLINE,
  bindingOf: Binding<Call>,
) {
  checkIdempotency(options, store.db)
  const withinDeadline = storeDeadline(deadline)
  const { keys, seconds = 86_400, identity = signedIn } = options
  let claims = 0
  const claim = async (call: Call, key: string) => {
    const { req } = call
    const route = routeOf(req)
    const more = [originOf(req), await bindingOf(call)]
    const parts = [route.app ?? null, route.name, ownerOf(req, identity), key, ...(more.flat().length > 0 ? more : [])]
    const keyed = { id: digest(parts), fingerprint: await fingerprintOf(req, route) }
    if (claims++ % KEYS_BETWEEN_CLEANING === 0) await deleteOldKeys(keys(store.db)).catch(() => undefined)
    return claimKey(keys(store.db), keyed, deadline * 1000)
  }
  const carryOut = ({ req, res }: Call, claimed: Claim, work: Work<Row, Db>): Promise<SerializedReply> => {
    const before = res.getHeaders()
    return withinDeadline((checkTime) =>
      withoutUndoneFiles(res, async (inside: Store<Row, Db>) => {
        const reply = await serializeReply(res, routeOf(req), valueOf(await work(inside), res))
        checkTime()
        const stored = { status: reply.status, text: reply.text, headers: headersSince(before, res) }
        await storeReply(keys(inside.db), claimed, stored, seconds * 1000)
        return reply
      }, (whole) => store.transaction(whole, { seconds: checkTime() }))
    )
  }
  return async (call: Call, key: string, work: Work<Row, Db>): Promise<SerializedReply> => {
    const { res } = call
    const claimed = await withinDeadline(() => claim(call, key))
    if (!('claim' in claimed)) return replay(res, claimed)
    const before = res.getHeaders()
    try {
      return await carryOut(call, claimed, work)
    } catch (error) {
      resetHeaders(res, before)
      await within(GIVING_BACK, giveBack(keys(store.db), claimed)).catch(() => undefined)
      throw error
    }
  }
}

/** Resets the headers of a reply whose transaction was undone: they tell of rows that are not stored. */
function resetHeaders(res: Response, before: OutgoingHttpHeaders): void {
  if (res.headersSent) return
  for (const name of res.getHeaderNames()) {
    const value = before[name]
    if (value === undefined) res.removeHeader(name)
    else res.setHeader(name, value)
  }
}

export function routeOf(req: Request): MountedRoute {
  const { route } = stateOf(req)
  if (route === undefined) throw new Error('An `idempotent` action must be mounted by mountResource or mountRoutes.')
  return route
}

/** True if a handler with this result replies itself. */
export function isSent(value: unknown, res: Response): boolean {
  return value === undefined || value === res || res.headersSent
}

/** Returns the value of a handler; a reply that the handler has sent itself cannot be stored. */
function valueOf(value: unknown, res: Response): unknown {
  if (!isSent(value, res)) return value
  throw new Error('The handler of an `idempotent` action must return its reply and not send it.')
}

/** Headers of one connection or of one moment, and secrets, which are not stored. */
const NOT_STORED = new Set([
  'authorization',
  'connection',
  'content-length',
  'content-type',
  'date',
  'keep-alive',
  'set-cookie',
  'transfer-encoding',
])

/** Returns the headers that a handler has set: middleware in front of it sets its own again for a repeat. */
function headersSince(before: OutgoingHttpHeaders, res: Response): StoredReply['headers'] {
  const changed = Object.entries(res.getHeaders()).flatMap(([name, value]) =>
    value === undefined || NOT_STORED.has(name) || String(value) === String(before[name])
      ? []
      : [[name, value] as const]
  )
  return Object.fromEntries(changed)
}

/** Returns the first reply once more, byte for byte. */
function replay(res: Response, { status, text, headers }: StoredReply): SerializedReply {
  for (const [name, value] of Object.entries(headers)) res.setHeader(name, value)
  res.setHeader('Idempotency-Replayed', 'true')
  exposeHeaders(res, ['Idempotency-Replayed'])
  return new SerializedReply({ ...JSON.parse(text) as Envelope, status }, text)
}
