import express, { Router, type Express } from 'express'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { ConflictError, ForbiddenError, mountResource } from 'resourcery'
import { crud, memoryStore, type Store } from 'resourcery/crud'
import { openapi } from 'resourcery/openapi'
import { servingRoutes } from './serving.js'

interface Folder {
  id: number
  tenantId: string
  parentId: number | null
  deletedAt: Date | null
  path: string
}

interface Attachment {
  id: string
  folderId: number
  path: string
}

const Out = z.object({ id: z.int(), path: z.string(), parentId: z.int().nullable() })
const OutFile = z.object({ id: z.string(), path: z.string() })
const place = { route: '/folders', name: 'folders' } as const

function folders() {
  const row = { parentId: null, deletedAt: null }
  return memoryStore<Folder>({
    key: 'id',
    rows: [
      { ...row, id: 1, tenantId: 'north', path: 'a.pdf' },
      { ...row, id: 2, tenantId: 'south', path: 'b.pdf' },
      { ...row, id: 3, tenantId: 'north', path: 'secret.pdf' },
      { ...row, id: 4, tenantId: 'north', path: 'gone.pdf', deletedAt: new Date() },
    ],
  })
}

/** Returns a resource whose rows have a tenant, a rule of reading and a mark of deletion, and serve their file. */
function guarded() {
  return crud(folders(), {
    input: Out.pick({ path: true }),
    output: Out,
    softDelete: { field: 'deletedAt' },
    tree: { parent: 'parentId', onDelete: 'restrict' },
    scope: () => [['tenantId', '=', 'north']],
    check: ({ path }, { action }) => {
      if (path === 'secret.pdf') throw new ForbiddenError(`No ${action} of this folder`)
    },
    custom: {
      download: {
        methods: 'GET',
        route: '/:id/file',
        load: true,
        produces: 'text/plain',
        handler: (_req, res, args, row) => {
          res.type('text').send(JSON.stringify([args, row.tenantId, row.path]))
        },
      },
      half: { methods: 'POST', route: '/:id/halves/:part', handler: (_req, _res, args) => args },
      note: {
        methods: 'POST',
        route: '/:id/note',
        input: { text: ['required', 'Text is required'] },
        handler: (_req, _res, args) => args,
      },
      either: {
        methods: 'POST',
        route: '/:id/either',
        load: true,
        input: z.union([z.object({ a: z.string() }), z.object({ b: z.string() })]),
        handler: (_req, _res, args, row) => ({ args, path: row.path }),
      },
      size: { route: '/size', handler: () => 5 },
    },
  })
}

const serveGuarded = () => servingRoutes((app) => mountResource(app, { ...place, ...guarded() }))

const CONNECTION = {}

/** Returns a store as one of a connection that other stores share. */
function connected<Row extends object>(store: Store<Row>): Store<Row> {
  return Object.assign(Object.create(store) as Store<Row>, { db: CONNECTION, on: () => store })
}

/** Serves folders with attachments below them; those of another connection load their folder on their own. */
function nested(own: boolean) {
  const rows = [{ id: 'x', folderId: 1, path: 'x.png' }, { id: 'y', folderId: 2, path: 'y.png' }]
  const all = memoryStore<Attachment>({ key: 'id', rows })
  const [parents, files] = own ? [connected(folders()), connected(all)] : [folders(), all]
  const above = crud(parents, {
    input: Out.pick({ path: true }),
    output: Out,
    softDelete: { field: 'deletedAt' },
    scope: () => [['tenantId', '=', 'north']],
  })
  const below = crud(files, {
    input: OutFile.pick({ path: true }),
    output: OutFile,
    id: z.string().max(3),
    parent: { arg: 'folderId', column: 'folderId', of: above },
    custom: {
      file: { route: '/:id/file', load: true, handler: (_req, _res, args, row) => ({ args, path: row.path }) },
      count: { route: '/count', handler: (_req, _res, args) => args },
      add: { methods: 'POST', route: '/add', body: false, handler: (_req, _res, args) => args },
    },
  })
  return (app: Express) => mountResource(app, { route: '/folders/:folderId/files', name: 'files', ...below })
}

describe('a custom action of crud with `load: true`', () => {
  it('gives its handler the row that the path names, as the fourth argument', async () => {
    const { get, send } = await serveGuarded()
    expect((await get('/folders/1/file')).text).toBe('[{"id":1},"north","a.pdf"]')
    expect((await send('HEAD', '/folders/1/file')).status).toBe(200)
  })

  it.each([
    ['a row outside the scope', '/folders/2/file', 404],
    ['a soft-deleted row', '/folders/4/file', 404],
    ['an unknown row', '/folders/99/file', 404],
    ['a row that `check` refuses', '/folders/3/file', 403],
    ['a key that does not fit its schema', '/folders/1e0/file', 422],
  ])('replies for %s as `show` does', async (_what, path, status) => {
    const { get } = await serveGuarded()
    const [reply, shown] = [await get(path), await get(path.replace('/file', ''))]
    expect(reply.status).toBe(status)
    expect(reply.body).toEqual(shown.body)
  })

  it('works beside an input that is no object, and beside rules', async () => {
    const { post } = await serveGuarded()
    expect((await post('/folders/1/either', { a: 'x' })).body.data).toEqual({ args: { id: 1, a: 'x' }, path: 'a.pdf' })
    expect((await post('/folders/1e0/either', { a: 'x' })).status).toBe(422)
    expect((await post('/folders/1/note', { text: 'x', id: 7 })).body.data).toEqual({ id: 1, text: 'x' })
    expect((await post('/folders/1/note', {})).body.data).toEqual({ text: ['Text is required'] })
  })

  it('is refused without `:id` in its route, and with another value', () => {
    const base = { input: Out.pick({ path: true }), output: Out }
    const handler = (): number => 1
    expect(() => crud(folders(), { ...base, custom: { all: { route: '/all', load: true, handler } } })).toThrow(
      expect.objectContaining({ code: 'crud_custom', message: expect.stringContaining('without `:id`') as string }),
    )
    expect(() => crud(folders(), { ...base, custom: { one: { route: '/:id/one', load: 'yes' as never, handler } } }))
      .toThrow(expect.objectContaining({ code: 'crud_custom' }))
    const load = { route: '/:id/one', load: true, handler }
    expect(() => mountResource(Router(), { ...place, custom: { one: load } as never })).toThrow(
      expect.objectContaining({ code: 'option_unknown' }),
    )
  })

  it('is refused where neither its input nor its query is an object that can read the path', () => {
    const one = z.union([z.object({ a: z.string() }), z.object({ b: z.string() })])
    const both = { methods: 'POST', route: '/:id/both', input: one, query: one, handler: () => 1 } as const
    expect(() => crud(folders(), { input: Out.pick({ path: true }), output: Out, custom: { both } })).toThrow(
      expect.objectContaining({ code: 'crud_custom' }),
    )
  })

  it('passes errors of the handler on, whose own time the deadline of the store does not limit', async () => {
    const { get } = await servingRoutes((app) =>
      mountResource(app, {
        ...place,
        ...crud(folders(), {
          input: Out.pick({ path: true }),
          output: Out,
          custom: {
            taken: {
              route: '/:id/taken',
              load: true,
              handler: (_req, _res, _args, { path }) => {
                throw new ConflictError(path)
              },
            },
          },
        }),
      })
    )
    expect((await get('/folders/1/taken')).body).toMatchObject({ code: 409, message: 'a.pdf' })
  })
})

describe('path arguments of custom actions of crud', () => {
  it('have the type of the key, and others are strings', async () => {
    const { post, get } = await serveGuarded()
    expect((await post('/folders/2/halves/1', {})).body.data).toEqual({ id: 2, part: '1' })
    expect((await post('/folders/2/halves/1')).status).toBe(200)
    expect((await post('/folders/1e0/halves/1', {})).body).toMatchObject({ code: 422,
      data: { id: [expect.any(String)] } })
    expect((await get('/folders/size')).body.data).toBe(5)
  })

  it.each([['on its connection', true], ['on another connection', false]])(
    'below a parent %s are its keys, and an unreachable parent is 404',
    async (_where, own) => {
      const { get, send } = await servingRoutes(nested(own))
      expect((await get('/folders/1/files/x/file')).body.data).toEqual({
        args: { folderId: 1, id: 'x' },
        path: 'x.png',
      })
      expect((await get('/folders/1/files/count')).body.data).toEqual({ folderId: 1 })
      expect((await send('POST', '/folders/1/files/add')).body.data).toEqual({ folderId: 1 })
      const paths = ['1/files/y/file', '2/files/y/file', '4/files/x/file', '2/files/count', '99/files/count']
      for (const path of paths) expect((await get(`/folders/${path}`)).status).toBe(404)
      expect((await get('/folders/1e0/files/count')).status).toBe(422)
      expect((await get('/folders/1/files/toolong/file')).status).toBe(422)
    },
  )

  it('keep the schema that an action gives them itself', async () => {
    const made = crud(folders(), {
      input: Out.pick({ path: true }),
      output: Out,
      custom: {
        own: { route: '/:id/own', input: z.object({ id: z.string() }),
          handler: (_req, _res, { id }) => id.toUpperCase() },
      },
    })
    const { get } = await servingRoutes((app) => mountResource(app, { ...place, ...made }))
    expect((await get('/folders/a1/own')).body.data).toBe('A1')
  })

  it('are documented with their schema, 404 and 422', () => {
    const app = express()
    mountResource(app, { ...place, ...guarded() })
    nested(true)(app)
    const document = openapi(app, { title: 'Files', version: '1.0.0' }) as unknown as Paths
    const parametersAt = (path: string, method: string) =>
      (document.paths[path]?.[method]?.parameters ?? []).map(({ name, schema }) => [name, schema])
    expect(parametersAt('/folders/{id}/file', 'get')).toMatchObject([['id', { type: 'integer' }]])
    expect(Object.keys(document.paths['/folders/{id}/file']?.get?.responses ?? {}))
      .toEqual(expect.arrayContaining(['404', '422']))
    expect(parametersAt('/folders/{folderId}/files/{id}/file', 'get'))
      .toMatchObject([['folderId', { type: 'integer' }], ['id', { type: 'string', maxLength: 3 }]])
    expect(parametersAt('/folders/{id}/halves/{part}', 'post'))
      .toMatchObject([['id', { type: 'integer' }], ['part', { type: 'string' }]])
  })
})

interface Paths {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
}

interface Operation {
  readonly parameters: readonly { readonly name: string; readonly schema: object }[]
  readonly responses: object
}
