import { isDeepStrictEqual } from 'node:util'
import { messageOf, RequestParam, toJson, ValidationError } from '../../core/index.js'
import type { Call } from './feature.js'
import type { Row } from './options.js'
import { toSentRecord } from './output.js'

/**
 * Returns the fields of a body that this caller may not write; `undefined` where there are none, or all are dropped.
 */
export async function readOnlyIn(
  call: Call,
  action: 'edit' | 'store',
  body: unknown = RequestParam.body(call.req),
): Promise<Row | undefined> {
  const { schemas } = call.plan
  const { strictness, output } = schemas
  const isChecked = action === 'edit' ? strictness.replacements : strictness.changes
  if (!isChecked || typeof body !== 'object' || body === null) return undefined
  const writable = action === 'edit' ? schemas.create : schemas.store
  const denied = await call.denied('write')
  // The key is read from the path; `store` has it beside the fields that are written.
  const isKey = (name: string): boolean => name === 'id' && !Object.hasOwn(schemas.create.shape, 'id')
  const found = Object.entries(body).filter(([name]) =>
    isKey(name) || !Object.hasOwn(writable.shape, name)
      ? isKey(name) || Object.hasOwn(output.shape, name)
      : denied.has(name) && Object.hasOwn(output.shape, name)
  )
  return found.length === 0 ? undefined : Object.fromEntries(found)
}

/**
 * Checks that fields which the caller may not write are as they are stored.
 *
 * @throws ValidationError naming those that differ, and those that the caller may not read.
 */
export async function checkReadOnly(call: Call, found: Row, sent: Row | undefined): Promise<void> {
  if (sent === undefined) return
  const stored = JSON.parse(toJson(await toSentRecord(call, found))) as Row
  const other = Object.keys(sent).filter((name) =>
    !Object.hasOwn(stored, name) || !isDeepStrictEqual(JSON.parse(toJson(sent[name])), stored[name])
  )
  if (other.length === 0) return
  throw new ValidationError(Object.fromEntries(other.map((name) => [name, [messageOf('field.read_only')]])))
}
