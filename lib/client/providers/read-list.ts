import type { Values } from '../request.js'
import type { SuccessMeta } from '../result.js'
import type { Api, ResourceRequest } from './api.js'
import { toRecords, type DataRecord } from './resources.js'
import { setNewest } from './values.js'

interface ListRequest extends ResourceRequest {
  /** From 1; a cursor where the front end keeps one. */
  readonly page: number | string
  readonly perPage: number
  /** As the API takes it: `-createdAt,title`. */
  readonly sort?: string | undefined
  readonly search?: string | undefined
  readonly filters: Values
}

export interface ListPage {
  readonly rows: DataRecord[]
  /** Absent if the list is not counted. */
  readonly total?: number | undefined
  readonly hasNext: boolean
  /** The cursor of the following page, of a list that is paged by cursor. */
  readonly next?: string | null | undefined
}

/** Lists whose cursors are remembered. */
const MOST_LISTS = 50

/** Reads a page of a list, which may be longer than one request can return. @throws ApiError */
export function readList(request: ListRequest): Promise<ListPage> {
  const { resource, page } = request
  if (typeof page === 'string') return fromCursor(request, page)
  return resource.cursor ? readByCursor(request, page) : readByNumber(request, page)
}

export async function readAll(request: ListRequest): Promise<DataRecord[]> {
  const rows: DataRecord[] = []
  const whole = { ...request, perPage: request.resource.maxLimit }
  for (let page: number | string = 1;;) {
    const read: ListPage = await readList({ ...whole, page })
    rows.push(...read.rows)
    if (!read.hasNext || read.rows.length === 0) return rows
    page = read.next ?? Number(page) + 1
  }
}

async function readByNumber(request: ListRequest, page: number): Promise<ListPage> {
  const { perPage, resource } = request
  // A page of no rows is for the total, which one row shows too.
  const limit = Math.max(1, Math.min(perPage, resource.maxLimit))
  const from = (page - 1) * perPage
  const until = from + perPage
  // Where the page is longer than a request can ask for, the pages of the API that cover it.
  const first = Math.floor(from / limit)
  const rows: DataRecord[] = []
  let total: number | undefined
  let isLast = false
  for (let number = first; !isLast && (number === first || number * limit < until); number++) {
    const { read, meta } = await requestRows(request, { page: number + 1, limit })
    rows.push(...read)
    total = meta.total
    isLast = total === undefined ? read.length < limit : (number + 1) * limit >= total
  }
  const start = from - first * limit
  // The last request may have read rows of the following page.
  const hasNext = total === undefined ? !isLast || start + perPage < rows.length : until < total
  return { rows: rows.slice(start, start + perPage), total, hasNext }
}

/** Reads a page by its cursor. A page whose cursor is not known is reached from the nearest one before it that is. */
async function readByCursor(request: ListRequest, page: number): Promise<ListPage> {
  const { api } = request
  const key = listKeyOf(request)
  const cursors = cursorsOf(api, key)
  try {
    for (let position = Math.min(page, cursors.length);; position++) {
      const read = await fromCursor(request, cursors[position - 1] ?? '')
      if (read.next === null) cursors.length = position
      else cursors[position] = read.next
      if (position === page) return read
      if (read.next === null) return { rows: [], hasNext: false, next: null }
    }
  } catch (error) {
    // A cursor that the API no longer takes would fail for ever.
    api.cursors.delete(key)
    throw error
  }
}

async function fromCursor(
  request: ListRequest,
  cursor: string,
): Promise<ListPage & { readonly next: string | null }> {
  const { resource, perPage } = request
  const rows: DataRecord[] = []
  let next: string | null = cursor
  while (next !== null && rows.length < perPage) {
    const limit = Math.min(resource.maxLimit, perPage - rows.length)
    const { read, meta } = await requestRows(request, { cursor: next, limit })
    rows.push(...read)
    next = meta.next ?? null
  }
  return { rows, next, hasNext: next !== null }
}

function listKeyOf({ resource, pathArgs, filters, sort, search, perPage }: ListRequest): string {
  return JSON.stringify([resource.name, pathArgs, filters, sort, search, perPage])
}

/** Returns the cursors of a list by page; the first page has the empty one. */
function cursorsOf(api: Api, key: string): string[] {
  const cursors = api.cursors.get(key) ?? ['']
  setNewest(api.cursors, key, cursors, MOST_LISTS)
  return cursors
}

/** Requests rows of a list, without empty parameters. */
async function requestRows(
  request: ListRequest,
  paging: Values,
): Promise<{ read: DataRecord[]; meta: SuccessMeta }> {
  const { api, resource, filters, sort, search, pathArgs } = request
  const query = { ...filters, ...(sort && { sort }), ...(search && { search }), ...paging, ...pathArgs }
  const { data, meta } = await api.send('GET', resource.path, query, request)
  return { read: toRecords(resource, data), meta }
}
