import { propertiesOf, type KnownRecord } from './collections.js'
import { isDifferent, variantOf } from './round-values.js'
import type { Run } from './run.js'
import type { CheckRequest, Target } from './model.js'

/** Returns a value for each field of a body, of the values that are often stored as others. */
export function variantFields(run: Run, target: Target, round: number): KnownRecord {
  const number = run.known.next()
  return Object.fromEntries([...run.fieldsOf(target)].flatMap(([name, { schema }]) => {
    const value = variantOf(name, schema, run.resolve, { round, number })
    return value === undefined ? [] : [[name, value]]
  }))
}

/** Returns the JSON object of a request, an empty one for any other body. */
export function jsonOf({ body }: CheckRequest): KnownRecord {
  return body !== undefined && 'json' in body ? propertiesOf(body.json) : {}
}

/** Returns a request with more fields in its JSON object, the same request for any other body. */
export function withFields(request: CheckRequest, fields: KnownRecord): CheckRequest {
  const isJson = request.body !== undefined && 'json' in request.body
  return isJson ? { ...request, body: { json: { ...jsonOf(request), ...fields } } } : request
}

/** Returns the first field that is read as another value than it was sent. */
export function differentName(run: Run, target: Target, sent: KnownRecord, read: KnownRecord): string | undefined {
  return [...run.fieldsOf(target)].find(([name, { schema }]) =>
    variantOf(name, schema, run.resolve, { round: 0, number: 1 }) !== undefined
    && isDifferent(sent[name], read[name], schema, run.resolve)
  )?.[0]
}

/** Returns true for a value that can be compared as it is. */
export function isScalar(value: unknown): boolean {
  return ['string', 'number', 'boolean'].includes(typeof value)
}

/** Returns a value as a message names it. */
export function short(value: unknown): string {
  const text = value === undefined ? 'nothing' : JSON.stringify(value)
  return text.length > 60 ? `${text.slice(0, 57)}…` : text
}
