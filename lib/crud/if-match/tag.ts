import { createHash } from 'node:crypto'
import type { Request, Response } from 'express'
import { expose } from '../expose.js'
import type { LooseRow } from '../options.js'
import { presentOne, type CrudPlan } from '../plan.js'
import { stateOf } from './version.js'

/**
 * The opaque part of a row's strong tag, `undefined` where what is shown does not fit the output.
 *
 * It is a digest of what leaves for this caller, and of nothing else: one of hidden columns could be guessed at. A version stands in
 * front of it, so that `If-Match` can be judged by the version, and a cache by the whole.
 */
export async function tagOf({ store, options, schemas }: CrudPlan, row: LooseRow, shown: LooseRow): Promise<string | undefined> {
  const { version } = options
  const sent = await schemas.output.safeParseAsync(shown)
  if (!sent.success) return undefined
  const digest = createHash('sha256').update(JSON.stringify([row[store.key], sent.data], plainly)).digest('base64url').slice(0, 22)
  return version === undefined ? digest : `${stateOf(row, version, store.key)}/${digest}`
}

/** What leaves of a row that a reply is about, with its tag where the resource has tags. */
export async function presentTagged(plan: CrudPlan, row: LooseRow, req: Request, res: Response): Promise<LooseRow> {
  const shown = await presentOne(plan.options, row, req)
  const tag = plan.options.ifMatch === undefined ? undefined : await tagOf(plan, row, shown)
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
