import type { Request } from 'express'
import type { z } from 'zod'
import { checkEarly, isList, isObject, outputError, reply, show, stateOf, type Meta,
  type Reply } from '../../core/index.js'
import type { Call, CrudPlan } from './feature.js'
import { exposeHeaders } from './headers.js'
import { keyText } from './key-text.js'
import { merge, type AnyOptions, type Row } from './any-resource.js'
import { hasValue, type MissingFields } from './schemas.js'

/** Converts rows to output, without the fields that this caller may not read. */
export async function toOutput(call: Call, rows: readonly Row[]): Promise<Row[]> {
  const denied = await call.denied('read')
  const { req, store: { db }, plan: { options: { transform, transformMany } } } = call
  let outputs: readonly Row[] = transformMany !== undefined
    ? await transformTogether(call, transformMany, rows)
    : transform === undefined
    ? completed(rows, call.plan.schemas.missing)
    : objectsOf(call, 'transform', await Promise.all(rows.map(async (row) => transform(row, req, { db }))))
  for (const { addToOutputs } of call.plan.features) outputs = await addToOutputs?.(call, rows, outputs) ?? outputs
  const allowed = denied.size === 0
    ? outputs
    : outputs.map((output) => Object.fromEntries(Object.entries(output).filter(([field]) => !denied.has(field))))
  return withoutInherited(allowed, call.plan.schemas.inherited)
}

/** Returns outputs in which fields of these names are absent where an object has inherited them. */
function withoutInherited(outputs: readonly Row[], names: readonly string[]): Row[] {
  if (names.length === 0) return [...outputs]
  const absent = Object.fromEntries(names.map((name) => [name, undefined]))
  return outputs.map((output) => ({ ...absent, ...output }))
}

/**
 * Returns rows in which a missing value is null or absent, as the output declares it: databases have null alone, and
 * objects in memory may lack a key.
 */
function completed(rows: readonly Row[], { nullable, optional }: MissingFields): readonly Row[] {
  if (nullable.length + optional.length === 0) return rows
  return rows.map((row) => {
    let output = row
    for (const name of nullable) if (!hasValue(row, name)) output = { ...output, [name]: null }
    for (const name of optional) if (row[name] === null) output = { ...output, [name]: undefined }
    return output
  })
}

export async function toOutputOne(call: Call, row: Row): Promise<Row> {
  const [output = row] = await toOutput(call, [row])
  return output
}

/**
 * Converts rows to the reply of a bulk action, and checks that. @throws HttpError 500 when it does not fit the output
 */
export async function toCheckedOutput(call: Call, rows: readonly Row[]): Promise<Row[]> {
  const outputs = await toOutput(call, rows)
  await checkReply(call.req, call.plan.schemas.outputs, outputs)
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
export async function toRecordReply(call: Call, row: Row): Promise<RecordReply> {
  const record = await toOutputOne(call, row)
  const sent = await checkReply(call.req, call.plan.schemas.output, record)
  const bare = withoutAdded(call.plan, sent)
  const headers = call.plan.features.map(({ recordHeaders }) => recordHeaders?.(row, bare))
  return { record, headers: merge(headers) }
}

/** Converts a row to the record as it is sent. @throws HttpError 500 when it does not fit the output */
export async function toSentRecord(call: Call, row: Row): Promise<unknown> {
  return checkReply(call.req, call.plan.schemas.output, await toOutputOne(call, row))
}

/** Converts a row to the reply about it. The route checks the reply, unless headers are made of it here. */
export async function toShownReply(call: Call, row: Row): Promise<RecordReply> {
  const hasHeaders = call.plan.features.some(({ recordHeaders }) => recordHeaders !== undefined)
  if (hasHeaders) return toRecordReply(call, row)
  return { record: await toOutputOne(call, row), headers: {} }
}

function withoutAdded({ features }: CrudPlan, sent: unknown): unknown {
  const added = features.flatMap(({ addedFields = [] }) => addedFields)
  if (added.length === 0 || typeof sent !== 'object' || sent === null) return sent
  return Object.fromEntries(Object.entries(sent).filter(([field]) => !added.includes(field)))
}

/** Makes a reply with its own `meta`, under the message of the action, which `perAction` may have replaced. */
export function successReply({ req }: Call, message: string, data: unknown, meta: Meta = {}): Reply {
  return reply(stateOf(req).route?.message ?? message, data, meta)
}

/** Sets the headers of a reply, after the commit, and returns the record. */
export function withHeaders({ res }: Call, { record, headers }: RecordReply): Row {
  const names = Object.keys(headers)
  for (const name of names) res.setHeader(name, headers[name] ?? '')
  if (names.length > 0) exposeHeaders(res, names)
  return record
}

/** Checks a reply inside its transaction, and returns the output of its schema. */
function checkReply(req: Request, output: z.ZodType, sent: object): Promise<unknown> {
  return checkEarly(req, output, sent, (faults) => outputError(stateOf(req).route?.name ?? 'the resource', faults))
}

async function transformTogether(
  call: Call,
  transformMany: NonNullable<AnyOptions['transformMany']>,
  rows: readonly Row[],
): Promise<readonly Row[]> {
  const { req, store: { db, key } } = call
  if (rows.length === 0) return []
  const outputs: readonly Row[] = await transformMany(rows, req, { db })
  const where = nameIn(call, 'transformMany')
  if (!isList(outputs)) throw new Error(`${where} did not return a list.`)
  if (outputs.length !== rows.length) {
    throw new Error(`${where} returned ${outputs.length} outputs for ${rows.length} rows.`)
  }
  if (isReordered(rows, objectsOf(call, 'transformMany', outputs), key)) {
    throw new Error(`${where} returned the outputs in another order than the rows.`)
  }
  return outputs
}

function nameIn({ req }: Call, option: string): string {
  return `\`${option}\` of ${stateOf(req).route?.name ?? 'the resource'}`
}

/** Returns outputs that are objects: in place of `undefined`, a single record would be the row with all its columns. */
function objectsOf(call: Call, option: string, outputs: readonly Row[]): readonly Row[] {
  const others: readonly unknown[] = outputs.filter((output) => !isObject(output))
  if (others.length === 0) return outputs
  throw new Error(`${nameIn(call, option)} must return an object for each row, but it returned ${show(others[0])}.`)
}

/** True if the outputs have the keys of the rows in another order; an output may also have no key, or another one. */
function isReordered(rows: readonly Row[], outputs: readonly Row[], key: string): boolean {
  const keys = rows.map((row) => keyText(row[key]))
  const others = outputs.map((output) => keyText(output[key]))
  return keys.join() !== others.join() && keys.toSorted().join() === others.toSorted().join()
}
