import { hasProperties } from '../../../core/index.js'
import { checkInjections } from './injection-checks.js'
import { recordsIn, propertiesOf, type KnownRecord } from './collections.js'
import { memberOf } from './members.js'
import { reporter, type Run } from './run.js'
import { withQuery, checkPages, totalFault, type List } from './page-checks.js'
import { checkParameters } from './parameter-checks.js'
import { CHANCE } from './read-changes.js'
import type { CheckRequest, Observed, Target } from './model.js'

/** Checks what each list tells by its order and its filters, and that it lists what they ask for. */
export async function checkLists(run: Run): Promise<void> {
  const hidden = await hiddenNames(run)
  for (const target of run.left()) {
    if (target.method !== 'GET') continue
    await checkFigures(run, target)
    const [reader, ...others] = await readersOf(run, target)
    const list = reader === undefined ? undefined : await listAs(run, target, reader)
    if (list === undefined) continue
    await checkList(list, hidden)
    for (const caller of others) {
      const other = await listAs(run, target, caller)
      if (other !== undefined && other.records.length > 1) await checkPages(other)
    }
  }
}

async function checkList(list: List, hidden: ReadonlyMap<string, readonly unknown[]>): Promise<void> {
  if (list.records.length > 1) {
    await checkPages(list)
    await checkOrder(list, hidden)
  }
  if (list.records.length > 0) {
    await checkParameters(list)
    await checkFilters(list, hidden)
    await checkInjections(list)
  }
}

/** Reads the first page of a list as every caller: what one lists in full has its number as the total. */
async function checkFigures(run: Run, target: Target): Promise<void> {
  for (const caller of run.admitted(target)) {
    if (run.isOver()) return
    const request = await run.valid(target, caller)
    const fault = totalFault(await run.send(request))
    if (fault === undefined || totalFault(await run.send(request)) === undefined) continue
    await run.record(target, { request, about: 'the total' }, fault)
    return
  }
}

/** Callers as whom a list is read page by page. */
const MOST_READERS = 2

/** Returns the callers who get different records of a list, first who gets the most of it. */
async function readersOf(run: Run, target: Target): Promise<string[]> {
  const readers = new Map<string, readonly [caller: string, count: number]>()
  for (const caller of run.admitted(target)) {
    const observed = await run.send(await run.valid(target, caller))
    const keys = keysOf(observed)
    if (!readers.has(keys)) readers.set(keys, [caller, recordsIn(observed).length])
  }
  return [...readers.values()].sort(([, one], [, other]) => other - one).map(([caller]) => caller)
    .slice(0, MOST_READERS)
}

/** Returns the list of a route as a caller, `undefined` if it is none or never the same. */
async function listAs(run: Run, target: Target, caller: string): Promise<List | undefined> {
  const request = await run.valid(target, caller)
  const first = await run.send(request)
  const records = recordsIn(first)
  const again = await run.send(request)
  const isSame = again.text === first.text
  if (!isSame && !CHANCE.test(target.path) && isShuffled(first, again) && isShuffled(again, await run.send(request))) {
    await run.record(target, { request, about: 'the same request again' }, { kind: 'list',
      message: 'The list has the same records in another order each time' })
  }
  if (!isSame || !Array.isArray(propertiesOf(first.json).data ?? first.json))
    return undefined
  return { run, target, request, first, records, shown: await shownNames(run, target, caller, records) }
}

/** Returns true for two replies with the same records in different orders. */
function isShuffled(one: Observed, other: Observed): boolean {
  const textsOf = (reply: Observed): string[] => recordsIn(reply).map((record) => JSON.stringify(record))
  return textsOf(one).join() !== textsOf(other).join() && textsOf(one).sort().join() === textsOf(other).sort().join()
}

/** Names of columns that are usually kept from clients. */
const USUAL = ['password', 'passwordHash', 'password_hash', 'hash', 'salt', 'secret', 'token', 'apiKey', 'api_key',
  'ssn', 'salary', 'tenantId', 'tenant_id', 'ownerId', 'deletedAt', 'internalNote', 'note', 'notes', 'score', 'margin',
  'cost']

/** Returns names of columns: those of the rows of `snapshot`, of bodies, and usual ones. */
export async function hiddenNames(run: Run): Promise<ReadonlyMap<string, readonly unknown[]>> {
  const columns = new Map<string, unknown[]>(USUAL.map((name) => [name, []]))
  collect(await run.settings.snapshot?.(), columns, 0)
  return columns
}

function collect(value: unknown, columns: Map<string, unknown[]>, depth: number): void {
  if (!hasProperties(value) || value instanceof Date || depth > 4) return
  for (const [name, one] of Object.entries(value)) {
    if (typeof one === 'object') collect(one, columns, depth + 1)
    else if (!Array.isArray(value)) columns.set(name, [...columns.get(name) ?? [], one].slice(-40))
  }
}

/** Columns that no client should sort or filter by, whatever is declared. */
const SENSITIVE = /pass|pwd|secret|token|hash|salt|ssn|salary|api_?key/i

/**
 * Returns the names that neither the records of a list nor a record alone show. A name that the document declares
 * as a parameter or as an order is meant, unless it is a secret by its name.
 */
function unshown({ target, shown }: List, hidden: ReadonlyMap<string, readonly unknown[]>): string[] {
  const declared = JSON.stringify(target.operation?.parameters ?? [])
  return [...hidden.keys()].filter((name) =>
    !shown.has(name) && (SENSITIVE.test(name) || !new RegExp(`\\b${name.replace(/\W/g, '.')}\\b`).test(declared))
  )
}

/** Returns the names that clients can read of a record in a list. */
async function shownNames(run: Run, list: Target, caller: string,
  records: readonly KnownRecord[]): Promise<Set<string>>
{
  const show = memberOf(run, list.path, 'GET')
  const alone = show === undefined ? [] : recordsIn(await run.send(await run.valid(show, caller)))
  return new Set([...records, ...alone].flatMap((record) => Object.keys(record)))
}

/** Sorts by columns that are not shown, in both directions: a list that differs tells their values. */
async function checkOrder(list: List, hidden: ReadonlyMap<string, readonly unknown[]>): Promise<void> {
  const names = unshown(list, hidden)
  for (const [index, way] of WAYS.entries()) {
    if (list.run.isOver()) return
    // A list that cannot be sorted in this way by what it shows may still be by a secret.
    const isUsed = await sortedName(list, way, [...list.shown].slice(0, 4)) !== undefined
    const tried = isUsed ? names : index > 0 ? [] : names.filter((name) => SENSITIVE.test(name))
    const found = await sortedName(list, way, tried)
    if (found === undefined) continue
    await list.run.record(list.target, { request: withQuery(list, way(found, 'asc', '')), about: 'the order' }, {
      kind: 'hidden',
      message: `The list can be sorted by \`${found}\`, which replies do not show`,
    })
    return
  }
}

/** Returns the first of these columns by which a list can be sorted. */
async function sortedName(list: List, way: Way, names: readonly string[]): Promise<string | undefined> {
  for (const name of names) {
    const [up, down] = [way(name, 'asc', ''), way(name, 'desc', '-')]
    const first = await keysBy(list, up)
    const last = first === '' ? '' : await keysBy(list, down)
    const isSteady = last !== '' && first !== last && await keysBy(list, up) === first
      && await keysBy(list, down) === last
    if (isSteady) return name
    if (list.run.isOver()) return undefined
  }
  return undefined
}

async function keysBy({ run, request }: List, query: Query): Promise<string> {
  const observed = await run.send({ ...request, query: [...request.query, ...query] })
  return observed.status === 200 ? keysOf(observed) : ''
}

type Query = CheckRequest['query']

/** A way of asking for an order by a column. */
type Way = (name: string, word: 'asc' | 'desc', sign: '' | '-') => Query

const WAYS: readonly Way[] = [
  (name, _, sign) => [['sort', `${sign}${name}`]],
  (name, word) => [['sort', name], ['order', word]],
  (name, word) => [['sort', `${name}:${word}`]],
  (name, word) => [['sortBy', name], ['sortOrder', word], ['order', word], ['direction', word]],
  (name, word) => [['orderBy', name], ['dir', word], ['direction', word]],
  (name, _, sign) => [['order', `${sign}${name}`]],
  (name, word) => [[`${name}_sort`, word]],
]

function keysOf(observed: Observed): string {
  return JSON.stringify(recordsIn(observed).map((record) => record.id ?? record))
}

/** Filters and searches by values of columns that are not shown: a match tells them. */
async function checkFilters(list: List, hidden: ReadonlyMap<string, readonly unknown[]>): Promise<void> {
  const { run, target, records } = list
  const searches = await usedSearches(list)
  for (const name of unshown(list, hidden)) {
    const value = hidden.get(name)?.find((one) => typeof one === 'string' && one.length > 3)
    if (typeof value !== 'string' || run.isOver()) continue
    const filter = [name, value] as const
    const isSearched = !records.some((record) => isTold(record, value))
    const searched = isSearched ? searches.map((search) => [search, value.slice(0, 100)] as const) : []
    for (const query of [filter, ...searched]) {
      if (!await tells(list, query)) continue
      await report(run, target, withQuery(list, [query]),
        `The list can be ${query === filter ? 'filtered' : 'searched'} by \`${name}\`, which replies do not show`)
      return
    }
  }
}

/** Parameters by which lists are usually searched. */
const SEARCHES = ['search', 'q', 'query', 'filter', 'keyword']

/** A string that no record has. */
const NONE = 'zq7x-none'

/** Returns the parameters that select no record by a string that none has. */
async function usedSearches(list: List): Promise<string[]> {
  const used: string[] = []
  for (const name of SEARCHES) {
    const observed = await list.run.send(withQuery(list, [[name, NONE]]))
    if (observed.status === 200 && recordsIn(observed).length === 0) used.push(name)
  }
  return used
}

/** Returns true for records that show a value; a search may ignore case. */
function isTold(records: unknown, value: string): boolean {
  return JSON.stringify(records).toLowerCase().includes(value.toLowerCase())
}

/** Returns true if a parameter selects records by a value that they do not show. */
async function tells({ run, request }: List, [name, value]: Query[number]): Promise<boolean> {
  const matches = async (text: string): Promise<readonly KnownRecord[]> =>
    recordsIn(await run.send({ ...request, query: [...request.query, [name, text]] }))
  const found = await matches(value)
  return found.length > 0 && !isTold(found, value) && (await matches(NONE)).length === 0
}

const report = reporter('hidden', 'a filter')
