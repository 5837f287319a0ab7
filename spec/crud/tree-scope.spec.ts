import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { crud, memoryStore, type Where } from 'resourcery/crud'
import { ForbiddenError } from 'resourcery'
import { param } from 'resourcery'
import { mountResource } from 'resourcery'
import { servingRoutes } from './serving.js'

interface Folder {
  id: number
  name: string
  parentId: number | null
  team: number
  version: number
  deletedAt: Date | null
}

const Output = z.object({ id: z.int(), name: z.string(), parentId: z.int().nullable(), version: z.int() })
const Input = z.object({ name: z.string(), parentId: param.int().nullable().default(null) })
type OnDelete = 'restrict' | 'cascade' | 'reparent'

/** 1 > 2 > 3 > 4 and 1 > 5, of team 1 except those in `foreign`. */
async function planted(
  onDelete: OnDelete,
  { foreign = [], deleted = [], options = {} }: {
    foreign?: readonly number[]
    deleted?: readonly number[]
    options?: object
  } = {},
) {
  const parents = [null, 1, 2, 3, 1]
  const rows = parents.map((parentId, index): Folder => {
    const id = index + 1
    return {
      id,
      name: `f${id}`,
      parentId,
      team: foreign.includes(id) ? 2 : 1,
      version: 1,
      deletedAt: deleted.includes(id) ? new Date(5) : null,
    }
  })
  const store = memoryStore<Folder>({ key: 'id', defaults: { deletedAt: null, team: 1 }, rows })
  const soft = deleted.length > 0 ? { softDelete: { field: 'deletedAt', allows: () => true } } as const : {}
  const client = await servingRoutes((app) =>
    mountResource(app, {
      route: '/folders',
      name: 'folders',
      ...crud(store, {
        input: Input,
        output: Output,
        tree: { parent: 'parentId', onDelete },
        scope: (): Where<Folder> => [['team', '=', 1]],
        ifMatch: 'optional',
        version: 'version',
        bulk: true,
        ...soft,
        ...options,
      }),
    })
  )
  const stored = (): Promise<readonly Folder[]> =>
    Promise.resolve(store.list({ where: [], order: ['id'] }).slice(0, 100))
  const versions = async (): Promise<string> => (await stored()).map(({ id, version }) => `${id}:${version}`).join(' ')
  return { ...client, rows, stored, versions }
}

const HAS_CHILDREN = {
  code: 409,
  message: 'This record has children',
  data: null,
  meta: { reason: 'conflict_children' },
}

describe('a tree across scopes', () => {
  it.each<[onDelete: OnDelete, foreign: readonly number[], deleted: readonly number[], method: string, path: string]>([
    ['reparent', [2], [], 'DELETE', '/1'],
    ['reparent', [3], [], 'DELETE', '?ids=1,2'],
    ['reparent', [3], [], 'DELETE', '?ids=2,5'],
    ['reparent', [4], [5], 'DELETE', '/3'],
    ['reparent', [4], [4], 'DELETE', '/3'],
    ['reparent', [4], [3], 'DELETE', '/3/purge'],
    ['reparent', [4], [3, 4], 'DELETE', '/3/purge'],
    ['cascade', [2], [], 'DELETE', '/1'],
    ['cascade', [4], [], 'DELETE', '/1'],
    ['cascade', [4], [], 'DELETE', '?ids=5,2'],
    ['cascade', [4], [5], 'DELETE', '/1'],
    ['cascade', [4], [3, 4], 'DELETE', '/3/purge'],
    ['restrict', [4], [], 'DELETE', '/3'],
    ['restrict', [4], [5], 'DELETE', '/3'],
    ['restrict', [4], [3, 4], 'DELETE', '/3/purge'],
  ])(
    'is not changed outside the scope: %s, foreign %j, deleted %j, %s %s',
    async (onDelete, foreign, deleted, method, path) => {
      const { send, rows, stored } = await planted(onDelete, { foreign, deleted })
      expect((await send(method, `/folders${path}`)).body).toEqual(HAS_CHILDREN)
      expect(await stored()).toEqual(rows)
    },
  )

  it.each([
    ['restored', 'PUT', '/3/restore', { deleted: [3] }],
    ['moved by a deletion', 'DELETE', '/3', {}],
  ])('is not left by the version of a row that is %s', async (_what, method, path, plan) => {
    const scope = (): Where<Folder> => [['team', '=', 1], ['version', '<', 2]]
    const { send, rows, stored } = await planted('reparent', { ...plan, options: { scope } })
    expect((await send(method, `/folders${path}`)).body).toMatchObject({ code: 403, meta: { reason: 'forbidden' } })
    expect(await stored()).toEqual(rows)
  })

  it('refuses to restore a parent with a child of another scope', async () => {
    const { send, rows, stored } = await planted('cascade', { foreign: [4], deleted: [3, 4] })
    expect((await send('PUT', '/folders/3/restore')).body).toMatchObject({
      code: 409,
      meta: { reason: 'conflict_children' },
    })
    expect(await stored()).toEqual(rows)
  })

  it('replies to a row of another scope as if it did not exist', async () => {
    const { send, post, rows, stored } = await planted('reparent', { foreign: [2, 4], deleted: [4, 5] })
    const pairs = await Promise.all([
      ['DELETE', '/2', '/9'],
      ['DELETE', '/4/purge', '/9/purge'],
      ['PUT', '/4/restore', '/9/restore'],
      ['DELETE', '?ids=1,2', '?ids=1,9'],
    ]
      .map(async (
        [method = '', own = '', none = ''],
      ) => [(await send(method, `/folders${own}`)).body, (await send(method, `/folders${none}`)).body]))
    for (const [reply, missing] of pairs) expect([reply?.code, reply]).toEqual([404, missing])
    const under = async (
      parentId: number,
    ): Promise<unknown> => [
      (await post('/folders', { name: 'n', parentId })).body,
      (await send('PATCH', '/folders/1', { body: { parentId } })).body,
    ]
    expect(await under(2)).toEqual(await under(9))
    expect(await stored()).toEqual(rows)
  })

  it('checks each row that a deletion deletes or moves', async () => {
    const seen: string[] = []
    const check = (row: Folder, { action }: { action: string }): void => {
      seen.push(`${action} ${row.id}`)
      if (row.id === 4) throw new ForbiddenError('Not this one')
    }
    const cascading = await planted('cascade', { options: { check } })
    expect((await cascading.send('DELETE', '/folders/2')).status).toBe(403)
    const moving = await planted('reparent', { options: { check } })
    expect((await moving.send('DELETE', '/folders/3')).status).toBe(403)
    expect(seen).toEqual(['delete 2', 'delete 3', 'delete 4', 'delete 3', 'store 4'])
    expect([await cascading.stored(), await moving.stored()]).toEqual([cascading.rows, moving.rows])
  })
})

describe('the version of a row in a tree', () => {
  it('is incremented by every write', async () => {
    const { send, versions } = await planted('cascade', { deleted: [5] })
    const after = async (method: string, path: string, body?: object): Promise<string> => {
      expect((await send(method, `/folders${path}`, { body })).status).toBeLessThan(300)
      return versions()
    }
    expect(await after('PATCH', '/1', { name: 'n' })).toBe('1:2 2:1 3:1 4:1 5:1')
    expect(await after('PUT', '/1', { name: 'm' })).toBe('1:3 2:1 3:1 4:1 5:1')
    expect(await after('PUT', '', { ids: [1, 2], data: { name: 'o' } })).toBe('1:4 2:2 3:1 4:1 5:1')
    expect(await after('PATCH', '/3', { parentId: 1 })).toBe('1:4 2:2 3:2 4:1 5:1')
    expect(await after('DELETE', '/3')).toBe('1:4 2:2 3:3 4:2 5:1')
    expect(await after('PUT', '/3/restore')).toBe('1:4 2:2 3:4 4:3 5:1')
    expect(await after('PUT', '/5/restore')).toBe('1:4 2:2 3:4 4:3 5:2')
    expect(await after('POST', '', { name: 'new', version: 7 })).toBe('1:4 2:2 3:4 4:3 5:2 6:1')
  })

  it('is incremented for children that a deletion moves', async () => {
    const { send, versions } = await planted('reparent', { deleted: [5] })
    await send('DELETE', '/folders/1')
    expect(await versions()).toBe('1:2 2:2 3:1 4:1 5:2')
    const hard = await planted('reparent')
    await hard.send('DELETE', '/folders?ids=1,2')
    expect(await hard.versions()).toBe('3:2 4:1 5:2')
  })
})
