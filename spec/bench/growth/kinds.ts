import { cursorsOf } from './cursors.js'
import type { GrowingShape } from '../servers/data.js'
import { rowsOf } from '../servers/growth/rows.js'
import type { WireRequest } from '../workloads.js'

export interface GrowthKind {
  readonly shape: GrowingShape
  readonly title: string
  /** The unit of a size. */
  readonly unit: string
  readonly sizes: readonly number[]
  readonly status: number
  /** Returns the requests of the load, in turn. */
  readonly requestsOf: (size: number, port: number) => WireRequest[] | Promise<WireRequest[]>
}

/** The bytes of a body with one row more. */
const ROW_BYTES = 100

/** The dimensions in which an application grows. */
export const KINDS: readonly GrowthKind[] = [
  {
    shape: 'routes',
    title: 'A request among many routes',
    unit: 'routes',
    sizes: [10, 100, 1000, 10_000],
    status: 200,
    requestsOf: (size) => [{ method: 'GET', path: `/api/things${size / 2 - 1}/7` }],
  },
  {
    shape: 'lists',
    title: 'A list',
    unit: 'rows',
    sizes: [20, 100, 1000, 10_000],
    status: 200,
    requestsOf: () => [{ method: 'GET', path: '/api/rows' }],
  },
  {
    shape: 'bodies',
    title: 'A body of rows, validated',
    unit: 'bytes',
    sizes: [1000, 10_000, 100_000, 1_000_000, 10_000_000],
    status: 201,
    requestsOf: (size) => [
      { method: 'POST', path: '/api/rows', body: JSON.stringify({ rows: rowsOf(Math.round(size / ROW_BYTES)) }) },
    ],
  },
  {
    shape: 'documents',
    title: 'An OpenAPI document, already made',
    unit: 'resources',
    sizes: [10, 100, 500, 2000],
    status: 200,
    requestsOf: () => [{ method: 'GET', path: '/openapi.json' }],
  },
  {
    shape: 'cursors',
    title: 'A page by one of many open cursors',
    unit: 'cursors',
    sizes: [1, 10, 100, 1000],
    status: 200,
    requestsOf: async (size, port) =>
      (await cursorsOf(size, port)).map((cursor) => ({ method: 'GET', path: `/api/rows?cursor=${cursor}` })),
  },
]
