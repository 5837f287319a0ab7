import { isObject } from '../../../core/index.js'
import type { Resolve } from '../../openapi/fields.js'
import type { JsonSchema } from '../../openapi/types.js'
import { propertiesOf } from './collections.js'
import { misfitOf } from './fits.js'
import { BODIES, EVIL_HOST, NUMBERS, WRONG } from './hostile.js'
import type { CaseSource } from './url-cases.js'
import { bodyPlanOf, validValue, type BodyPlan } from './values.js'
import type { CheckCase, CheckRequest } from './model.js'

/** Sends what is most often handled wrongly: a page of another origin, a prototype, and some values for each field. */
export function* brokenFirst(source: CaseSource): Generator<CheckCase> {
  const { target, make, resolve } = source
  const request = make()
  yield { request: { ...request, headers: { ...request.headers, origin: `https://${EVIL_HOST}` } },
    about: 'the header `origin`' }
  if (READS.has(target.method)) return
  for (const [about, text, type] of BODIES.filter(([name]) => FIRST_BODIES.has(name))) {
    yield { request: { ...make(), body: { text, type } }, about }
  }
  const plan = bodyPlanOf(target, resolve)
  if (plan === undefined || plan.isForm) return
  for (const [name, { schema }] of plan.fields) {
    const values = [null, '', [], {}, { a: null }, ...listsFor(name, schema, resolve).slice(0, 3),
      ...numbersFor(schema, resolve).filter((one) => one === 0 || one === -1 || one > 10_000)]
    for (const value of values) yield field(source, name, schema, value)
  }
}

const FIRST_BODIES = new Set(['names of prototypes', 'plain text', 'a list of nothing'])

/** Sends each field of a body with wrong values, and bodies that are none. */
export function* brokenBodies(source: CaseSource): Generator<CheckCase> {
  const { target, make, resolve } = source
  if (READS.has(target.method)) return
  const plan = bodyPlanOf(target, resolve)
  if (plan === undefined) yield { request: { ...make(), body: { json: { a: 1 } } }, about: 'an unexpected body' }
  else yield* brokenFields(source, plan)
  const isNeeded = [...plan?.fields.values() ?? []].some(({ required }) => required)
  for (const [about, text, type] of BODIES) {
    const isInvalid = isNeeded && NO_OBJECTS.has(about)
    yield { request: { ...make(), body: { text, type } }, about, isInvalid }
  }
}

function* brokenFields(source: CaseSource, plan: BodyPlan): Generator<CheckCase> {
  const { make, resolve } = source
  for (const [name, { schema, required }] of plan.fields) {
    yield { request: without(make(), name), about: `the missing field \`${name}\``, isInvalid: required }
    if (plan.isForm) continue
    const values = [...WRONG, ...listsFor(name, schema, resolve), ...numbersFor(schema, resolve)]
    for (const value of values) yield field(source, name, schema, value)
  }
  if (!plan.isForm) yield { request: make({ 'zz~': 1, 'a.b': {}, '': 1 }), about: 'unknown fields' }
}

/** Bodies in which no reader finds the field of an object. */
const NO_OBJECTS = new Set(['null as the body', 'a string as the body', 'a number as the body', 'an empty object',
  'an empty body', 'a truncated body', 'a body that is no JSON', 'plain text', 'XML'])

const READS = new Set(['GET', 'HEAD', 'OPTIONS'])

/** Returns a request with another value in one field of its body. */
export function field({ target, make, resolve }: CaseSource, name: string, schema: JsonSchema,
  value: unknown): CheckCase
{
  const request = make({ [name]: value })
  const isMisfit = (json: JsonSchema, sent: unknown): boolean =>
    misfitOf(json, sent, { resolve, isClosed: false }) !== undefined
  // A string or a list may be read as another type; an object cannot. Only some variants of a body have the field.
  const isInvalid = isObject(value) && isMisfit(schema, value)
    && isMisfit(bodyPlanOf(target, resolve)?.schema ?? {}, jsonOf(request))
  return { request, about: `the field \`${name}\``, isInvalid }
}

function jsonOf({ body }: CheckRequest): unknown {
  return body !== undefined && 'json' in body ? body.json : undefined
}

export function without(request: CheckRequest, name: string): CheckRequest {
  const { body } = request
  if (body === undefined || 'text' in body) return request
  if ('form' in body) return { ...request, body: { form: body.form.filter((part) => part.name !== name) } }
  const { [name]: _, ...others } = propertiesOf(body.json)
  return { ...request, body: { json: others } }
}

function numbersFor(schema: JsonSchema, resolve: Resolve): readonly number[] {
  const json = resolve(schema)
  const types = [json, ...(json.anyOf ?? [])].flatMap(({ type }) => type ?? [])
  const bounds = [json.minimum, json.maximum].filter((one) => typeof one === 'number')
  return types.includes('integer') || types.includes('number') ? [...new Set([...NUMBERS, ...bounds])] : []
}

/** Returns lists in which one element differs from the valid ones, an element is repeated, and long ones. */
function listsFor(name: string, schema: JsonSchema, resolve: Resolve): readonly (readonly unknown[])[] {
  const { items } = resolve(schema)
  const valid = items === undefined ? undefined : validValue(name, items, { ...NO_FILLING, resolve })
  if (items === undefined || valid === undefined) return []
  const others = ['', ' ', null, 0, -1, 'zz~', 999_999_999, {}, [], 'x'.repeat(500)].map((value) => [valid, value])
  const { properties } = resolve(items)
  const missing = Object.keys(properties ?? {}).map((key) => {
    const { [key]: _, ...rest } = propertiesOf(valid)
    return [valid, rest]
  })
  const wrong = Object.keys(properties ?? {}).flatMap((key) =>
    ['', ' ', null, -1, {}].map((value) => [valid, { ...propertiesOf(valid), [key]: value }])
  )
  return [...wrong, ...others, ...missing, [valid, valid], Array.from({ length: 300 }, () => valid)]
}

export const NO_FILLING = { number: 1, known: {}, reference: () => undefined }
