import { fieldsOf } from '../../openapi/fields.js'
import type { JsonSchema } from '../../openapi/types.js'
import { isAccepted, ownCollection, type KnownRecord } from './collections.js'
import { plainSchema } from './round-values.js'
import { absentLike } from './tenant-ids.js'
import { bothRecords, differentClaims, isDivided, report, type Pair } from './tenant-pair.js'
import { bodyPlanOf } from './values.js'
import type { CheckRequest, Observed, Target } from './model.js'

/** Sends ids of another tenant's records in fields such as `customerId`, `customerIds` and `items[].productId`. */
export async function checkReferences(pair: Pair, target: Target): Promise<void> {
  const { run } = pair
  const plan = bodyPlanOf(target, run.resolve)
  if (plan === undefined || plan.isForm) return
  for (const [name, { schema }] of plan.fields) {
    for (const place of await placesIn(pair, target, name, schema)) {
      if (run.isOver() || run.isKnown(target, 'tenant')) return
      const ids = await idsFor(pair, target, place)
      if (ids !== undefined) await checkPlace(pair, target, { ...place, ...ids })
    }
  }
}

/** A part of a body that names a record. */
interface Place {
  /** The name of the part as messages show it. */
  readonly label: string
  /** The record that is named, `customer` for `customerId`. */
  readonly word: string
  /** The field of the body. */
  readonly name: string
  /** Returns the value of the field that names a record. */
  readonly valueFor: (id: unknown) => unknown
}

const REFERENCE = /^(.+?)(?:Id|_id)(s?)$/

async function placesIn({ run, one }: Pair, target: Target, name: string, schema: JsonSchema): Promise<Place[]> {
  const { json } = plainSchema(schema, run.resolve)
  const [, word, isMany] = REFERENCE.exec(name) ?? []
  if (word !== undefined) {
    return [{ label: name, word, name, valueFor: (id) => (isMany === 's' || json.type === 'array' ? [id] : id) }]
  }
  const items = json.type === 'array' ? plainSchema(json.items ?? {}, run.resolve).json : {}
  if (items.type !== 'object') return []
  const item = await run.known.bodyFor(target, one, items)
  return [...fieldsOf(items, run.resolve).keys()].flatMap((inner): Place[] => {
    const [, innerWord, isManyInside] = REFERENCE.exec(inner) ?? []
    return innerWord === undefined || isManyInside === 's'
      ? []
      : [{ label: `${name}[].${inner}`, word: innerWord, name, valueFor: (id) => [{ ...item, [inner]: id }] }]
  })
}

interface Ids {
  readonly own: readonly unknown[]
  readonly foreign: unknown
  /** True if a collection of that name has the records. */
  readonly isNamed: boolean
}

/** Records of the own tenant of which one may be accepted. */
const MOST_OWN = 3

/**
 * Returns ids of both tenants: of the records in the collection that has the name of the field, or else those that the
 * field has in the records of each tenant.
 */
async function idsFor(pair: Pair, target: Target, { word, label }: Place): Promise<Ids | undefined> {
  if (differentClaims(pair).some(([claim]) => claim === label)) return undefined
  const list = pair.run.known.listOf(word)
  if (list !== undefined && !await isDivided(pair, list.path)) return undefined
  const [own, others] = await bothRecords(pair, list?.path ?? ownCollection(target))
  if (list !== undefined) {
    return { own: own.map(({ id }) => id).slice(-MOST_OWN), foreign: others.at(-1)?.id, isNamed: true }
  }
  const known = valuesIn(own, label)
  const foreign = valuesIn(others, label).filter((value) => !known.includes(value))
  return known.length === 0 || foreign.length === 0
    ? undefined
    : { own: known.slice(-MOST_OWN), foreign: foreign.at(-1), isNamed: false }
}

/** Returns the numbers and strings that a field has in records, each once. */
function valuesIn(records: readonly KnownRecord[], name: string): unknown[] {
  return [...new Set(records.map((record) => record[name]))].filter((value) =>
    typeof value === 'number' || typeof value === 'string'
  )
}

async function checkPlace({ run, one }: Pair, target: Target,
  { label, name, valueFor, own, foreign, isNamed }: Place & Ids): Promise<void>
{
  const sendAs = (isAlone: boolean): SendId => async (id) => {
    const fields = { [name]: valueFor(id) }
    const made = await run.valid(target, one, fields)
    const request = { ...made, headers: { ...made.headers, ...(target.method !== 'POST' && { 'if-match': '*' }) },
      ...(isAlone && { body: { json: fields } }) }
    const observed = await run.send(request)
    run.known.forget()
    return [observed, request]
  }
  // A change of other fields may be refused where that of one is not.
  const ways = (target.method === 'PATCH' ? [true, false] : [false]).map(sendAs)
  const sendWith = await firstAccepted(own, ways)
  if (sendWith === undefined) return
  const [missing] = await sendWith(absentLike(own.at(-1)))
  const isLookedUp = !isAccepted(missing)
  // Ids that name no collection may be those of another system.
  if (!isLookedUp && !isNamed) return
  const [observed, request] = await sendWith(foreign)
  if (isAccepted(observed)) await report(run, target, request, `\`${label}\` may name a record of another tenant`)
  else if (isLookedUp && observed.status !== missing.status) {
    await report(run, target, request, `The reply tells that a record of another tenant exists, by \`${label}\``)
  }
}

type SendId = (id: unknown) => Promise<readonly [Observed, CheckRequest]>

/** Returns the way in which one of some ids is accepted. */
async function firstAccepted(ids: readonly unknown[], ways: readonly SendId[]): Promise<SendId | undefined> {
  for (const way of ways) for (const id of ids) if (isAccepted((await way(id))[0])) return way
  return undefined
}
