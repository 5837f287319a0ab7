import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { crud, memoryStore, type Where } from 'resourcery/crud'
import { mountResource, param } from 'resourcery'
import { projects, type Project } from './projects.js'
import { servingRoutes } from './serving.js'

describe('a changed row', () => {
  interface Moving {
    readonly store: ReturnType<typeof memoryStore<Project>>
  }
  const moveTo = (team: number) => async (project: Project, { store }: Moving) => {
    await store.update(project.id, { team })
  }

  it.each([
    ['PATCH', '/projects/1', { name: 'b' }],
    ['PUT', '/projects/1', { name: 'b' }],
    ['PUT', '/projects', { ids: [1], data: { name: 'b' } }],
    ['POST', '/projects/1/rename', {}],
  ])('is judged by the whole scope after its hooks: %s %s', async (method, path, body) => {
    const changed = async (move: ReturnType<typeof moveTo>) => {
      const { send, store } = await projects({
        scope: (): Where<Project> => [['team', '=', 1]],
        bulk: true,
        members: { rename: { change: () => ({ name: 'b' }) } },
        after: { store: move, edit: move, rename: move },
      })
      await store.create({ name: 'a', team: 1 })
      const { status } = await send(method, path, { body })
      return [status, await store.find([1])]
    }
    expect(await changed(moveTo(1))).toEqual([200, [{ id: 1, name: 'b', team: 1 }]])
    expect(await changed(moveTo(2))).toEqual([403, [{ id: 1, name: 'a', team: 1 }]])
    expect(await changed(async ({ id }, { store }) => void await store.delete([id]))).toEqual([200, []])
  })

  it('is judged by the whole scope after its hooks if it is restored', async () => {
    const deletedAt = new Date(0)
    const store = memoryStore({
      key: 'id',
      rows: [{ id: 1, team: 1, deletedAt: deletedAt as Date | null }, { id: 2, team: 1, deletedAt }],
    })
    const { send } = await servingRoutes((app) =>
      mountResource(app, {
        route: '/projects',
        name: 'projects',
        ...crud(store, {
          input: z.object({}),
          output: z.object({ id: z.int() }),
          scope: () => [['team', '=', 1]],
          softDelete: { field: 'deletedAt' },
          after: {
            restore: async ({ id }, { store: inside }) => {
              await inside.update(id, { team: id })
            },
          },
        }),
      })
    )
    const restore = async (id: number) => (await send('PUT', `/projects/${id}/restore`)).status
    expect([await restore(1), await restore(2)]).toEqual([200, 403])
    expect(await store.find([2])).toEqual([{ id: 2, team: 1, deletedAt }])
  })

  it('is judged by the whole scope after its children are written', async () => {
    const shares = memoryStore<{ id: number; projectId: number; user: number }>({ key: 'id' })
    const members = new Map<number, number>([[1, 7]])
    const { send, store } = await projects({
      scope: () => [['id', 'in', [...members.keys()]]],
      children: {
        shares: {
          of: crud(shares, {
            input: z.object({ user: param.int() }),
            output: z.object({ id: z.int(), user: z.int() }),
            after: { create: ({ projectId, user }) => void (user === 7 || members.delete(projectId)) },
          }),
          column: 'projectId',
        },
      },
    })
    await store.create({ name: 'a' })
    const share = (user: number) => send('PATCH', '/projects/1', { body: { shares: [{ user }] } })
    expect([(await share(7)).status, (await share(8)).status]).toEqual([200, 403])
    expect(await shares.find([1, 2])).toMatchObject([{ user: 7 }])
  })
})
