import type { Parameter } from '../../openapi/types.js'
import { recordsIn, wordOf, type KnownRecord } from './collections.js'
import { memberOf, memberRequest, recordOf } from './members.js'
import { totalFault, withQuery, type List } from './page-checks.js'
import { plainSchema } from './round-values.js'
import { queryOf } from './url-cases.js'
import type { CheckRequest } from './model.js'

/** Checks that the declared parameters of a list sort, filter, bound and search it. */
export async function checkParameters(list: List): Promise<void> {
  const parameters = queryOf(list.target)
  for (const parameter of list.run.left(parameters)) {
    if (list.run.isKnown(list.target, 'list')) return
    if (SORTS.test(parameter.name)) await checkSort(list, parameter)
    else if (isFilter(list, parameter)) await checkFilter(list, parameter.name)
    else await checkBound(list, parameter.name)
    if (/^(?:search|q|query|keyword)$/.test(parameter.name)) await checkWildcards(list, parameter.name)
  }
  await checkTogether(list, parameters.filter((one) => isFilter(list, one)).map(({ name }) => name))
  await checkShown(list)
}

const SORTS = /^(?:sort|order|orderBy|sortBy)$/

/** Parameters of lists that are no filters, even if a record has a field of the same name. */
const OF_LISTS = /^(?:page|limit|offset|cursor|search|q|query|keyword|ids|fields|include|per_?page|page_?size)$/i

/** The descriptions of such parameters by this package, whatever `paramNames` calls them. */
const OF_LISTS_TEXT =
  /^(?:Only these records|Any of .* descending|Empty for the first page|A string to (?:search|look))/

/** Returns true for a parameter that selects the records with a value of a field. */
function isFilter({ run, shown }: List, { name, description = '', schema }: Parameter): boolean {
  if (!shown.has(name) || SORTS.test(name) || OF_LISTS.test(name) || OF_LISTS_TEXT.test(description)) return false
  // The number of a page and its length have a default, whatever they are called.
  const { type, default: preset, minimum } = run.resolve(schema)
  return !(type === 'integer' && preset !== undefined && Number(minimum) >= 1)
}

async function recordsFor(list: List, query: CheckRequest['query']): Promise<readonly KnownRecord[] | undefined> {
  const request = withQuery(list, query)
  const observed = await list.run.send(request)
  const fault = totalFault(list.first) === undefined ? totalFault(observed) : undefined
  if (fault !== undefined) await list.run.record(list.target, { request, about: 'the total' }, fault)
  return observed.status === 200 ? recordsIn(observed) : undefined
}

/** Sorts by each column that the document names, upwards and downwards. */
async function checkSort(list: List, { name, schema }: Parameter): Promise<void> {
  const { json } = plainSchema(schema, list.run.resolve)
  const choices = json.enum?.map(String)
  const columns = new Set((choices ?? namedIn(json.pattern, list)).map((choice) => choice.replace(/^[-+]/, '')))
  for (const column of [...columns].filter((one) => list.shown.has(one))) {
    const orders = [column, `-${column}`].filter((order) => choices?.includes(order) !== false)
    for (const order of orders) {
      if (list.run.isOver() || await isInOrder(list, name, order, column)) continue
      const way = order === column ? '' : ' downwards'
      return report(list, [[name, order]], `The list is not sorted by \`${column}\`${way}`)
    }
  }
}

/** Returns false for a list whose values can be compared and are not in order. */
async function isInOrder(list: List, name: string, order: string, column: string): Promise<boolean> {
  const values = (await recordsFor(list, [[name, order]]))?.map((record) => record[column]) ?? []
  const upwards = order === column ? values : values.reverse()
  return !isComparable(upwards) || isSorted(upwards)
}

/** Returns the columns of records that the pattern of a parameter names. */
function namedIn(pattern: unknown, { shown }: List): string[] {
  return typeof pattern === 'string'
    ? [...shown].filter((name) => new RegExp(`\\b${name.replace(/\W/g, '.')}\\b`).test(pattern))
    : []
}

/** Values whose order every database and every language agrees on, and that are not all the same. */
function isComparable(values: readonly unknown[]): boolean {
  const isPlain = values.every((value) => typeof value === 'number')
    || values.every((value) => typeof value === 'string' && value !== '' && /^[a-z\d :.TZ-]*$/i.test(value))
  return isPlain && new Set(values).size > 1
}

/** Strings are in order if they are by any of the usual collations. */
function isSorted(values: readonly unknown[]): boolean {
  const texts = values.map(String)
  const usual = values.every((value) => typeof value === 'number') ? [byNumber] : COLLATIONS
  return usual.some((compare) => texts.slice(1).every((text, index) => compare(texts[index] ?? '', text) <= 0))
}

const byNumber = (one: string, other: string): number => Number(one) - Number(other)

const COLLATIONS: readonly (typeof byNumber)[] = [
  (one, other) => one < other ? -1 : Number(one > other),
  (one, other) => one.toLowerCase() < other.toLowerCase() ? -1 : Number(one.toLowerCase() > other.toLowerCase()),
  (one, other) => one.localeCompare(other),
  (one, other) => one.localeCompare(other, 'en', { numeric: true, ignorePunctuation: true }),
  byNumber,
]

/** Filters by a value of a record: all records that are left must have it. */
async function checkFilter(list: List, name: string): Promise<void> {
  const values = [...new Set(list.records.map((record) => record[name]))].filter(isScalar).slice(0, 3)
  if (values.length < 2) return
  for (const value of values) {
    const text = wordOf(value)
    const found = await recordsFor(list, [[name, text]])
    if (found === undefined) return
    const other = found.find((record) => !isMatch(record[name], text))
    // Another request may have changed the records with the value.
    const kept = found.length === 0 ? await recordsFor(list, []) : undefined
    const isMissing = kept?.some((record) => record[name] === value) === true
    if (other === undefined && !isMissing) continue
    const message = other === undefined
      ? `The filter \`${name}\` leaves out the records that have its value`
      : `The filter \`${name}\` lists records with another value`
    return report(list, [[name, text]], message)
  }
}

const MOST_PAIRS = 8

/** Filters by two values of different records: all records that are left must have both. */
async function checkTogether(list: List, names: readonly string[]): Promise<void> {
  const varied = names.filter((name) => new Set(list.records.map((record) => record[name]).filter(isScalar)).size > 1)
  const pairs = varied.flatMap((one, index) => varied.slice(index + 1).map((other) => [one, other] as const))
  for (const pair of list.run.left(pairs.slice(0, MOST_PAIRS))) {
    if (list.run.isKnown(list.target, 'list')) return
    await checkPair(list, pair)
  }
}

async function checkPair(list: List, [one, other]: readonly [string, string]): Promise<void> {
  const [first] = list.records
  const second = list.records.find((record) => record[one] !== first?.[one] && record[other] !== first?.[other])
  if (!isScalar(first?.[one]) || !isScalar(second?.[other])) return
  const query = [[one, wordOf(first[one])], [other, wordOf(second[other])]] as const
  const found = await recordsFor(list, query)
  if (found?.some((record) => query.some(([name, text]) => !isMatch(record[name], text))) !== true) return
  await report(list, query, `The filters \`${one}\` and \`${other}\` together list records that have not both values`)
}

function isScalar(value: unknown): value is string | number | boolean {
  return (typeof value === 'string' && value !== '' && value.length < 100) || typeof value === 'number'
    || typeof value === 'boolean'
}

/** A filter by a string may find a part of it, in any case; a moment may be any of its day. */
function isMatch(value: unknown, text: string): boolean {
  if (Array.isArray(value)) return value.some((one) => isMatch(one, text))
  if (typeof value !== 'string') return !isScalar(value) || wordOf(value) === text
  return value.toLowerCase().includes(text.toLowerCase()) || value.slice(0, 10) === text.slice(0, 10)
}

/** Parameters such as `minPrice`, `price_gte` and `createdAtFrom`. */
const LOWER = [/^min_?(.+)$/i, /^(.+?)_(?:gte?|min|from)$/i, /^(.+?)(?:Min|From|Gte)$/]
const UPPER = [/^max_?(.+)$/i, /^(.+?)_(?:lte?|max|to)$/i, /^(.+?)(?:Max|To|Lte)$/]

/** Asks for the records from, or up to, a value of the middle. */
async function checkBound(list: List, parameter: string): Promise<void> {
  const bound = boundOf(list, parameter)
  if (bound === undefined) return
  const { column, isLower } = bound
  const values = list.records.map((record) => record[column]).filter((value) => typeof value === 'number')
  const sorted = values.toSorted((one, other) => one - other)
  const middle = sorted[Math.floor(sorted.length / 2)]
  if (middle === undefined || sorted[0] === sorted.at(-1)) return
  // A bound of zero is often taken for none.
  for (const limit of [middle, 0]) {
    const found = await recordsFor(list, [[parameter, String(limit)]])
    const isOutside = (value: unknown): boolean =>
      typeof value === 'number' && (isLower ? value < limit : value > limit)
    if (found?.some((record) => isOutside(record[column])) !== true) continue
    return report(list, [[parameter, String(limit)]], `\`${parameter}\` does not bound \`${column}\``)
  }
}

interface Bound {
  readonly column: string
  readonly isLower: boolean
}

function boundOf({ shown }: List, parameter: string): Bound | undefined {
  const columnBy = (patterns: readonly RegExp[]): string | undefined => {
    const words = patterns.map((pattern) => pattern.exec(parameter)?.[1]?.toLowerCase())
    return [...shown].find((name) => words.includes(name.toLowerCase()))
  }
  const lower = columnBy(LOWER)
  const column = lower ?? columnBy(UPPER)
  return column === undefined ? undefined : { column, isLower: lower !== undefined }
}

/** Searches by strings that match only where `%`, `_` or `.*` stand for other letters. */
async function checkWildcards(list: List, name: string): Promise<void> {
  const values = list.records.flatMap((record) => Object.values(record)).filter((value) => typeof value === 'string')
  const texts = values.filter((value) => /^[a-z][a-z ]{4,}/i.test(value))
  for (const text of texts.slice(0, 3)) {
    const around = (middle: string): string => `${text.slice(0, 2)}${middle}${text.slice(-2)}`
    const single = (letter: string): string => `${text.slice(0, 2)}${letter}${text.slice(3)}`
    const isFound = async (searched: string): Promise<boolean> =>
      ((await recordsFor(list, [[name, searched]]))?.length ?? 0) > 0
    if (!await isFound(text) || await isFound(around('zq')) || await isFound(single('Ø'))) continue
    for (const searched of [around('%'), single('_'), around('.*'), single('.'), around('*')]) {
      if (text.includes(searched) || !await isFound(searched)) continue
      return report(list, [[name, searched]],
        `The search by \`${name}\` takes a sign of \`${searched}\` for any letters`)
    }
  }
}

/** Compares numbers and booleans of the list with those of the record alone. */
async function checkShown(list: List): Promise<void> {
  const { run, target, request, records } = list
  const show = memberOf(run, target.path, 'GET')
  const record = records.at(-1)
  if (show === undefined || record?.id === undefined) return
  const alone = recordOf(await run.send(await memberRequest(run, show, request.caller, record.id)))
  if (alone?.id !== record.id) return
  const again = (await recordsFor(list, []))?.find(({ id }) => id === record.id)
  const name = Object.keys(alone).find((one) => {
    const value = alone[one]
    return (typeof value === 'number' || typeof value === 'boolean') && typeof record[one] === typeof value
      && record[one] !== value && again?.[one] === record[one]
  })
  if (name !== undefined) await report(list, [], `\`${name}\` of a record in the list is not that of the record alone`)
}

async function report(list: List, query: CheckRequest['query'], message: string): Promise<void> {
  await list.run.record(list.target, { request: withQuery(list, query), about: 'the list' }, { kind: 'list', message })
}
