import type { JsonSchema } from '../../openapi/types.js'
import { isAdmitted, recordsIn, wordOf, propertiesOf, type KnownRecord } from './collections.js'
import { SEARCH } from './known.js'
import { sentText } from './reply-faults.js'
import { differentClaims, isDivided, isForeign, report, routesFor, type Pair } from './tenant-pair.js'
import { plainSchema } from './round-values.js'
import { queryOf, withPairs } from './url-cases.js'
import type { CheckRequest, Observed, Target } from './model.js'

/** Names rows, owners and cursors of another tenant in the parameters of lists. */
export async function checkQueries(pair: Pair, foreign: readonly string[]): Promise<void> {
  const { run, one } = pair
  for (const target of run.left(routesFor(run, one, 'GET'))) {
    if (!run.isKnown(target, 'tenant')) await checkQuery(pair, target, foreign)
  }
}

async function checkQuery(pair: Pair, target: Target, foreign: readonly string[]): Promise<void> {
  const { run, one, other } = pair
  const others = await isDivided(pair, target.path) ? await run.known.ownRecords(target.path, other) : []
  const ids = new Set<unknown>(others.map(({ id }) => id).filter((id) => id !== undefined))
  const isTold = (observed: Observed, request: CheckRequest): boolean => {
    const sent = sentText(request)
    return recordsIn(observed).some(({ id }) => ids.has(id))
      || isForeign(pair, observed, foreign.filter((text) => !sent.includes(text)))
  }
  const make = await run.known.maker(target, one)
  const queries = [...queriesFor(pair, target, others), ...searchesFor(target, foreign), ...await cursors(pair, target)]
  for (const query of queries) {
    if (run.isOver()) return
    const request = withPairs(make(), query)
    const observed = await run.send(request)
    if (observed.status !== 200 || !isTold(observed, request)) continue
    await report(run, target, request, 'The reply contains data of another tenant, which the query asks for')
    return
  }
}

/** Parameters that programs tend to trust. */
const OWNERS = ['userId', 'ownerId', 'authorId', 'customerId', 'accountId', 'tenantId', 'tenant', 'orgId',
  'organizationId', 'companyId', 'teamId', 'user', 'owner']

const WIDE = ['include', 'expand', 'scope', 'all', 'view', 'filter']

type Queries = CheckRequest['query'][]

function queriesFor(pair: Pair, target: Target, others: readonly KnownRecord[]): Queries {
  const { run, other } = pair
  const claims = differentClaims(pair)
  const caller = propertiesOf(run.sender.callers.get(other))
  const record = others.at(-1) ?? {}
  const declared = queryOf(target).flatMap(({ name, schema }) => {
    const { json } = plainSchema(schema, run.resolve)
    const values = [record[name], record.id, caller.id, ...json.enum ?? [], ...wideValues(json), textOf(record), '*']
    return [...new Set(values)].filter((value) => value !== undefined).map((value) => [name, value] as const)
  })
  const values = [caller.id, ...claims.map(([, value]) => value)]
  const usual = OWNERS.flatMap((name) => values.map((value) => [name, value] as const))
  const wide = WIDE.flatMap((name) => ['all', 'true', '*'].map((value) => [name, value] as const))
  const searched = ['search', 'q'].map((name) => [name, textOf(record)] as const)
  const pairs = [...declared, ...claims, ...usual, ...wide, ...searched]
  return pairs.map(([name, value]) => [[name, wordOf(value)]])
}

/** Strings of another tenant that are searched for. */
const MOST_SEARCHES = 12

/** Returns searches for words of the other tenant, by the parameters that search. */
function searchesFor(target: Target, foreign: readonly string[]): Queries {
  const names = queryOf(target).map(({ name }) => name).filter((name) => SEARCH.test(name))
  const words = foreign.flatMap((text) => text.match(/\p{L}{3,}/gu) ?? []).map((word) => word.slice(0, 20))
  const chosen = [...new Set(words)].slice(0, MOST_SEARCHES)
  return names.flatMap((name) => chosen.map((word) => [[name, word] as const]))
}

/** Returns values of bounds that leave out nothing. */
function wideValues({ type, format }: JsonSchema): readonly unknown[] {
  if (format === 'date') return ['2000-01-01', '2099-12-31']
  if (format === 'date-time') return ['2000-01-01T00:00:00Z', '2099-12-31T00:00:00Z']
  if (type === 'boolean') return [true, false]
  return type === 'integer' || type === 'number' ? [0, 1] : []
}

/** Returns a string of a record, for a search. */
function textOf(record: KnownRecord): string {
  const isWord = (value: unknown): value is string =>
    typeof value === 'string' && /\w{3}/.test(value) && value.length < 100
  return Object.values(record).find(isWord) ?? 'a'
}

/** Returns queries with the cursors that both tenants are given. */
async function cursors({ run, one, other }: Pair, target: Target): Promise<Queries> {
  const found: Queries = []
  for (const caller of isAdmitted(target.access[other]) ? [other, one] : []) {
    const request = await run.valid(target, caller)
    for (const start of [[['limit', '1'], ['cursor', '']], [['limit', '1']]] as const) {
      const { json } = await run.send({ ...request, query: [...request.query, ...start] })
      const { next } = propertiesOf(propertiesOf(json).meta)
      if (typeof next === 'string' && next !== '') found.push([['limit', '20'], ['cursor', next]])
    }
  }
  return found
}
