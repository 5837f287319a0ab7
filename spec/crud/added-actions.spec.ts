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

  it.each([['purge', 'softDelete'], ['export', 'export'], ['createMany', 'bulk']])(
    'are explained by their option where `actions` names one that the resource lacks: %s',
    (action, option) => {
      const made = crud(notes(), base)
      expect(() => mountResource(Router(), { ...place, ...made, actions: ['list', action] as never })).toThrow(
        expect.objectContaining({
          code: 'action_unknown',
          message: `The resource \`notes\` has no action \`${action}\`: the option \`${option}\` of crud adds it, and `
            + '`actions` lists default actions only.',
        }),
      )
    },
  )

  it('are not listed in `actions`, which the error says', () => {
    const made = crud(notes(), { ...base, softDelete, custom: { count } })
    for (const action of ['purge', 'count']) {
      expect(() => mountResource(Router(), { ...place, ...made, actions: ['list', action] as never })).toThrow(
        expect.objectContaining({
          code: 'action_unknown',
          message:
            `The resource \`notes\` always mounts the action \`${action}\`, which is in \`custom\`: remove it from `
            + '`actions`, which lists default actions only.',
        }),
      )
    }
  })

  it.each([
    ['perAction', { perAction: { purge: { summary: 'Purge' } } }],
    ['before', { before: { purge: () => undefined } }],
    ['after', { after: { purge: () => undefined } }],
    ['afterCommit', { afterCommit: { purge: () => undefined } }],
  ])('are explained by their option where `%s` names one that the resource lacks', (option, wrong) => {
    expect(() => crud(notes(), { ...base, ...wrong } as never)).toThrow(
      expect.objectContaining({
        code: 'crud_option_unknown',
        message: `\`${option}\` of crud names the action \`purge\`, which the option \`softDelete\` adds: give that `
          + 'option too, or remove `purge`.',
      }),
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
