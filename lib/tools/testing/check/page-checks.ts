import { figuresOf, recordsIn, wordOf, propertiesOf, type KnownRecord } from './collections.js'
import type { Run } from './run.js'
import { queryOf, withPairs } from './url-cases.js'
import type { CheckRequest, Fault, Observed, Target } from './model.js'

/** A list, a valid request for it and its reply. */
export interface List {
  readonly run: Run
  readonly target: Target
  readonly request: CheckRequest
  readonly first: Observed
  readonly records: readonly KnownRecord[]
  /** The names that clients can read. */
  readonly shown: ReadonlySet<string>
}

export function withQuery({ request }: List, query: CheckRequest['query']): CheckRequest {
  return withPairs(request, query)
}

/** Reads a list page by page: each record is on one page, and no page is larger than asked for. */
export async function checkPages(list: List): Promise<void> {
  await checkBounds(list)
  await checkNumbered(list)
  await checkCursors(list)
}

/** Parameters for the length of a page. */
const LENGTH = /^(?:limit|per_?page|page_?size)$/i

/** Records that no page should have. */
const MOST = 20_000

/** Asks for pages that a document does not allow; a list that ignores both parameters tells neither. */
async function checkBounds(list: List): Promise<void> {
  const { run, target } = list
  const limit = queryOf(target).find(({ name }) => LENGTH.test(name))
  const length = limit?.name ?? 'limit'
  const declared = Number(limit === undefined ? NaN : run.resolve(limit.schema).maximum)
  const isBounded = declared < MOST
  const most = isBounded ? declared : MOST
  for (const [name, value] of [[length, '100000'], [length, '-1'], ['page', '-1'], ['page', '0']] as const) {
    const request = withQuery(list, [[name, value]])
    const observed = await run.probe(target, { request, about: `the parameter \`${name}\`` })
    if (!isBeyond(observed, length, most)) continue
    const message = !isBounded && value === '100000'
      ? `\`${name}\` has no maximum: it may be ${value}`
      : `\`${name}\` may be ${value}, which the document refuses`
    return report(list, request, message)
  }
}

/** Without a maximum in the document, a limit that is told back as it was asked for is none. */
function isBeyond(observed: Observed, length: string, most: number): boolean {
  const figures = figuresOf(observed)
  const told = figures[length] ?? figures.limit
  return observed.status === 200 && (Number(told) > most || Number(figures.page) < 1)
}

async function checkNumbered(list: List): Promise<void> {
  const { run, first, target } = list
  const { total, limit, page: number } = figuresOf(first)
  // A list that is paged by cursors or offsets alone has no numbers of pages.
  const isNumbered = number !== undefined || queryOf(target).some(({ name }) => name === 'page')
  if (typeof total !== 'number' || total < 2 || !isNumbered) return
  const pageRequest = (page: number): CheckRequest => withQuery(list, [['page', String(page)], ['limit', '2']])
  const page = await run.send(pageRequest(1))
  if (page.status !== 200) return
  if (recordsIn(page).length > 2) {
    if (typeof limit !== 'number') return
    return report(list, pageRequest(1), 'A page has more records than its `limit`')
  }
  const keys: string[] = []
  const pages = Math.min(Math.ceil(total / 2), 25)
  for (let place = 1; place <= pages; place++) keys.push(...keysOf(await run.send(pageRequest(place))))
  const fault = pageFault(keys, total, pages * 2 >= total)
  if (fault !== undefined) await report(list, pageRequest(2), fault)
}

function pageFault(keys: readonly string[], total: number, isWhole: boolean): string | undefined {
  if (new Set(keys).size < keys.length) return 'A record is on two pages'
  return !isWhole || keys.length === total ? undefined : WRONG_TOTAL
}

/** Returns the fault of a first page that has all records, and another total than their number. */
export function totalFault(observed: Observed): Fault | undefined {
  const { total, page, limit } = figuresOf(observed)
  const { data } = propertiesOf(observed.json)
  if (observed.status !== 200 || !Array.isArray(data) || typeof total !== 'number' || typeof limit !== 'number')
    return undefined
  return page === 1 && data.length < limit && data.length !== total
    ? { kind: 'page', message: WRONG_TOTAL }
    : undefined
}

const WRONG_TOTAL = '`meta.total` is not the number of records on all pages'

/** Follows the cursors of a list, if it has some. */
async function checkCursors(list: List): Promise<void> {
  for (const start of [withQuery(list, [['limit', '2'], ['cursor', '']]), withQuery(list, [['limit', '2']])]) {
    const observed = await list.run.send(start)
    if (cursorIn(observed) !== undefined) return follow(list, start, observed)
  }
}

function cursorIn(observed: Observed): string | undefined {
  const { next } = figuresOf(observed)
  return observed.status === 200 && typeof next === 'string' && next !== '' ? next : undefined
}

/** Pages that are read by cursors. */
const MOST_PAGES = 20

/** Reads the pages after a first one, and compares the records of all pages with those of the whole list. */
async function follow(list: List, start: CheckRequest, first: Observed): Promise<void> {
  const keys = keysOf(first)
  let next = cursorIn(first)
  for (let count = 0; count < MOST_PAGES && next !== undefined; count++) {
    const request = withQuery(list, [['limit', '2'], ['cursor', next]])
    const observed = await list.run.send(request)
    if (observed.status !== 200) return
    keys.push(...keysOf(observed))
    next = cursorIn(observed)
    if (new Set(keys).size === keys.length) continue
    return report(list, request, 'A record is on two pages, which are read by cursors')
  }
  const isWhole = list.records.length === figuresOf(list.first).total && next === undefined
  if (!isWhole || new Set(keys).size >= list.records.length) return
  await report(list, start, 'A record is on none of the pages, which are read by cursors')
}

function keysOf(observed: Observed): string[] {
  return recordsIn(observed).map((record) => wordOf(record.id ?? record))
}

async function report({ run, target }: List, request: CheckRequest, message: string): Promise<void> {
  await run.record(target, { request, about: 'the pages of the list' }, { kind: 'page', message })
}
