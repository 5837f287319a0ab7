import { createHash } from 'node:crypto'
import type { Request, Response } from 'express'
import { expose } from '../expose.js'
import type { LooseRow } from '../options.js'
import { checkReply, presentOne, type CrudPlan } from '../plan.js'
import { stateOf } from './version.js'

/**
 * Returns the opaque part of a row's strong tag; `sent` is what the output makes of the row for this caller.
 *
 * It is a digest of nothing else: one of hidden columns could be guessed at. A version stands in front of it, so that `If-Match` is
 * judged by the version, and a cache by the whole.
 */
export function tagOf({ store, options }: CrudPlan, row: LooseRow, sent: unknown): string {
  const { version } = options
  const digest = createHash('sha256').update(JSON.stringify([row[store.key], sent], plainly)).digest('base64url').slice(0, 22)
  return version === undefined ? digest : `${stateOf(row, version, store.key)}/${digest}`
}

/** A row as it is replied, with its tag where the resource has tags. */
export interface Tagged {
  readonly shown: LooseRow
  readonly tag: string | undefined
}

/**
 * Converts a row to the reply about it, and checks that.
 *
 * @throws HttpError 500 when the reply does not fit the output: inside a transaction that undoes it.
 */
export async function presentTagged(plan: CrudPlan, row: LooseRow, req: Request, db = plan.store.db): Promise<Tagged> {
  const shown = await presentOne(plan, row, req, db)
  const sent = await checkReply(req, plan.schemas.output, shown)
  return { shown, tag: plan.options.ifMatch === undefined ? undefined : tagOf(plan, row, sent) }
}

/** Sets the tag of a reply, once what it tells of is committed. */
export function setTag(res: Response, { shown, tag }: Tagged): LooseRow {
  if (tag !== undefined) {
    res.setHeader('ETag', `"${tag}"`)
    expose(res, ['ETag'])
  }
  return shown
}

/** A bigint has no JSON of its own. */
function plainly(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? value.toString() : value
}
