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
}

const Output = z.object({ id: z.int(), title: z.string() })
const base = { input: Output.pick({ title: true }), output: Output }
const notes = () => memoryStore<Note>({ key: 'id', rows: [{ id: 1, title: 'Milk' }] })
const count = { methods: ['GET'], route: '/count', handler: () => 5 } as const
const place = { route: '/notes', name: 'notes' } as const

/** Returns the names of the mounted actions, or the error of mounting. */
function mounted(declaration: object): unknown {
  const router = Router()
  try {
    mountResource(router, { ...place, ...declaration })
  } catch (error) {
    return { code: (error as { code?: string }).code, message: (error as Error).message }
  }
  return routesOf(router).map(({ action }) => action).sort()
}

describe('the actions that crud adds', () => {
  it('cause an error if `handlers` after the spread drops some of them', () => {
    const made = crud(notes(), base)
    expect(mounted({ ...made, handlers: { list: made.handlers.list } })).toMatchObject({
      code: 'actions_lost',
      message: expect.stringContaining('`show`, `create`, `edit`, `store`, `delete`, `deleteMany`') as string,
    })
  })

  it('can be replaced singly, and combined with custom actions', () => {
    const made = crud(notes(), base)
    const all = ['create', 'delete', 'deleteMany', 'edit', 'list', 'show', 'store']
    expect(mounted({ ...made, handlers: { ...made.handlers, list: () => [] }, custom: { ...made.custom, count } }))
      .toEqual([...all, 'count'].sort())
    expect(mounted(made)).toEqual(all)
  })

  it('can be dropped by `actions`', () => {
    const made = crud(notes(), base)
    expect(mounted({ ...made, actions: ['list', 'show'] })).toEqual(['list', 'show'])
    expect(mounted({ ...made, handlers: { list: made.handlers.list }, actions: ['list'] })).toEqual(['list'])
    expect(mounted({ ...made, actions: false, custom: { count } })).toEqual(['count'])
  })
})

describe('`custom` of crud', () => {
  it('adds actions to those of crud', async () => {
    const made = crud(notes(), {
      ...base,
      custom: { shout: { methods: ['POST'], route: '/:id/shout', handler: (_req, _res, { id }) => `${id}!` }, count },
    })
    const { send, get } = await servingRoutes((app) => mountResource(app, { ...place, ...made }))
    expect([(await send('POST', '/notes/1/shout')).body.data, (await get('/notes/count')).body.data]).toEqual(['1!', 5])
    expect((await send('DELETE', '/notes/1')).status).toBe(200)
  })

  it.each(['list', 'deleteMany'])('refuses the name `%s` of an action of crud', (name) => {
    expect(() => crud(notes(), { ...base, custom: { [name]: count } })).toThrow(
      expect.objectContaining({ code: 'crud_custom' }),
    )
  })
})

describe('`perAction` of crud', () => {
  it('changes the metadata of single actions, not their behaviour', async () => {
    const made = crud(notes(), {
      ...base,
      custom: { count },
      perAction: {
        list: { auth: 'optional', can: false, summary: 'All notes' },
        delete: { tags: ['Admin'] },
        count: { deprecated: true },
        create: { message: 'Angelegt' },
      },
    })
    const router = Router()
    mountResource(router, { ...place, app: 'desk', ...made })
    const [list, deletion, counted] = ['list', 'delete', 'count'].map((name) =>
      routesOf(router).find(({ action }) => action === name)
    )
    expect(list).toMatchObject({ auth: 'optional', summary: 'All notes' })
    expect([list?.permission, deletion?.tags, counted?.deprecated]).toEqual([undefined, ['Admin'], true])
    const { get, post } = await servingRoutes((app) => mountResource(app, { ...place, ...made }))
    expect((await get('/notes')).body.data).toEqual([{ id: 1, title: 'Milk' }])
    expect((await post('/notes', { title: 'Bread' })).body.message).toBe('Angelegt')
  })

  it('replaces the message of every action', async () => {
    const names = ['list', 'show', 'create', 'edit', 'store', 'delete', 'deleteMany']
    const perAction = Object.fromEntries(names.map((name) => [name, { message: `The ${name}` }]))
    const { get, post, send } = await servingRoutes((app) =>
      mountResource(app, { ...place, ...crud(notes(), { ...base, perAction }) })
    )
    const body = { title: 'Tea' }
    const replies = [
      await get('/notes'),
      await get('/notes/1'),
      await post('/notes', body),
      await send('PUT', '/notes/1', { body }),
      await send('PATCH', '/notes/1', { body }),
      await send('DELETE', '/notes/1'),
      await send('DELETE', '/notes?ids=2'),
    ]
    expect(replies.map((reply) => reply.body.message)).toEqual(names.map((name) => `The ${name}`))
  })

  it.each<[perAction: object, name: string]>([[{ remove: {} }, '`remove`'], [{ restore: {} }, '`restore`'], [{
    list: { handler: () => [] },
  }, '`handler`'], [{ list: { output: z.null() } }, '`output`']])(
    'refuses an unknown action or option: %j',
    (perAction, name) => {
      expect(() => crud(notes(), { ...base, perAction })).toThrow(
        expect.objectContaining({ code: 'crud_option_unknown', message: expect.stringContaining(name) as string }),
      )
    },
  )
})
