import { Router } from 'express'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { crud, memoryStore } from 'resourcery/crud'
import { mountResource } from 'resourcery'
import { routesOf } from 'resourcery'
import { servingRoutes } from './serving.js'

interface Note {
  id: number
  title: string
  deletedAt: Date | null
}

const Output = z.object({ id: z.int(), title: z.string() })
const base = { input: Output.pick({ title: true }), output: Output }
const notes = () =>
  memoryStore<Note>({ key: 'id', defaults: { deletedAt: null }, rows: [{ id: 1, title: 'Milk', deletedAt: null }] })
const softDelete = { field: 'deletedAt', allows: () => true } as const
const count = { methods: ['GET'], route: '/count', handler: () => 5 } as const
const place = { route: '/notes', name: 'notes' } as const

describe('the actions that features add', () => {
  it('cause an error if `custom` after the spread drops them', () => {
    const made = crud(notes(), { ...base, softDelete, bulk: true })
    expect(() => mountResource(Router(), { ...place, ...made, custom: { count } })).toThrow(expect.objectContaining({
      code: 'actions_lost',
      message: expect.stringMatching(
        /^The resource `notes` loses the actions `createMany`, `updateMany`, `restore`, `purge` of crud/,
      ) as string,
    }))
    const custom: Record<string, never> = Object.assign({}, made.custom, { purge: undefined })
    expect(() => mountResource(Router(), { ...place, ...made, custom })).toThrow(
      expect.objectContaining({ code: 'actions_lost', message: expect.stringContaining('`purge`') as string }),
    )
  })

  it('are mounted together with those of `custom`', async () => {
    const made = crud(notes(), { ...base, softDelete, custom: { count } })
    const { send, get } = await servingRoutes((app) => mountResource(app, { ...place, ...made }))
    expect((await get('/notes/count')).body.data).toBe(5)
    expect([(await send('DELETE', '/notes/1')).status, (await send('PUT', '/notes/1/restore')).status]).toEqual([
      200,
      200,
    ])
  })

  it.each(['restore', 'createMany'])('reserve their names, so that `custom` cannot use `%s`', (name) => {
    expect(() => crud(notes(), { ...base, softDelete, bulk: true, custom: { [name]: count } })).toThrow(
      expect.objectContaining({ code: 'crud_custom' }),
    )
  })

  it('accept metadata in `perAction`', () => {
    const router = Router()
    mountResource(router, {
      ...place,
      ...crud(notes(), { ...base, softDelete, perAction: { purge: { tags: ['Admin'] } } }),
    })
    expect(routesOf(router).find(({ action }) => action === 'purge')?.tags).toEqual(['Admin'])
  })
})
