import { Router } from 'express'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { crud, filter, memoryStore, type Where } from 'resourcery/crud'
import { BusinessError } from 'resourcery'
import { openapi } from 'resourcery/openapi'
import { param } from 'resourcery'
import { mountResource } from 'resourcery'
import { servingRoutes } from './serving.js'

interface Folder {
  id: number
  name: string
  parentId: number | null
  team: number
  deletedAt: Date | null
}

const FolderOut = z.object({ id: z.int(), name: z.string(), parentId: z.int().nullable() })
const FolderIn = z.object({
  name: z.string(),
  parentId: param.int().nullable().optional(),
  team: param.int().default(1),
})

/** Returns folders by their parents: `{ 2: 1 }` is folder 2 below folder 1. */
function folders(parents: Readonly<Record<number, number | null>>) {
  const rows = Object.entries(parents).map(([id, parentId]): Folder => ({
    id: Number(id),
    name: `f${id}`,
    parentId,
    team: Number(id) % 2,
    deletedAt: null,
  }))
  return memoryStore<Folder>({ key: 'id', rows, defaults: { deletedAt: null, parentId: null } })
}

//    1      6
//   2 3     7
//   4
//   5
const SOME = { 1: null, 2: 1, 3: 1, 4: 2, 5: 4, 6: null, 7: 6 }

interface Options {
  readonly tree?: object
  readonly [option: string]: unknown
}

async function planted({ tree, ...options }: Options = {}, store = folders(SOME)) {
  const client = await servingRoutes((app) =>
    mountResource(app, {
      route: '/folders',
      name: 'folders',
      ...crud(store, {
        input: FolderIn,
        output: FolderOut,
        sort: ['name'],
        search: ['name'],
        customFilters: { team: filter(param.int(), (team): Where<Folder> => [['team', '=', team]]) },
        tree: { parent: 'parentId', onDelete: 'restrict', ...tree },
        ...options,
      }),
    })
  )
  const forest = async (query = ''): Promise<string> =>
    shape((await client.get(`/folders?tree=true${query}`)).body.data)
  const move = async (id: number, parentId: number | null) =>
    client.send('PATCH', `/folders/${id}`, { body: { parentId } })
  const remaining = async (): Promise<string> => shape((await client.get('/folders?tree=true')).body.data)
  return { ...client, store, forest, move, remaining }
}

interface Node {
  readonly id: number
  readonly children: readonly Node[]
}

/** `1(2(4) 3)` */
function shape(nodes: readonly Node[]): string {
  return nodes.map(({ id, children }) => (children.length === 0 ? String(id) : `${id}(${shape(children)})`)).join(' ')
}

const SOFT_DELETE = { softDelete: { field: 'deletedAt', allows: () => true } } as const

describe('a list with tree=true', () => {
  it('nests rows below their parents, and lists them flat without it', async () => {
    const { get, forest } = await planted()
    expect(await forest()).toBe('1(2(4(5)) 3) 6(7)')
    expect((await get('/folders?limit=2')).body.data).toEqual([{ id: 1, name: 'f1', parentId: null }, {
      id: 2,
      name: 'f2',
      parentId: 1,
    }])
    expect((await get('/folders?tree=true&page=2&limit=1')).body).toEqual({
      code: 200,
      message: 'ok',
      meta: { total: 2, page: 2, limit: 1 },
      data: [{ id: 6, name: 'f6', parentId: null, children: [{ id: 7, name: 'f7', parentId: 6, children: [] }] }],
    })
    expect((await get('/folders?tree=false&limit=1')).body.meta.total).toBe(7)
  })

  it('sorts siblings, and makes a row a root if the list does not contain its parent', async () => {
    const { forest } = await planted()
    expect(await forest('&sort=-name')).toBe('6(7) 1(3 2(4(5)))')
    expect(await forest('&team=0')).toBe('2(4) 6')
    expect(await forest('&ids=5,4,6&sort=id')).toBe('4(5) 6')
    expect(await forest('&ids=6,5,4')).toBe('6 4(5)')
    expect(await forest('&search=f1')).toBe('1')
    expect(await (await planted({ scope: (): Where<Folder> => [['team', '=', 1]] })).forest()).toBe('1(3) 5 7')
  })

  it('replies 422 if the tree is too large, instead of truncating it', async () => {
    const { get, forest } = await planted({ tree: { size: 6, depth: 3 } })
    expect((await get('/folders?tree=true')).body).toMatchObject({
      code: 422,
      data: { tree: ['A tree has at most 6 records: narrow the list'] },
    })
    expect((await get('/folders?tree=true&ids=1,2,4,5')).body).toMatchObject({
      code: 422,
      data: { tree: ['A tree has at most 3 levels: narrow the list'] },
    })
    expect(await forest('&ids=1,2,4')).toBe('1(2(4))')
    expect((await get('/folders?tree=true&cursor=')).body).toMatchObject({
      code: 422,
      data: { cursor: ['A tree has no cursors: use page'] },
    })
    expect((await get('/folders?tree=maybe')).status).toBe(422)
  })

  it('replies 422 to a caller who may not read the parent field', async () => {
    const { get } = await planted({
      fields: {
        parentId: {
          read: (req: { get(name: string): string }) => req.get('x-see') === 'yes',
          write: () => true,
        },
      },
    })
    expect((await get('/folders?tree=true')).body).toMatchObject({
      code: 422,
      data: { tree: ['This list is not available as a tree'] },
    })
    expect((await get('/folders?tree=true', { headers: { 'x-see': 'yes' } })).status).toBe(200)
    const hiding = await planted({ fields: { name: { read: () => false } } })
    expect((await hiding.get('/folders?tree=true&ids=6,7')).body.data).toEqual([{
      id: 6,
      parentId: null,
      children: [{ id: 7, parentId: 6, children: [] }],
    }])
  })

  it('applies hooks, transform, parameter names and headers', async () => {
    const seen: number[] = []
    const { get } = await planted({
      after: { list: (rows: readonly Folder[]) => void seen.push(rows.length) },
      transform: (row: Folder) => ({ ...row, name: row.name.toUpperCase() }),
      paramNames: { tree: 'nested' },
      headers: true,
      total: false,
    })
    const { body } = await get('/folders?nested=true&limit=1')
    expect([body.meta, (body.data as { name: string }[])[0]?.name, seen]).toEqual([{ page: 1, limit: 1 }, 'F1', [7]])
  })

  it('is refused as an unknown parameter by a resource without a tree', async () => {
    const store = folders(SOME)
    const { get } = await servingRoutes((app) =>
      mountResource(app, { route: '/folders', name: 'folders', ...crud(store, { input: FolderIn, output: FolderOut }) })
    )
    expect((await get('/folders?tree=true&limit=1')).body).toMatchObject({
      code: 422,
      data: { tree: ['Unknown parameter. Use cursor, ids, limit, page, sort'] },
    })
  })
})

describe('stored circles of parents', () => {
  it('are shown with their first row as a root, and resolved by moving a row', async () => {
    const { forest, move, send } = await planted({}, folders({ 1: 3, 2: 1, 3: 2, 4: 4, 5: 3, 6: 99 }))
    expect(await forest()).toBe('1(2(3(5))) 4 6')
    expect(await forest('&sort=-name')).toBe('6 4 3(5 1(2))')
    expect((await move(6, 1)).body).toMatchObject({ code: 422, data: { parentId: ['A tree has at most 10 levels'] } })
    expect((await move(1, 4)).status).toBe(422)
    expect((await send('DELETE', '/folders/2')).body.meta).toEqual({ reason: 'conflict_children' })
    expect((await move(1, null)).status).toBe(200)
    expect((await move(4, null)).status).toBe(200)
    expect((await move(4, 3)).status).toBe(200)
    expect(await forest()).toBe('1(2(3(4 5))) 6')
  })

  it('are deleted as a whole, or reparented to the root', async () => {
    const cascading = await planted({ tree: { onDelete: 'cascade' } }, folders({ 1: 3, 2: 1, 3: 2, 4: null }))
    expect((await cascading.send('DELETE', '/folders/2')).status).toBe(200)
    expect(await cascading.remaining()).toBe('4')
    const reparenting = await planted({ tree: { onDelete: 'reparent' } }, folders({ 1: 2, 2: 1, 3: 2 }))
    expect((await reparenting.send('DELETE', '/folders?ids=1,2')).body.meta).toEqual({ deleted: 2 })
    expect(await reparenting.remaining()).toBe('3')
  })
})

describe('a row of a tree', () => {
  it('is created below and moved to an existing parent', async () => {
    const { post, move, send, forest } = await planted()
    expect((await post('/folders', { name: 'n', parentId: 7 })).body.data).toEqual({ id: 8, name: 'n', parentId: 7 })
    expect((await move(2, 7)).status).toBe(200)
    expect((await send('PUT', '/folders/3', { body: { name: 'f3', parentId: 8 } })).status).toBe(200)
    expect(await forest()).toBe('1 6(7(2(4(5)) 8(3)))')
    expect((await send('PUT', '/folders/3', { body: { name: 'f3' } })).body.data).toMatchObject({ parentId: null })
    expect((await move(2, 7)).status).toBe(200)
  })

  it('cannot be placed below a missing, soft-deleted or inaccessible parent', async () => {
    const { post, move, send } = await planted({ ...SOFT_DELETE, scope: (): Where<Folder> => [['team', '=', 1]] })
    const refused = { code: 422, data: { parentId: ['This parent does not exist'] } }
    expect((await post('/folders', { name: 'n', parentId: 99 })).body).toMatchObject(refused)
    expect((await post('/folders', { name: 'n', parentId: 2 })).body).toMatchObject(refused)
    expect((await move(3, 6)).body).toMatchObject(refused)
    await send('DELETE', '/folders/7')
    expect((await move(3, 7)).body).toMatchObject(refused)
  })

  it('cannot be moved below itself', async () => {
    const { move, send, forest } = await planted()
    const refused = {
      code: 409,
      message: 'An item cannot be its own ancestor',
      data: null,
      meta: { reason: 'conflict_cycle' },
    }
    for (const parent of [1, 2, 4, 5]) expect((await move(1, parent)).body).toEqual(refused)
    expect((await send('PUT', '/folders/2', { body: { name: 'x', parentId: 5 } })).body).toEqual(refused)
    expect(await forest()).toBe('1(2(4(5)) 3) 6(7)')
    const hooked = await planted({ before: { store: () => ({ parentId: 5 }) } })
    expect((await hooked.send('PATCH', '/folders/1', { body: {} })).body).toEqual(refused)
  })

  it('cannot be moved with its descendants below the depth limit', async () => {
    const { move, post } = await planted({ tree: { depth: 4, size: 3 } })
    const refused = { code: 422, data: { parentId: ['A tree has at most 4 levels'] } }
    expect((await post('/folders', { name: 'n', parentId: 5 })).body).toMatchObject(refused)
    expect((await move(6, 4)).body).toMatchObject(refused)
    expect((await move(6, 2)).status).toBe(200)
    expect((await move(2, 3)).body).toMatchObject({
      code: 409,
      message: 'This record has more than 3 descendants',
      meta: { reason: 'conflict_children' },
    })
    const flat = await planted({ tree: { depth: 1 } })
    expect((await flat.post('/folders', { name: 'n', parentId: 3 })).status).toBe(422)
    expect((await flat.post('/folders', { name: 'n' })).status).toBe(201)
  })

  it('is created and moved in bulk, all rows or none', async () => {
    const { send, forest, post } = await planted({ bulk: true })
    expect((await send('PUT', '/folders', { body: { ids: [4, 6, 5], data: { parentId: 7 } } })).body).toMatchObject({
      code: 409,
      message: 'ids.1: An item cannot be its own ancestor',
      meta: { reason: 'conflict_cycle' },
    })
    expect((await send('PUT', '/folders', { body: { ids: [3, 4, 5], data: { parentId: 7 } } })).body.meta).toEqual({
      updated: 3,
    })
    expect((await post('/folders/bulk', { items: [{ name: 'a', parentId: 5 }, { name: 'b', parentId: 99 }] })).body)
      .toMatchObject({ code: 422, data: { 'items.1.parentId': ['This parent does not exist'] } })
    expect((await post('/folders/bulk', { items: [{ name: 'a', parentId: 5 }, { name: 'b' }] })).status).toBe(201)
    expect(await forest()).toBe('1(2) 6(7(3 4 5(8))) 9')
  })

  it('may have a string as key, even "null"', async () => {
    const store = memoryStore<{ id: string; parentId: string | null }>({
      key: 'id',
      rows: [{ id: 'null', parentId: null }, { id: 'undefined', parentId: 'null' }],
    })
    const Out = z.object({ id: z.string(), parentId: z.string().nullable() })
    const { get, send } = await servingRoutes((app) =>
      mountResource(app, {
        route: '/keys',
        name: 'keys',
        ...crud(store, { id: z.string(), input: Out, output: Out, tree: { parent: 'parentId', onDelete: 'reparent' } }),
      })
    )
    expect(shape((await get('/keys?tree=true')).body.data)).toBe('null(undefined)')
    expect((await send('POST', '/keys', { body: { id: 'x', parentId: 'undefined' } })).status).toBe(201)
    expect((await send('PATCH', '/keys/null', { body: { parentId: 'undefined' } })).body.meta).toEqual({
      reason: 'conflict_cycle',
    })
    expect((await send('DELETE', '/keys/undefined')).status).toBe(200)
    expect(shape((await get('/keys?tree=true')).body.data)).toBe('null(x)')
  })
})

describe('deleting a parent', () => {
  it('is refused while it has children that remain', async () => {
    const { send, remaining } = await planted()
    const refused = {
      code: 409,
      message: 'This record has children',
      data: null,
      meta: { reason: 'conflict_children' },
    }
    expect((await send('DELETE', '/folders/4')).body).toEqual(refused)
    expect((await send('DELETE', '/folders?ids=5,2')).body).toEqual(refused)
    expect(await remaining()).toBe('1(2(4(5)) 3) 6(7)')
    expect((await send('DELETE', '/folders?ids=2,5,4')).body.meta).toEqual({ deleted: 3 })
    expect((await send('DELETE', '/folders/7')).status).toBe(200)
    expect(await remaining()).toBe('1(3) 6')
  })

  it('deletes all descendants with checks and hooks, all or none', async () => {
    const seen: string[] = []
    const note = (name: string) => (row: Folder): void => void seen.push(`${name} ${row.id}`)
    const { send, remaining } = await planted({
      tree: { onDelete: 'cascade' },
      check: note('check'),
      before: { delete: note('before') },
      after: { delete: note('after') },
      afterCommit: { delete: note('committed') },
    })
    expect((await send('DELETE', '/folders/2')).status).toBe(200)
    expect(seen).toEqual(
      ['check', 'before', 'after', 'committed'].flatMap((name) => [2, 4, 5].map((id) => `${name} ${id}`)),
    )
    expect(await remaining()).toBe('1(3) 6(7)')
    expect((await send('DELETE', '/folders?ids=3,1,6')).body.meta).toEqual({ deleted: 4 })
    expect(await remaining()).toBe('')
    const no = (row: Folder): void => {
      if (row.id === 5) throw new BusinessError('Not this one', 403, { reason: 'no' })
    }
    for (const options of [{ check: no }, { after: { delete: no } }]) {
      const refusing = await planted({ tree: { onDelete: 'cascade' }, ...options })
      expect((await refusing.send('DELETE', '/folders/1')).body.meta).toEqual({ reason: 'no' })
      expect(await refusing.remaining()).toBe('1(2(4(5)) 3) 6(7)')
    }
  })

  it('refuses to delete descendants outside the scope, or too many', async () => {
    const scoped = await planted({ tree: { onDelete: 'cascade' }, scope: (): Where<Folder> => [['team', '=', 1]] })
    expect((await scoped.send('DELETE', '/folders/1')).body.meta).toEqual({ reason: 'conflict_children' })
    expect((await scoped.send('DELETE', '/folders/3')).status).toBe(200)
    const small = await planted({ tree: { onDelete: 'cascade', size: 3 } })
    expect((await small.send('DELETE', '/folders/1')).body).toMatchObject({
      message: 'This record has more than 3 descendants',
      meta: { reason: 'conflict_children' },
    })
    expect((await small.send('DELETE', '/folders/2')).status).toBe(200)
    const wide = await planted({ tree: { size: 1 } })
    expect((await wide.send('DELETE', '/folders/1')).status).toBe(409)
  })

  it('moves the children to the nearest remaining ancestor', async () => {
    const { send, remaining } = await planted({ tree: { onDelete: 'reparent' } })
    expect((await send('DELETE', '/folders/2')).status).toBe(200)
    expect(await remaining()).toBe('1(3 4(5)) 6(7)')
    expect((await send('DELETE', '/folders?ids=4,1')).body.meta).toEqual({ deleted: 2 })
    expect(await remaining()).toBe('3 5 6(7)')
    expect((await send('DELETE', '/folders?ids=6,7')).status).toBe(200)
    expect(await remaining()).toBe('3 5')
  })
})

describe('a deletion that moves children', () => {
  it('reads one parent of each row, not all of its ancestors', async () => {
    const chain = Object.fromEntries(Array.from({ length: 10 }, (_, index) => [index + 1, index === 0 ? null : index]))
    let reads = 0
    const counting = (store: ReturnType<typeof folders>): ReturnType<typeof folders> => ({
      ...store,
      find: (...args) => {
        reads++
        return store.find(...args)
      },
      transaction: (work, options) => store.transaction((inside) => work(counting(inside)), options),
    })
    const { send, remaining } = await planted({ tree: { onDelete: 'reparent' } }, counting(folders(chain)))
    expect((await send('DELETE', '/folders/9')).status).toBe(200)
    expect(reads).toBeLessThan(6)
    expect(await remaining()).toBe('1(2(3(4(5(6(7(8(10))))))))')
  })
})

describe('a tree with soft deletion', () => {
  it('restores exactly the rows deleted together, and no child before its parent', async () => {
    const { send, remaining, get } = await planted({ ...SOFT_DELETE, tree: { onDelete: 'cascade' } })
    await send('DELETE', '/folders/4')
    await send('DELETE', '/folders/1')
    expect(await remaining()).toBe('6(7)')
    expect(shape((await get('/folders?tree=true&deleted=only')).body.data)).toBe('1(2(4(5)) 3)')
    expect((await send('PUT', '/folders/2/restore')).body).toEqual({
      code: 409,
      message: 'The parent of this record is deleted: restore it first',
      data: null,
      meta: { reason: 'conflict_parent' },
    })
    expect((await send('PUT', '/folders/1/restore')).body.data).toEqual({ id: 1, name: 'f1', parentId: null })
    expect(await remaining()).toBe('1(2 3) 6(7)')
    expect((await send('PUT', '/folders/4/restore')).status).toBe(200)
    expect(await remaining()).toBe('1(2(4(5)) 3) 6(7)')
  })

  it('distinguishes deletions at the same time', async () => {
    const { send, remaining, store } = await planted({ ...SOFT_DELETE, tree: { onDelete: 'cascade' } })
    const later = new Date(Date.now() + 3_600_000)
    await store.update(5, { deletedAt: later })
    await send('DELETE', '/folders/2')
    expect((await store.find([2, 4])).map(({ deletedAt }) => Number(deletedAt))).toEqual([
      Number(later) + 1,
      Number(later) + 1,
    ])
    await send('PUT', '/folders/2/restore')
    expect(await remaining()).toBe('1(2(4) 3) 6(7)')
  })

  it('distinguishes them in columns that store whole seconds', async () => {
    const inner = folders(SOME)
    const cut = (
      changes: Partial<Folder>,
    ): Partial<
      Folder
    > => (changes.deletedAt
      ? { ...changes, deletedAt: new Date(Math.floor(Number(changes.deletedAt) / 1000) * 1000) }
      : changes)
    const wrap = (store: typeof inner): typeof inner => ({
      ...store,
      update: (key, changes) => store.update(key, cut(changes)),
      transaction: (work) => store.transaction((inside) => work(wrap(inside))),
    })
    const { send, remaining } = await planted({ ...SOFT_DELETE, tree: { onDelete: 'cascade' } }, wrap(inner))
    for (const id of [5, 4, 3, 1]) await send('DELETE', `/folders/${id}`)
    await send('PUT', '/folders/1/restore')
    expect(await remaining()).toBe('1(2) 6(7)')
    await send('PUT', '/folders/4/restore')
    expect(await remaining()).toBe('1(2(4)) 6(7)')
  })

  it('restores rows with checks and hooks, all or none, within scope and depth', async () => {
    const seen: string[] = []
    const note = (name: string) => (row: Folder): void => void seen.push(`${name} ${row.id}`)
    let team: number | undefined
    const { send, move, remaining } = await planted({
      ...SOFT_DELETE,
      tree: { onDelete: 'cascade', depth: 4 },
      check: note('check'),
      before: { restore: note('before') },
      after: { restore: note('after') },
      afterCommit: { restore: note('committed') },
      scope: (): Where<Folder> => (team === undefined ? [] : [['team', '=', team]]),
    })
    await send('DELETE', '/folders/4')
    team = 0
    expect((await send('PUT', '/folders/4/restore')).body.meta).toEqual({ reason: 'conflict_children' })
    team = undefined
    expect((await move(2, 7)).status).toBe(200)
    expect((await send('PUT', '/folders/4/restore')).body).toMatchObject({
      code: 409,
      message: 'The parent of this record is too deep in the tree by now',
      meta: { reason: 'conflict_parent' },
    })
    expect((await move(2, null)).status).toBe(200)
    seen.length = 0
    expect((await send('PUT', '/folders/4/restore')).status).toBe(200)
    expect(seen).toEqual(
      ['check', 'before', 'after', 'committed'].flatMap((name) => [4, 5].map((id) => `${name} ${id}`)),
    )
    expect(await remaining()).toBe('1(3) 2(4(5)) 6(7)')
  })

  it('purges the rows deleted together, and children deleted before them', async () => {
    const { send, store } = await planted({ ...SOFT_DELETE, tree: { onDelete: 'cascade' } })
    await send('DELETE', '/folders/5')
    await send('DELETE', '/folders/2')
    expect((await send('DELETE', '/folders/2/purge')).status).toBe(200)
    expect(await store.find([2, 4, 5])).toEqual([])
    await store.update(6, { deletedAt: new Date() })
    expect((await send('DELETE', '/folders/6/purge')).body.meta).toEqual({ reason: 'conflict_children' })
  })

  it('restricts deletion by live children, and purging by any children', async () => {
    const { send, remaining } = await planted(SOFT_DELETE)
    await send('DELETE', '/folders/7')
    expect((await send('DELETE', '/folders/6')).status).toBe(200)
    expect((await send('DELETE', '/folders/6/purge')).body.meta).toEqual({ reason: 'conflict_children' })
    expect((await send('PUT', '/folders/7/restore')).status).toBe(409)
    expect((await send('PUT', '/folders/6/restore')).status).toBe(200)
    expect(await remaining()).toBe('1(2(4(5)) 3) 6')
    await send('DELETE', '/folders/7/purge')
    await send('DELETE', '/folders/6')
    expect((await send('DELETE', '/folders/6/purge')).status).toBe(200)
  })

  it('moves soft-deleted children to the new parent', async () => {
    const { send, remaining } = await planted({ ...SOFT_DELETE, tree: { onDelete: 'reparent' } })
    await send('DELETE', '/folders/4')
    await send('DELETE', '/folders/2')
    expect(await remaining()).toBe('1(3 5) 6(7)')
    await send('PUT', '/folders/4/restore')
    expect(await remaining()).toBe('1(3 4 5) 6(7)')
    expect((await send('DELETE', '/folders/2/purge')).status).toBe(200)
  })
})

describe('the option `tree`', () => {
  it('is documented as a schema that refers to itself', () => {
    const router = Router()
    const tree = { parent: 'parentId', onDelete: 'restrict' } as const
    const Named = FolderOut.meta({ id: 'Folder' })
    mountResource(router, {
      route: '/folders',
      name: 'folders',
      ...crud(folders(SOME), { input: FolderIn, output: FolderOut, tree }),
    })
    mountResource(router, {
      route: '/named',
      name: 'named',
      ...crud(folders(SOME), { input: FolderIn, output: Named, tree }),
    })
    const { paths, components } = openapi(router, { title: 'Folders', version: '1' })
    expect(paths['/folders']?.get?.parameters?.find(({ name }) => name === 'tree')).toMatchObject({
      in: 'query',
      required: false,
    })
    const children = {
      type: 'array',
      items: { $ref: '#/components/schemas/FolderNode' },
      description: expect.any(String) as string,
    }
    expect(components.schemas.FolderNode).toMatchObject({
      properties: { id: {}, children },
      required: ['id', 'name', 'parentId'],
    })
    expect(JSON.stringify(paths['/named']?.get?.responses['200'])).toContain('#/components/schemas/FolderNode')
    expect(JSON.stringify(paths['/named']?.post)).not.toContain('FolderNode')
    expect(JSON.stringify(paths['/folders']?.get?.responses['200'])).toContain('#/components/schemas/FolderListItem')
  })

  it('refuses invalid limits, fields and policies', () => {
    const made = (options: object) => () =>
      crud(folders(SOME), {
        input: FolderIn,
        output: FolderOut,
        tree: { parent: 'parentId', onDelete: 'restrict' },
        ...options,
      })
    const code = (name: string): unknown => expect.objectContaining({ code: name })
    for (
      const bounds of [{ depth: 0 }, { depth: 101 }, { depth: 1.5 }, { size: 0 }, { size: 10_001 }, {
        onDelete: 'drop',
      }, { parent: 'id' }]
    ) {
      expect(made({ tree: { parent: 'parentId', onDelete: 'restrict', ...bounds } })).toThrow(code('crud_tree'))
    }
    expect(made({ output: FolderOut.extend({ children: z.array(z.string()) }) })).toThrow(code('crud_tree'))
    expect(made({ output: FolderOut.omit({ parentId: true }) })).toThrow(code('crud_hidden'))
  })
})
