import type { JsonSchema } from '../../openapi/types.js'
import type { Resolve } from '../../openapi/fields.js'
import { brokenBodies, brokenFirst, field, NO_FILLING, without } from './body-cases.js'
import { HOSTILE, LONG } from './hostile.js'
import { spell } from './spellings.js'
import { isFreeText, mayBeString, typesIn } from './string-schemas.js'
import { brokenPaths, brokenQueries, queryOf, redirects, undeclaredQueries, wire, withQuery,
  type CaseSource } from './url-cases.js'
import { bodyPlanOf, validValue } from './values.js'
import type { CheckCase } from './model.js'

/** Requests in groups: all routes are sent the requests of one group before those of the next. */
export const WAVES: readonly ((source: CaseSource) => Iterable<CheckCase>)[] = [plain, first, broken, hostile, spell,
  random]

function* plain(source: CaseSource): Generator<CheckCase> {
  const { target, make, resolve } = source
  for (const { name, schema } of queryOf(target)) {
    const value = validValue(name, schema, { ...NO_FILLING, resolve })
    if (value !== undefined) yield { request: withQuery(make(), name, wire(value)), about: `the parameter \`${name}\`` }
  }
  const plan = bodyPlanOf(target, resolve)
  if (plan === undefined || plan.isForm) return
  for (const [name, { schema, required }] of plan.fields) {
    if (!required) yield { request: without(make(), name), about: `the omitted field \`${name}\`` }
    for (const value of choicesIn(schema, resolve)) yield field(source, name, schema, value)
  }
}

/** Returns the values of an enumeration, null and the booleans, where the schema accepts them. */
function choicesIn(schema: JsonSchema, resolve: Resolve): readonly unknown[] {
  const { anyOf = [], ...json } = resolve(schema)
  const types = [json.type ?? []].flat()
  const own = json.enum ?? []
  const more = [...(types.includes('null') ? [null] : []), ...(types.includes('boolean') ? [true, false] : [])]
  return [...own.slice(0, 20), ...more, ...anyOf.flatMap((one) => choicesIn(one, resolve))]
}

function* broken(source: CaseSource): Generator<CheckCase> {
  yield* undeclaredQueries(source)
  yield* brokenPaths(source)
  yield* brokenQueries(source)
  yield* brokenBodies(source)
}

/** The strings that are sent to all routes before anything else is. */
const FIRST = 20

function* first(source: CaseSource): Generator<CheckCase> {
  yield* brokenFirst(source)
  yield* redirects(source)
  yield* hostileStrings(source, HOSTILE.slice(0, FIRST))
}

function hostile(source: CaseSource): Generator<CheckCase> {
  return hostileStrings(source, [...HOSTILE.slice(FIRST), ...LONG])
}

function* hostileStrings(source: CaseSource, strings: readonly string[]): Generator<CheckCase> {
  const { target, make, resolve } = source
  for (const { name, schema } of queryOf(target)) {
    if (!typesIn(schema, resolve).includes('string')) continue
    for (const text of strings.filter((one) => one.length < 8_000)) {
      yield { request: withQuery(make(), name, text), about: `the parameter \`${name}\`` }
    }
  }
  const plan = bodyPlanOf(target, resolve)
  if (plan === undefined) return
  const names = [...plan.fields].filter(([, { schema }]) => mayBeString(schema, resolve)).map(([name]) => name)
  const free = names.filter((name) => isFreeText(plan.fields.get(name)?.schema ?? {}, resolve))
  for (const text of strings) {
    if (free.length > 1) {
      yield { request: make(Object.fromEntries(free.map((name) => [name, text]))), about: 'the fields' }
    }
    for (const name of names) yield { request: make({ [name]: text }), about: `the field \`${name}\`` }
  }
}

function* random(source: CaseSource): Generator<CheckCase> {
  const { target, make, resolve } = source
  const names = [...bodyPlanOf(target, resolve)?.fields.keys() ?? []]
  const parameters = queryOf(target).map(({ name }) => name)
  for (let round = 0; round < 40; round++) {
    const values = source.random()
    const request = make(
      Object.fromEntries(names.flatMap((name, index) => index % 2 === round % 2 ? [[name, values[index]]] : [])),
    )
    yield { request, about: 'random values' }
    const queried = parameters.flatMap((name, index) =>
      (index + round) % 3 === 0 ? [[name, wire(values[index] ?? '')] as const] : []
    )
    if (queried.length > 0) yield { request: { ...make(), query: queried }, about: 'random values' }
  }
}
