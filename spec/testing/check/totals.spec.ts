import { describe, expect, it } from 'vitest'
import { ConflictError, findOrFail, mountResource, mountRoutes, paginate, param, reply, RequestParam } from 'resourcery'
import type { CheckReport } from 'resourcery/testing'
import { z } from 'zod'
import { checkSmall, told } from './small-app.js'

describe('checkApi on pages and versions', () => {
  /** Checks a list that can be searched and filtered; its total may ignore one of both. */
  const checkTotals = (ignored: 'search' | 'kind' | undefined): Promise<CheckReport> => {
    const rows = [1, 2, 3, 4, 5, 6].map((id) => ({ id, name: `${['Anna', 'Bert', 'Cora'][id % 3] ?? ''} ${id}`,
      kind: id % 2 === 0 ? 'even' : 'odd' })
    )
    return checkSmall((router) =>
      mountResource(router, { app: 'x', route: '/books', name: 'books', handlers: { list: {
        input: z.object({ search: z.string().max(40).default(''), kind: z.enum(['odd', 'even']).optional() }),
        output: z.array(z.object({ id: z.int(), name: z.string(), kind: z.string() })),
        handler: (req, _res, { search, kind }) => {
          const { page, limit, offset } = RequestParam.page(req)
          const found = (query: string, of: typeof kind): typeof rows =>
            rows.filter((row) =>
              row.name.toLowerCase().includes(query.toLowerCase()) && (of === undefined || row.kind === of)
            )
          const total = found(ignored === 'search' ? '' : search, ignored === 'kind' ? undefined : kind).length
          return reply('ok', found(search, kind).slice(offset, offset + limit), { total, page, limit })
        },
      } } })
    )
  }

  it.each(['search', 'kind'] as const)('finds a total that ignores `%s`', async (ignored) => {
    expect(told(await checkTotals(ignored))).toEqual(
      ['GET /x/books: `meta.total` is not the number of records on all pages'],
    )
  })

  it('finds nothing in totals that ignore neither', async () => {
    expect(told(await checkTotals(undefined))).toEqual([])
  })

  it('finds a length of pages of another name without a maximum', async () => {
    const rows = [1, 2, 3].map((id) => ({ id, name: `Shelf ${id}` }))
    const list = (size: z.ZodType<number>): Promise<CheckReport> =>
      checkSmall((router) =>
        mountRoutes(router, { app: 'x', route: '/shelves', name: 'shelves', routes: {
          list: { methods: ['GET'], route: '', input: z.object({ page: param.int().min(1).default(1), pageSize: size }),
            output: z.array(z.object({ id: z.int(), name: z.string() })), handler: (_req, _res, { page, pageSize }) =>
              reply('ok', rows.slice((page - 1) * pageSize, page * pageSize), { total: rows.length, page, pageSize }) },
        } })
      )
    expect(told(await list(param.int().min(1).max(100).default(20)))).toEqual([])
    expect(told(await list(param.int().min(1).default(20)))).toEqual(
      ['GET /x/shelves: `pageSize` has no maximum: it may be 100000'],
    )
  })

  it('sends the stored version in the body of a PUT', async () => {
    const rows = [1, 2, 3].map((id) => ({ id, note: 'dry', rev: 1 }))
    const check = (isCut: boolean): Promise<CheckReport> =>
      checkSmall((router) => {
        const input = z.object({ note: z.string().max(200) })
        const output = z.object({ id: z.int(), note: z.string(), rev: z.int() })
        const one = (id: number): typeof rows[number] => findOrFail(rows.find((row) => row.id === id))
        mountResource(router, { app: 'x', route: '/bins', name: 'bins', handlers: {
          list: { output: z.array(output), handler: (req) => paginate(rows, RequestParam.page(req)) },
          show: { input: z.object({ id: param.int() }), output, handler: (_req, _res, { id }) => one(id) },
          edit: { input: input.extend({ id: param.int(), rev: z.int() }), output, statuses: [409],
            handler: (_req, _res, { id, rev, note }) => {
              if (one(id).rev !== rev) throw new ConflictError('The record has changed')
              return Object.assign(one(id), { note: isCut ? note.slice(0, 8) : note, rev: rev + 1 })
            } },
        } })
      })
    expect(told(await check(false))).toEqual([])
    expect(told(await check(true))).toContainEqual(expect.stringMatching(/^PUT \/x\/bins\/:id: `note` was sent as/))
  })
})
