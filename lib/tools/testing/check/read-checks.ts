import { isAdmitted, recordsIn, wordOf, type KnownRecord } from './known.js'
import type { Run } from './run.js'
import type { CheckRequest, Fault, Observed, Target } from './model.js'

/** Checks what each list tells by its order, its filters and its pages. */
export async function checkLists(run: Run): Promise<void> {
  const hidden = await hiddenNames(run)
  for (const target of run.targets) {
    const caller = [...run.sender.callers.keys()].find((name) => isAdmitted(target.access[name]))
    if (target.method !== 'GET' || caller === undefined || run.isOver()) continue
    const request = (await run.known.maker(target, caller))()
    const first = await run.send(request)
    const records = recordsIn(first)
    const isSame = (await run.send(request)).text === first.text
    if (!isSame || !Array.isArray((Object(first.json) as { readonly data?: unknown }).data ?? first.json)) continue
    const list: List = { run, target, request, shown: await shownNames(run, target, caller, records) }
    if (records.length > 1) {
      await checkOrder(list, hidden)
      await checkPages(list, first)
    }
    if (records.length > 0) await checkFilters(list, records, hidden)
  }
}

/** A list, and a valid request for it. */
interface List {
  readonly run: Run
  readonly target: Target
  readonly request: CheckRequest
  /** The names that clients can read. */
  readonly shown: ReadonlySet<string>
}

/** Names of columns that are usually kept from clients. */
const USUAL = ['password', 'passwordHash', 'password_hash', 'hash', 'salt', 'secret', 'token', 'apiKey', 'api_key',
  'ssn', 'salary', 'tenantId', 'tenant_id', 'ownerId', 'deletedAt', 'internalNote', 'note', 'notes', 'score', 'margin',
  'cost']

/** Returns names of columns: those of the rows of `snapshot`, of bodies, and usual ones. */
async function hiddenNames(run: Run): Promise<ReadonlyMap<string, readonly unknown[]>> {
  const columns = new Map<string, unknown[]>(USUAL.map((name) => [name, []]))
  collect(await run.settings.snapshot?.(), columns, 0)
  return columns
}

function collect(value: unknown, columns: Map<string, unknown[]>, depth: number): void {
  if (typeof value !== 'object' || value === null || depth > 4) return
  if (value instanceof Date) return
  for (const [name, one] of Object.entries(value) as [string, unknown][]) {
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
  const show = run.targets.find(({ method, path }) =>
    method === 'GET' && path.startsWith(`${list.path}/:`) && !path.slice(list.path.length + 1).includes('/')
  )
  const alone = show === undefined ? [] : recordsIn(await run.send((await run.known.maker(show, caller))()))
  return new Set([...records, ...alone].flatMap((record) => Object.keys(record)))
}

/** Sorts by columns that are not shown, in both directions: a list that differs tells their values. */
async function checkOrder(list: List, hidden: ReadonlyMap<string, readonly unknown[]>): Promise<void> {
  const { run, target, request } = list
  const orders = async (name: string): Promise<readonly (readonly [CheckRequest, string])[]> => {
    const found: (readonly [CheckRequest, string])[] = []
    for (const queries of directions(name)) {
      const asked = { ...request, query: [...request.query, ...queries] }
      const observed = await run.send(asked)
      found.push([asked, observed.status === 200 ? keysOf(observed) : ''])
    }
    return found
  }
  for (const name of unshown(list, hidden)) {
    if (run.isOver()) return
    const found = await orders(name)
    for (const [index, [asked, up]] of found.entries()) {
      const down = found[index + 1]?.[1]
      if (index % 2 === 1 || up === '' || down === '' || up === down) continue
      await run.record(target, { request: asked, about: 'the order' }, {
        kind: 'hidden',
        message: `The list can be sorted by \`${name}\`, which replies do not show`,
      })
      return
    }
  }
}

type Query = readonly (readonly [name: string, value: string])[]

/** Returns the ways of asking for an order, each up and down. */
function directions(name: string): readonly Query[] {
  return [
    [['sort', name]],
    [['sort', `-${name}`]],
    [['sort', name], ['order', 'asc']],
    [['sort', name], ['order', 'desc']],
    [['sort', `${name}:asc`]],
    [['sort', `${name}:desc`]],
    [['sortBy', name], ['sortOrder', 'asc'], ['order', 'asc'], ['direction', 'asc']],
    [['sortBy', name], ['sortOrder', 'desc'], ['order', 'desc'], ['direction', 'desc']],
    [['orderBy', name], ['dir', 'asc'], ['direction', 'asc']],
    [['orderBy', name], ['dir', 'desc'], ['direction', 'desc']],
    [['order', name]],
    [['order', `-${name}`]],
    [[`${name}_sort`, 'asc']],
    [[`${name}_sort`, 'desc']],
  ]
}

function keysOf(observed: Observed): string {
  return JSON.stringify(recordsIn(observed).map((record) => record.id ?? record))
}

/** Filters and searches by values of columns that are not shown: a match tells them. */
async function checkFilters(
  list: List,
  records: readonly KnownRecord[],
  hidden: ReadonlyMap<string, readonly unknown[]>,
): Promise<void> {
  for (const name of unshown(list, hidden)) {
    const value = hidden.get(name)?.find((one) => typeof one === 'string' && one.length > 3)
    if (typeof value !== 'string' || list.run.isOver()) continue
    if (await tells(list, name, value)) {
      await reportFilter(list, [name, value], `The list can be filtered by \`${name}\`, which replies do not show`)
      return
    }
    if (records.some((record) => JSON.stringify(record).includes(value))) continue
    for (const parameter of SEARCHES) {
      if (!await tells(list, parameter, value.slice(0, 100))) continue
      await reportFilter(list, [parameter, value.slice(0, 100)],
        `The list can be searched by \`${name}\`, which replies do not show`)
      return
    }
  }
}

/** Parameters by which lists are usually searched. */
const SEARCHES = ['search', 'q', 'query', 'filter', 'keyword']

/** Returns true if a parameter selects records by a value that they do not show. */
async function tells({ run, request }: List, name: string, value: string): Promise<boolean> {
  const matches = async (text: string): Promise<readonly KnownRecord[]> =>
    recordsIn(await run.send({ ...request, query: [...request.query, [name, text]] }))
  const found = await matches(value)
  return found.length > 0 && !JSON.stringify(found).includes(value) && (await matches('zq7x-none')).length === 0
}

async function reportFilter({ run, target, request }: List, query: Query[number], message: string): Promise<void> {
  const asked = { ...request, query: [...request.query, query] }
  await run.record(target, { request: asked, about: 'a filter' }, { kind: 'hidden', message })
}

/** Reads a list page by page: each record is on one page, and the total is their number. */
async function checkPages(list: List, first: Observed): Promise<void> {
  const { run, target, request } = list
  const pageRequest = (page: number, limit: number): CheckRequest => ({
    ...request,
    query: [...request.query, ['page', String(page)], ['limit', String(limit)]],
  })
  const { meta } = Object(first.json) as { readonly meta?: { readonly total?: unknown } }
  const total = meta?.total
  const page = await run.send(pageRequest(1, 2))
  if (typeof total !== 'number' || total < 2 || recordsIn(page).length > 2 || page.status !== 200) return
  const keys: string[] = []
  const pages = Math.min(Math.ceil(total / 2), 40)
  for (let number = 1; number <= pages; number++) {
    keys.push(...recordsIn(await run.send(pageRequest(number, 2))).map((record) => wordOf(record.id ?? record)))
  }
  const fault = pageFault(keys, { total, isWhole: pages * 2 >= total })
  if (fault !== undefined)
    await run.record(target, { request: pageRequest(2, 2), about: 'the pages of the list' }, fault)
}

function pageFault(
  keys: readonly string[],
  { total, isWhole }: { readonly total: number; readonly isWhole: boolean },
): Fault | undefined {
  if (new Set(keys).size < keys.length) return { kind: 'page', message: 'A record is on two pages' }
  if (!isWhole || keys.length === total) return undefined
  return { kind: 'page', message: '`meta.total` is not the number of records on all pages' }
}
