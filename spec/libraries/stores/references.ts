import type { Request } from 'express'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { crud } from 'resourcery/crud'
import { mountResource } from '../../../lib/core/resource/mount-resource.js'
import type { Store } from 'resourcery/crud'
import type { SampleRow } from 'resourcery/testing'
import { sample } from '../../../lib/tools/testing/sample-row.js'
import { servingRoutes, type Asking } from '../../crud/serving.js'

/** The store of samples, and a store on the same connection with a column for their keys. */
export interface ReferenceStores {
  readonly samples: Store<SampleRow>
  readonly referring: Store<Record<string, unknown>>
  /** Another column, which is a foreign key, and the resource that it refers to. */
  readonly foreignKey: readonly [field: string, target: 'cards' | 'people']
  /** Returns the columns of a new row. */
  readonly blank: (index: number) => object
}

let rows = 0

async function serve(
  { samples, referring, blank }: ReferenceStores,
  column: string,
  afterCreate: () => unknown = () => undefined,
): Promise<Asking> {
  const people = crud(samples, {
    input: z.object({ name: z.string() }),
    output: z.object({ id: z.int(), name: z.string() }),
    scope: (req: Request) => [['views', '=', Number(req.headers['x-tenant'] ?? 1)]],
  })
  const fields = z.object({ [column]: z.int() })
  const cards = crud(referring, {
    input: fields,
    output: fields.extend({ id: z.int() }),
    bulk: true,
    references: { [column]: people },
    before: { create: (fields) => ({ ...blank(++rows), ...fields }) },
    after: { create: async () => void await afterCreate() },
  })
  return servingRoutes((app) => {
    mountResource(app, { route: '/people', name: 'people', ...people })
    mountResource(app, { route: '/cards', name: 'cards', ...cards })
  })
}

/** Tests references on the stores of a library; `canShare` where two transactions can lock one row. */
export function referenceCases(column: string, stores: () => ReferenceStores, canShare: boolean): void {
  const person = (views: number): Promise<SampleRow> => stores().samples.create(sample({ code: `p${++rows}`, views }))

  it('refers to rows in the scope of the caller alone', async () => {
    const [own, other] = [await person(1), await person(2)]
    const { post, send } = await serve(stores(), column)
    const made = await post('/cards', { [column]: own.id })
    expect([made.status, made.body.data]).toMatchObject([201, { [column]: own.id }])
    const { id } = made.body.data as { id: number }
    for (const key of [other.id, 99_999]) {
      const replies = [
        await post('/cards', { [column]: key }),
        await send('PATCH', `/cards/${id}`, { body: { [column]: key } }),
        await send('PUT', `/cards/${id}`, { body: { [column]: key } }),
      ]
      expect(replies.map(({ status, body }) => [status, body.data]))
        .toEqual(replies.map(() => [422, { [column]: ['There is no such record'] }]))
      expect((await post('/cards/bulk', { items: [{ [column]: own.id }, { [column]: key }] })).body.data)
        .toEqual({ [`items.1.${column}`]: ['There is no such record'] })
    }
    expect((await post('/cards/bulk', { items: [{ [column]: own.id }, { [column]: own.id }] })).status).toBe(201)
    expect((await send('PATCH', `/cards/${id}`, { body: { [column]: own.id }, headers: { 'x-tenant': '2' } })).status)
      .toBe(200)
    expect((await post('/cards', { [column]: other.id }, { headers: { 'x-tenant': '2' } })).status).toBe(201)
  })

  it('keeps a row that is referred to until the commit', async () => {
    const { id } = await person(1)
    const events: string[] = []
    let deletion: Promise<unknown> = Promise.resolve()
    const client: Asking = await serve(stores(), column, async () => {
      deletion = client.send('DELETE', `/people/${id}`).then(({ status }) => events.push(`deleted ${status}`))
      await Promise.race([deletion, new Promise((resolve) => setTimeout(resolve, 200))])
      events.push('created')
    })
    expect((await client.post('/cards', { [column]: id })).status).toBe(201)
    await deletion
    expect(events).toEqual(['created', 'deleted 200'])
    expect((await client.post('/cards', { [column]: id })).status).toBe(422)
  })

  it('names at the start a foreign key to a scoped resource that has no reference', async () => {
    const { samples, referring, foreignKey: [field, target] } = stores()
    const [input, output] = [z.object({ [field]: z.int() }), z.object({ id: z.int() })]
    const scope = (): [] => []
    const warned: string[] = []
    const listen = ({ message }: Error): void => void warned.push(message)
    process.on('warning', listen)
    const { get } = await servingRoutes((app) => {
      mountResource(app, { route: '/cards', name: 'cards', ...crud(referring, { input, output, scope }) })
      if (target !== 'people') return
      mountResource(app, { route: '/people', name: target, ...crud(samples, { input: z.object({}), output, scope }) })
    })
    await get('/cards')
    while (warned.length === 0) await new Promise((resolve) => setTimeout(resolve, 10))
    process.off('warning', listen)
    expect(warned).toEqual([
      expect.stringContaining(`references: { ${field}: ${target === 'cards' ? '() => ' : ''}${target} }`),
    ])
  })

  if (!canShare) return

  it('lets several transactions refer to one row at a time', async () => {
    const { id } = await person(1)
    let begun = 0
    let meet = (): void => undefined
    const met = new Promise<void>((resolve) => (meet = resolve))
    const { post } = await serve(stores(), column, () => {
      if (++begun === 2) meet()
      return met
    })
    const both = await Promise.all([post('/cards', { [column]: id }), post('/cards', { [column]: id })])
    expect(both.map(({ status }) => status)).toEqual([201, 201])
  })
}
