import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { crud, memoryStore, raw } from 'resourcery/crud'
import { mountResource } from '../../lib/core/resource/mount-resource.js'
import { FORM_TYPE, formOf } from '../support/multipart.js'
import { inUser, projects } from './projects.js'
import { servingRoutes } from './serving.js'

const together = { bulk: true, import: true }
const fileOf = (...names: string[]): object => ({
  headers: { ...inUser, 'content-type': FORM_TYPE },
  body: String(formOf({ name: 'file', filename: 'projects.csv', content: ['name', ...names].join('\n') })),
})

describe('new rows of a bulk call or an import', () => {
  it('are judged by the whole scope after their hooks', async () => {
    const { send, names } = await projects(together)
    const items = [{ name: 'a' }, { name: 'b' }]
    expect((await send('POST', '/projects/bulk', { headers: inUser, body: { items } })).body.meta).toEqual({
      created: 2,
    })
    expect((await send('POST', '/projects/import', fileOf('c', 'd'))).body.data).toMatchObject({ created: 2 })
    const list = await send('GET', '/projects', { headers: inUser })
    expect([list.body.meta.total, await names()]).toEqual([4, ['a', 'b', 'c', 'd']])
    expect((await send('GET', '/projects', { headers: { 'x-user': '8' } })).body.meta.total).toBe(0)
  })

  it.each([true, false])('are refused and undone outside the scope, whether or not there is a hook: %s',
    async (joins) => {
      const { send, names } = await projects(together, joins)
      const items = [{ name: 'a' }, { name: 'x' }]
      expect((await send('POST', '/projects/bulk', { headers: inUser, body: { items } })).status).toBe(403)
      const imported = await send('POST', '/projects/import', fileOf('a', 'x'))
      const line = joins ? 'line.3' : 'line.2'
      expect([imported.status, imported.body.data]).toEqual([422, {
        [line]: ['This record would be outside your scope'],
      }])
      expect(await names()).toEqual([])
    })
})

describe('a new row of a nested resource', () => {
  it('is judged by its own scope and below its parent', async () => {
    const parents = memoryStore<{ id: number }>({ key: 'id', rows: [{ id: 1 }, { id: 2 }] })
    const notes = memoryStore<{ id: number; projectId: number; text: string }>({ key: 'id' })
    const readers = new Set<number>()
    const { post } = await servingRoutes((app) =>
      mountResource(app, {
        route: '/projects/:projectId/notes',
        name: 'notes',
        ...crud(notes, {
          input: z.object({ text: z.string() }),
          output: z.object({ id: z.int(), projectId: z.int() }),
          parent: { arg: 'projectId', column: 'projectId', of: parents, scope: () => [['id', '=', 1]] },
          scope: () => [raw((note: { id: number }) => readers.has(note.id))],
          after: {
            create: async (note, { store }) => {
              readers.add(note.id)
              if (note.text === 'moved') await store.update(note.id, { projectId: 2 })
            },
          },
        }),
      })
    )
    expect((await post('/projects/1/notes', { text: 'a' })).body).toMatchObject({ code: 201, data: { projectId: 1 } })
    expect((await post('/projects/2/notes', { text: 'a' })).status).toBe(404)
    expect((await post('/projects/1/notes', { text: 'moved' })).status).toBe(403)
    expect(await notes.list({ where: [], order: ['id'] }).count?.()).toBe(1)
  })
})
