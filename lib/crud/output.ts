import type { Request, Response } from 'express'
import type { z } from 'zod'
import { checkEarly, outputError, stateOf } from '../core/index.js'
import type { CrudPlan } from './feature.js'
import { exposeHeaders } from './headers.js'
import type { AnyOptions, Row } from './options.js'
import { deniedFields } from './rules.js'

/**
 * Converts rows to output, without the fields that this caller may not read; `db` is that of the transaction they are
 * read in.
 */
export async function toOutput(plan: CrudPlan, rows: readonly Row[], req: Request, db = plan.store.db): Promise<Row[]> {
  const denied = await deniedFields(req, plan.options.fields, 'read')
  let outputs: readonly Row[] = await transformed(plan, rows, req, db)
  for (const { addToOutputs } of plan.features) outputs = await addToOutputs?.(req, rows, outputs, db) ?? outputs
  if (denied.size === 0) return [...outputs]
  return outputs.map((one) => Object.fromEntries(Object.entries(one).filter(([field]) => !denied.has(field))))
}

/** Converts one row to output. */
export async function toOutputOne(plan: CrudPlan, row: Row, req: Request, db = plan.store.db): Promise<Row> {
  const [output = row] = await toOutput(plan, [row], req, db)
  return output
}

/**
 * Converts rows to the reply of a bulk action, and checks that. @throws HttpError 500 when it does not fit the output
 */
export async function toCheckedOutput(plan: CrudPlan, rows: readonly Row[], req: Request, db: unknown): Promise<Row[]> {
  const outputs = await toOutput(plan, rows, req, db)
  await checkReply(req, plan.schemas.outputs, outputs)
  return outputs
}

/** A reply with one record, and the headers of features about it. */
export interface RecordReply {
  readonly record: Row
  readonly headers: Readonly<Record<string, string>>
}

/**
 * Converts a row to the reply about it, and checks that.
 *
 * @throws HttpError 500 when the reply does not fit the output: inside a transaction that undoes it.
 */
export async function toRecordReply(plan: CrudPlan, row: Row, req: Request, db = plan.store.db): Promise<RecordReply> {
  const record = await toOutputOne(plan, row, req, db)
  const sent = await checkReply(req, plan.schemas.output, record)
  const own = withoutAdded(plan, sent)
  const headers = plan.features.map(({ recordHeaders }) => recordHeaders?.(row, own))
  return { record, headers: Object.assign({}, ...headers) as RecordReply['headers'] }
}

/** Converts a row to the record as it is sent. @throws HttpError 500 when it does not fit the output */
export async function toSentRecord(plan: CrudPlan, row: Row, req: Request, db: unknown): Promise<Row> {
  return await checkReply(req, plan.schemas.output, await toOutputOne(plan, row, req, db)) as Row
}

/** Converts a row to the reply about it; its route checks that, unless headers are made of it. */
export async function toShownReply(plan: CrudPlan, row: Row, req: Request): Promise<RecordReply> {
  if (plan.features.some(({ recordHeaders }) => recordHeaders !== undefined)) return toRecordReply(plan, row, req)
  return { record: await toOutputOne(plan, row, req), headers: {} }
}

/** Returns a record without the fields that features add to it. */
function withoutAdded({ features }: CrudPlan, sent: unknown): unknown {
  const added = features.flatMap(({ addedFields = [] }) => addedFields)
  if (added.length === 0 || typeof sent !== 'object' || sent === null) return sent
  return Object.fromEntries(Object.entries(sent).filter(([field]) => !added.includes(field)))
}

/** Sets the headers of a reply, after the commit, and returns the record. */
export function withHeaders(res: Response, { record, headers }: RecordReply): Row {
  const names = Object.keys(headers)
  for (const name of names) res.setHeader(name, headers[name] ?? '')
  if (names.length > 0) exposeHeaders(res, names)
  return record
}

/** Checks a reply inside its transaction, and returns the output of its schema. */
function checkReply(req: Request, output: z.ZodType, reply: object): Promise<unknown> {
  return checkEarly(req, output, reply, (faults) => outputError(stateOf(req).route?.name ?? 'the resource', faults))
}

function transformed({ options, store }: CrudPlan, rows: readonly Row[], req: Request, db: unknown): Promise<Row[]> {
  const { transform, transformMany } = options
  if (transformMany !== undefined) return transformedTogether(transformMany, rows, req, store.key, db)
  if (transform === undefined) return Promise.resolve([...rows])
  return Promise.all(rows.map(async (row) => transform(row, req, { db })))
}

type TransformMany = NonNullable<AnyOptions['transformMany']>

async function transformedTogether(
  transformMany: TransformMany,
  rows: readonly Row[],
  req: Request,
  key: string,
  db: unknown,
): Promise<Row[]> {
  if (rows.length === 0) return []
  const outputs: unknown = await transformMany(rows, req, { db })
  const where = `\`transformMany\` of ${stateOf(req).route?.name ?? 'the resource'}`
  if (!Array.isArray(outputs)) throw new Error(`${where} did not return a list.`)
  if (outputs.length !== rows.length) {
    throw new Error(`${where} returned ${outputs.length} outputs for ${rows.length} rows.`)
  }
  if (isReordered(rows, outputs as Row[], key)) {
    throw new Error(`${where} returned the outputs in another order than the rows.`)
  }
  return [...outputs as Row[]]
}

/** True if the outputs have the keys of the rows in another order; an output may also have no key, or another one. */
function isReordered(rows: readonly Row[], outputs: readonly Row[], key: string): boolean {
  const keys = rows.map((row) => String(row[key]))
  const others = outputs.map((one) => String(one[key]))
  return keys.join() !== others.join() && keys.toSorted().join() === others.toSorted().join()
}
