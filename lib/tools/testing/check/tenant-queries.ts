import { pathNamesOf } from '../../../core/index.js'
import type { JsonSchema } from '../../openapi/types.js'
import { isAdmitted, recordsIn, wordOf, propertiesOf, type KnownRecord } from './collections.js'
import { SEARCH } from './known.js'
import { sentText } from './reply-faults.js'
import { differentClaims, isDivided, report, type Pair } from './tenant-pair.js'
import { plainSchema } from './round-values.js'
import type { Run } from './run.js'
import { queryOf } from './url-cases.js'
import type { CheckRequest, Observed, Target } from './model.js'

/** Names rows, owners and cursors of another tenant in the parameters of lists. */
export async function checkQueries(run: Run, pair: Pair, foreign: readonly string[]): Promise<void> {
  const reads = run.targets.filter(({ method, path, access }) =>
    method === 'GET' && pathNamesOf(path).length === 0 && isAdmitted(access[pair.one])
  )
  for (const target of reads) {
    if (run.isOver()) return
    if (!run.isKnown(target, 'tenant')) await checkQuery(run, target, pair, foreign)
  }
}

async function checkQuery(run: Run, target: Target, pair: Pair, foreign: readonly string[]): Promise<void> {
  const others = await isDivided(run, target.path, pair) ? await run.known.ownRecords(target.path, pair.other) : []
  const ids = new Set<unknown>(others.map(({ id }) => id).filter((id) => id !== undefined))
  const claims = differentClaims(run, pair)
  const isTold = (observed: Observed, request: CheckRequest): boolean => {
    const records = recordsIn(observed)
    const sent = sentText(request)
    return records.some(({ id }) => ids.has(id))
      || records.some((record) => claims.some(([name, value]) => record[name] === value))
      || foreign.some((text) => !sent.includes(text) && observed.text.includes(text))
  }
  const make = await run.known.maker(target, pair.one)
  const searches = searchesFor(target, foreign)
  for (const pairs of [...queriesFor(run, target, pair, others), ...searches, ...await cursors(run, target, pair)]) {
    if (run.isOver()) return
    const names = pairs.map(([name]) => name)
    const request = { ...make(), query: [...make().query.filter(([name]) => !names.includes(name)), ...pairs] }
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

function queriesFor(run: Run, target: Target, pair: Pair, others: readonly KnownRecord[]): Queries {
  const claims = differentClaims(run, pair)
  const caller = propertiesOf(run.sender.callers.get(pair.other))
  const record = others.at(-1) ?? {}
  const declared = queryOf(target)
  const own = declared.flatMap(({ name, schema }) => {
    const choices = plainSchema(schema, run.resolve).json.enum
    const values = [record[name], record.id, caller.id, ...choices ?? [],
      ...wideValues(plainSchema(schema, run.resolve).json), textOf(record), '*']
    return [...new Set(values)].filter((value) => value !== undefined).map((value) => [[name, wordOf(value)] as const])
  })
  const usual = [...claims,
    ...OWNERS.flatMap((name) =>
      [caller.id, ...claims.map(([, value]) => value)].map((value) => [name, value] as const)
    )]
  const wide = WIDE.flatMap((name) => ['all', 'true', '*'].map((value) => [[name, value] as const]))
  const searched = ['search', 'q'].map((name) => [[name, textOf(record)] as const])
  return [...own, ...usual.map(([name, value]) => [[name, wordOf(value)] as const]), ...wide, ...searched]
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
  return Object.values(record).find((value): value is string =>
    typeof value === 'string' && /\w{3}/.test(value) && value.length < 100
  )
    ?? 'a'
}

/** Returns a query with the cursor that the other tenant was given. */
async function cursors(run: Run, target: Target, { one, other }: Pair): Promise<Queries> {
  if (!isAdmitted(target.access[other])) return []
  const found: Queries = []
  for (const caller of [other, one]) {
    const request = (await run.known.maker(target, caller))()
    for (const start of [[['limit', '1'], ['cursor', '']], [['limit', '1']]] as const) {
      const { json } = await run.send({ ...request, query: [...request.query, ...start] })
      const { meta } = Object(json) as { readonly meta?: { readonly next?: unknown } }
      if (typeof meta?.next === 'string' && meta.next !== '') found.push([['limit', '20'], ['cursor', meta.next]])
    }
  }
  return found
}
