import { isDeepStrictEqual } from 'node:util'
import type { Request } from 'express'
import { HttpError } from '../../errors.js'
import type { LooseRow } from '../options.js'
import { presentOne, type CrudPlan } from '../plan.js'
import { readIfMatch, type Asked } from './header.js'
import { tagOf } from './tag.js'
import { stateOf } from './version.js'
import { safeParseAsync } from '../../validate/parse.js'

/** Judges a row that nobody else changes now. @throws HttpError 412 `stale`, 428 `precondition_missing` */
export type Precondition = (row: LooseRow) => void

const met: Precondition = () => undefined

/**
 * What `If-Match` of this request asks of the rows with these keys; a list of tags names those of all of them.
 *
 * Asked for before the transaction: what a caller sees of a row may come from elsewhere, and nothing of that has a place inside.
 *
 * @throws HttpError 400 `unreadable`.
 */
export async function preconditionOf(plan: CrudPlan, req: Request, keys: readonly unknown[]): Promise<Precondition> {
  const { ifMatch, version } = plan.options
  if (ifMatch === undefined) return met
  const asked = readIfMatch(req)
  if (asked === '*') return met
  if (asked === undefined) return ifMatch === 'required' ? missing : met
  return version === undefined ? contentPrecondition(plan, req, keys, asked) : versionPrecondition(plan, version, asked)
}

function missing(): never {
  throw new HttpError(428, 'The If-Match header is required', { reason: 'precondition_missing' })
}

function versionPrecondition({ store }: CrudPlan, version: string, asked: Exclude<Asked, '*'>): Precondition {
  const states = new Set(asked.map((tag) => tag.split('/')[0]))
  return (row) => check(states.has(stateOf(row, version, store.key)))
}

interface Seen {
  readonly row: LooseRow
  readonly tag: string | undefined
}

/** The row must be what it was a moment ago, when it had one of the tags. */
async function contentPrecondition(plan: CrudPlan, req: Request, keys: readonly unknown[], asked: Exclude<Asked, '*'>): Promise<Precondition> {
  const { store, schemas, scopes, withinDeadline } = plan
  const seen = new Map<unknown, Seen>()
  await withinDeadline(async () => {
    for (const row of await store.find(keys, await scopes.ofRecord(req, store))) {
      const sent = await safeParseAsync(schemas.output, await presentOne(plan, row, req))
      seen.set(row[store.key], { row, tag: sent.success ? tagOf(plan, row, sent.data) : undefined })
    }
  })
  return (row) => {
    const { tag, row: before } = seen.get(row[store.key]) ?? {}
    check(tag !== undefined && asked.includes(tag) && isDeepStrictEqual(before, row))
  }
}

function check(holds: boolean): void {
  if (!holds) throw new HttpError(412, 'The record was changed since you read it', { reason: 'stale' })
}
