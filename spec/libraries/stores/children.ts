import type { Request } from 'express'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { crud } from 'resourcery/crud'
import { mountResource } from '../../../lib/core/resource/mount-resource.js'
import { sample } from '../../../lib/tools/testing/sample-row.js'
import { servingRoutes } from '../../crud/serving.js'
import type { ReferenceStores } from './references.js'

let rows = 0

/** Tests nested writes on the stores of a library; `column` of the second store holds the key of a sample. */
export function childrenCases(column: string, stores: () => ReferenceStores): void {
  it('writes a record and its children in one transaction', async () => {
    const { samples, referring, blank } = stores()
    const cards = crud(referring, {
      input: z.object({ [column]: z.int(), slug: z.string() }),
      output: z.object({ id: z.int(), slug: z.string() }),
      before: { create: (fields) => ({ ...blank(++rows), ...fields }) },
      after: { create: ({ slug }) => {
        if (slug === 'fails') throw new Error('A hook fails')
      } },
    })
    const people = crud(samples, {
      input: z.object({ name: z.string() }),
      output: z.object({ id: z.int(), name: z.string() }),
      scope: (req: Request) => [['views', '=', Number(req.headers['x-tenant'] ?? 1)]],
      before: { create: (fields) => ({ ...sample({ code: `c${++rows}`, views: 1 }), id: undefined, ...fields }) },
      children: { cards: { of: cards, column } },
    })
    const { get, post, send } = await servingRoutes((app) => {
      mountResource(app, { route: '/people', name: 'people', ...people })
    })
    const created = await post('/people', { name: 'Ann', cards: [{ slug: 'a' }, { slug: 'b' }] })
    expect([created.status, created.body.data]).toMatchObject([201, { cards: [{ slug: 'a' }, { slug: 'b' }] }])
    const { id, cards: [first] = [] } = created.body.data as { id: number; cards: { id: number }[] }
    const refused = await send('PATCH', `/people/${id}`, { body: { cards: [{ id: first?.id }, { id: 999_999 }] } })
    expect([refused.status, refused.body.data]).toEqual([422, { 'cards.1.id': ['There is no such record'] }])
    const body = { name: 'Ben', cards: [{ slug: 'c' }, { slug: 'fails' }] }
    expect((await send('PATCH', `/people/${id}`, { body })).status).toBe(500)
    expect((await get(`/people/${id}`)).body.data).toEqual(created.body.data)
    const changed = await send('PATCH', `/people/${id}`, {
      body: { cards: [{ id: first?.id, slug: 'd' }, { slug: 'e' }] },
    })
    expect(changed.body.data).toMatchObject({ cards: [{ id: first?.id, slug: 'd' }, { slug: 'e' }] })
    const headers = { 'x-tenant': '2' }
    expect((await send('PATCH', `/people/${id}`, { body: { cards: [] }, headers })).status).toBe(404)
    expect((await send('DELETE', `/people/${id}`)).status).toBe(200)
    expect(await referring.list({ where: [[column, '=', id]], order: ['id'] }).slice(0, 5)).toEqual([])
  })
}
