import { isDeepStrictEqual } from 'node:util'
import { isMap, mayBeMissing, messageOf, RequestParam, toJson, ValidationError } from '../../core/index.js'
import type { Call } from './feature.js'
import type { Row } from './any-resource.js'
import { toSentRecord } from './output.js'
import { shapeOf } from './schemas.js'

/**
 * Checks the body of a creation, where unknown fields are refused.
 *
 * @throws ValidationError naming the fields that this caller may not write, and those that differ from the path.
 */
export async function checkNewBody(call: Call, args: Row): Promise<void> {
  const { req, plan: { schemas, options: { fields } } } = call
  if (!schemas.strictness.create || (fields === undefined && Object.keys(req.params).length === 0)) return
  const body = RequestParam.body(req)
  refuse([...await deniedIn(call, args, body), ...otherThanPath(call, body)])
}

/**
 * Checks the fields of a new row as they were sent, where unknown fields are refused.
 *
 * @throws ValidationError naming those that this caller may not write.
 */
export async function checkNewFields(call: Call, args: Row, sent: unknown): Promise<void> {
  if (call.plan.schemas.strictness.create) refuse(await deniedIn(call, args, sent))
}

/** Returns the fields that were sent and read, and that this caller may not write. */
async function deniedIn(call: Call, args: Row, sent: unknown): Promise<string[]> {
  const denied = await call.denied('write')
  if (denied.size === 0 || !isMap(sent)) return []
  return Object.keys(sent).filter((name) =>
    denied.has(name) && sent[name] !== undefined && Object.hasOwn(args, name) && isOptional(call, name)
  )
}

/** False for a field that the schema demands from every caller: it is dropped, since it cannot be left out. */
function isOptional({ plan: { schemas: { create } } }: Call, name: string): boolean {
  const field = shapeOf(create)[name]
  return field === undefined || mayBeMissing(field)
}

/** Returns the fields of a body that have the name of a path argument, and not its value. */
function otherThanPath({ req }: Call, body: Row): string[] {
  const path: Row = RequestParam.params(req)
  return Object.keys(path).filter((name) => Object.hasOwn(body, name) && !isSame(body[name], path[name]))
}

/**
 * Checks the fields of a body beside those of its records, where unknown fields are refused.
 *
 * @throws ValidationError naming those that differ from the path.
 */
export function checkPathFields(call: Call, action: 'create' | 'store'): void {
  if (!call.plan.schemas.strictness[action] || Object.keys(call.req.params).length === 0) return
  refuse(otherThanPath(call, RequestParam.body(call.req)))
}

/** True for a field that has the value of a path argument. */
function isSame(sent: unknown, argument: unknown): boolean {
  return (typeof sent === 'string' || typeof sent === 'number') && String(sent) === argument
}

/** @throws ValidationError naming these fields, if there are any. */
function refuse(names: readonly string[]): void {
  if (names.length === 0) return
  throw new ValidationError(Object.fromEntries(names.map((name) => [name, [messageOf('field.read_only')]])))
}

/**
 * Returns the fields of the body of a change that this caller may not write, as {@link readOnlyIn} does.
 *
 * @throws ValidationError naming other fields that differ from the path.
 */
export async function readOnlyInBody(call: Call, action: 'edit' | 'store'): Promise<Row | undefined> {
  if (!call.plan.schemas.strictness[action]) return undefined
  const body = RequestParam.body(call.req)
  const found = await readOnlyIn(call, action, body)
  refuse(otherThanPath(call, body).filter((name) => found === undefined || !Object.hasOwn(found, name)))
  return found
}

/** Returns the sent fields that this caller may not write; `undefined` where there are none, or all are dropped. */
export async function readOnlyIn(call: Call, action: 'edit' | 'store', sent: unknown): Promise<Row | undefined> {
  const { store: { key }, schemas, schemas: { output, strictness } } = call.plan
  if (!strictness[action] || typeof sent !== 'object' || sent === null) return undefined
  const writable = action === 'edit' ? schemas.create : schemas.store
  const denied = await call.denied('write')
  // The key is read from the path; `store` has it beside the fields that are written.
  const isKey = (name: string): boolean => name === 'id' && !Object.hasOwn(schemas.create.shape, 'id')
  // One that callers choose is a field too, by the name of its column, and no change writes it.
  const isChosenKey = (name: string): boolean => name === key && name !== 'id'
  const isDenied = (name: string): boolean =>
    denied.has(name) && (action === 'store' || Object.hasOwn(output.shape, name) || isOptional(call, name))
  const found = Object.entries(sent).filter(([name]) =>
    isKey(name) || isChosenKey(name) || !Object.hasOwn(writable.shape, name)
      ? isKey(name) || Object.hasOwn(output.shape, name)
      : isDenied(name)
  )
  return found.length === 0 ? undefined : Object.fromEntries(found)
}

/**
 * Checks that fields which the caller may not write are as they are stored.
 *
 * @throws ValidationError naming those that differ, and those that the caller may not read or that no reply has.
 */
export async function checkReadOnly(call: Call, found: Row, sent: Row | undefined): Promise<void> {
  if (sent === undefined) return
  const stored = JSON.parse(toJson(await recordWith(call, found, Object.keys(sent)))) as Row
  refuse(
    Object.keys(sent).filter((name) =>
      !Object.hasOwn(stored, name) || !isDeepStrictEqual(JSON.parse(toJson(sent[name])), stored[name])
    ),
  )
}

/** Returns a record as it is sent to a request that asks for these of the fields which features add to it. */
async function recordWith(call: Call, row: Row, names: readonly string[]): Promise<unknown> {
  const { features } = call.plan
  const include = (fields: readonly string[]): void => {
    for (const { includeFields } of features) includeFields?.(call, fields)
  }
  include(names)
  const record = await toSentRecord(call, row)
  // The reply has none of them.
  include([])
  return record
}
