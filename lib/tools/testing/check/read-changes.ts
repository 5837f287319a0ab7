import { recordsIn, wordOf, type KnownRecord } from './collections.js'
import type { Run } from './run.js'
import type { CheckRequest, Target } from './model.js'

/** Fields that a read may change: a counter of views, the time of the last visit. */
const OF_READS = /view|visit|seen|hits?$|read|open|last|access|count|updated|at$|time|date|version|etag/i

/** Returns a record as a string without the fields that a read may change, unless they are among these names. */
export function steadyText(record: KnownRecord, names: readonly string[] = []): string {
  return JSON.stringify(Object.entries(record).filter(([name]) => names.includes(name) || !OF_READS.test(name)))
}

/** Lists that are read before and after each request. */
const MOST_LISTS = 12

/** A list as one caller reads it. */
interface Watched {
  readonly target: Target
  readonly request: CheckRequest
  /** The records of the last reply. */
  records: readonly KnownRecord[]
  /** False once the list has differed from itself. */
  isSteady: boolean
}

/** Paths of lists whose order is left to chance. */
export const CHANCE = /random|shuffl|suggest|recommend|lucky/i

/** Checks that a GET changes neither the records of the lists nor their order. */
export async function checkReadChanges(run: Run): Promise<void> {
  const lists = await watchedIn(run)
  if (lists.length === 0) return
  for (const target of run.targets) await checkRead(run, target, [[]], lists)
  for (const { target } of lists) await checkRead(run, target, ORDERS, lists)
}

/** Tables to which a read may add a row. */
const OF_VISITS =
  /log|audit|histor|event|visit|view|session|cache|metric|request|stat|count|token|rate|limit|trace|seen/i

/** Sends a GET as every caller: it adds no rows to those of `snapshot`, and deletes none. */
export async function checkRowCounts(run: Run): Promise<void> {
  const { snapshot } = run.settings
  if (snapshot === undefined) return
  for (const target of run.targets.filter(({ method }) => method === 'GET')) {
    for (const caller of run.admitted(target)) {
      if (run.isOver() || run.isKnown(target, 'change')) break
      const request = await run.valid(target, caller)
      const before = countsIn(await snapshot())
      await run.send(request)
      const after = countsIn(await snapshot())
      const table = [...after.keys()].find((name) => !OF_VISITS.test(name) && before.get(name) !== after.get(name))
      if (table !== undefined) {
        await run.record(target, { request, about: 'rows before and after' }, { kind: 'change',
          message: `The GET changes the number of rows of \`${table}\`` })
      }
    }
  }
}

/** Returns the length of each list in a value, by its place. */
function countsIn(value: unknown, place = '', counts = new Map<string, number>()): ReadonlyMap<string, number> {
  if (Array.isArray(value)) counts.set(place, value.length)
  // Rows have no tables in them.
  const isRows = Array.isArray(value) && !value.every(Array.isArray)
  if (typeof value === 'object' && value !== null && !isRows) {
    for (const [name, one] of Object.entries(value)) countsIn(one, place === '' ? name : `${place}.${name}`, counts)
  }
  return counts
}

/** Sends a GET with each of these queries. */
async function checkRead(run: Run, target: Target, queries: readonly CheckRequest['query'][],
  lists: readonly Watched[]): Promise<void>
{
  const [caller] = run.admitted(target)
  if (target.method !== 'GET' || caller === undefined || run.isKnown(target, 'change')) return
  const request = await run.valid(target, caller)
  for (const query of queries) {
    if (run.isOver()) return
    if (await checkRequest(run, target, { ...request, query: [...request.query, ...query] }, lists)) return
  }
}

/** Parameters that ask for an order. */
const ORDERS: readonly CheckRequest['query'][] = [
  ...['name', '-name', 'title', '-id', '-createdAt', '-date'].map((order) => [['sort', order]] as const),
  [['sort', 'name'], ['sortBy', 'name'], ['order', 'desc']],
]

/** Returns the lists, with their records. */
async function watchedIn(run: Run): Promise<Watched[]> {
  const watched: Watched[] = []
  for (const target of run.targets) {
    const [caller] = run.admitted(target)
    if (target.method !== 'GET' || caller === undefined || target.path.includes(':')) continue
    if (watched.length >= MOST_LISTS || run.isOver()) return watched
    const request = await run.valid(target, caller)
    const records = recordsIn(await run.send(request))
    if (!CHANCE.test(target.path) && records.length > 1 && records.every(({ id }) => id !== undefined)) {
      watched.push({ target, request, records, isSteady: true })
    }
  }
  return watched
}

/** Reads the lists after a request; true if it has changed one. A list that differs each time tells nothing. */
async function checkRequest(run: Run, target: Target, request: CheckRequest,
  lists: readonly Watched[]): Promise<boolean>
{
  const { status } = await run.send(request)
  for (const list of lists.filter(({ isSteady }) => isSteady)) {
    const before = list.records
    const observed = await run.send(list.request)
    if (observed.status !== 200) continue
    list.records = recordsIn(observed)
    const difference = differenceOf(before, list.records)
    if (difference === undefined) continue
    await repeat(run, list)
    if (!list.isSteady || status >= 500) continue
    await run.record(target, { request, about: `GET ${list.target.path} before and after` }, {
      kind: 'change',
      message: `The GET changes ${difference} of GET ${list.target.path}`,
    })
    return true
  }
  return false
}

/** Repetitions of a list that must all be the same: an order that is left to chance may come twice. */
const REPEATS = 8

/** Reads a list several times; what differs without another request tells nothing from then on. */
async function repeat(run: Run, list: Watched): Promise<void> {
  for (let count = 0; count < REPEATS && list.isSteady; count++) {
    const again = recordsIn(await run.send(list.request))
    list.isSteady = differenceOf(list.records, again) === undefined
    list.records = again
  }
}

/** Returns the differences between two replies of a list. */
function differenceOf(before: readonly KnownRecord[], after: readonly KnownRecord[]): string | undefined {
  const keysOf = (records: readonly KnownRecord[]): string[] => records.map(({ id }) => wordOf(id))
  if (keysOf(before).sort().join() !== keysOf(after).sort().join()) return 'the records'
  if (keysOf(before).join() !== keysOf(after).join()) return 'the order'
  const name = before.flatMap((record, index) =>
    Object.keys(record).filter((key) => JSON.stringify(record[key]) !== JSON.stringify(after[index]?.[key]))
  ).find((key) => !OF_READS.test(key))
  return name === undefined ? undefined : `\`${name}\` in a record`
}
