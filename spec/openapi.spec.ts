import express, { Router, type Express } from 'express'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { openapi, type OpenApiDocument, type OpenApiOptions } from 'resourcery/openapi'
import { param } from 'resourcery'
import { mountController } from 'resourcery'
import { mountResource } from 'resourcery'
import { mountRoutes } from 'resourcery'
import { routesOf } from 'resourcery'

const info = { title: 'Test', version: '1.0.0' }
/** A string that clients send: without NUL and half a surrogate pair. */
const readable = { type: 'string', pattern: expect.stringContaining('u0000') as string }
const nothing = (): null => null
const all = {
  list: nothing,
  show: nothing,
  create: nothing,
  edit: nothing,
  store: nothing,
  delete: nothing,
  deleteMany: nothing,
}

interface Tree {
  readonly [key: string]: Tree
}

/** The parts of a document that the tests read. */
function documentOf(
  mount: (router: Router) => void,
  options: Partial<OpenApiOptions> = {},
): Omit<OpenApiDocument, 'paths' | 'components'> & { readonly paths: Tree; readonly components: Tree } {
  const router = Router()
  mount(router)
  return openapi(router, { ...info, ...options }) as unknown as ReturnType<typeof documentOf>
}

/** Follows references to components, one level deep. */
function resolved({ components }: { readonly components: Tree }, schema: Tree | undefined): Tree {
  const { $ref } = (schema ?? {}) as { readonly $ref?: string }
  return $ref === undefined ? schema ?? {} : components.schemas?.[$ref.replace('#/components/schemas/', '')] ?? {}
}

/** Returns the schema of a body, by default of JSON. */
function bodyOf(
  document: { readonly paths: Tree; readonly components: Tree },
  path: string,
  method: string,
  type = 'application/json',
): Tree {
  return resolved(document, document.paths[path]?.[method]?.requestBody?.content?.[type]?.schema)
}

function operations({ paths }: { readonly paths: object }): string[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.keys(item as object).map((method) => `${method.toUpperCase()} ${path}`)
  )
}

describe('the routes of a document', () => {
  const app = (order: readonly number[]): Express => {
    const root = express()
    const mounts = [
      () => root.use('/admin', users(), reports()),
      () => root.use('/v1', express().use('/inner', users())),
      () =>
        mountResource(root, {
          route: '/:kind/files',
          name: 'files',
          handlers: all,
          custom: { raw: { methods: ['GET', 'POST'], route: '/raw/*rest', handler: nothing } },
        }),
    ]
    for (const index of order) mounts[index]?.()
    root.get('/by-hand', (_req, res) => res.end())
    mountController(root, '/jobs', { run: nothing })
    return root
  }
  const users = (): Router => {
    const router = Router()
    mountResource(router, { app: 'admin', route: '/users', name: 'users', handlers: all })
    return router
  }
  const reports = (): Router => {
    const router = Router()
    mountRoutes(router, {
      app: 'admin',
      route: '/reports',
      routes: { daily: { route: '/:year/daily', doc: ['finance', 'admin'], handler: nothing } },
    })
    return router
  }

  it('are exactly the mounted resource routes at any depth', () => {
    const routes = app([0, 1, 2])
    const served = routesOf(routes).filter(({ doc }) => doc !== false).map(({ method, path }) =>
      `${method} ${path.replace(/[:*](\w+)/g, '{$1}')}`
    )
    expect(operations(openapi(routes, info)).sort()).toEqual(served.sort())
    expect(served).toHaveLength(7 + 7 + 1 + 9)
  })

  it('are the same in any order of mounting', () => {
    const text = JSON.stringify(openapi(app([0, 1, 2]), info))
    expect(JSON.stringify(openapi(app([2, 1, 0]), info))).toBe(text)
    expect(JSON.stringify(openapi(app([1, 0, 2]), info))).toBe(text)
  })

  it('are limited to one domain or several if requested', () => {
    expect(operations(openapi(app([0, 2]), { ...info, doc: 'finance' }))).toEqual(['GET /admin/reports/{year}/daily'])
    expect(operations(openapi(app([0, 2]), { ...info, doc: ['finance', 'admin'] }))).toHaveLength(8)
    expect(operations(openapi(app([0]), { ...info, doc: 'elsewhere' }))).toEqual([])
  })

  it('are merged if no request can distinguish them', () => {
    const document = documentOf((router) => {
      mountResource(router, { route: '/a', name: 'first', handlers: { show: nothing } })
      const other = Router()
      mountResource(other, {
        route: '/A',
        name: 'second',
        actions: false,
        custom: {
          same: { methods: ['GET'], route: '/:key', handler: nothing },
          change: { methods: ['PATCH'], route: '/:key', handler: nothing },
        },
      })
      router.use(other)
    })
    expect(operations(document)).toEqual(['PATCH /A/{key}', 'GET /A/{key}'])
    expect(document.paths['/A/{key}']?.get).toMatchObject({
      operationId: 'showFirst',
      parameters: [{ name: 'key', in: 'path' }],
    })
  })
})

describe('an operation of a document', () => {
  it('contains the metadata of its action', () => {
    const { paths, tags, components } = documentOf((router) =>
      mountResource(router, {
        app: 'admin',
        route: '/users',
        name: 'users',
        tags: ['People'],
        deprecated: true,
        handlers: {
          list: nothing,
          show: {
            summary: 'Ein Benutzer',
            description: 'Mit allem',
            tags: ['Extra'],
            deprecated: false,
            handler: nothing,
          },
        },
      })
    )
    expect(paths['/users']?.get).toMatchObject({
      operationId: 'listUsers',
      summary: 'List users',
      description: 'List users.\n\nRequires the permission `admin.users.list`.',
      tags: ['People'],
      deprecated: true,
      security: [{ admin: [] }],
      'x-permission': 'admin.users.list',
    })
    expect(paths['/users/{id}']?.get).toMatchObject({
      summary: 'Ein Benutzer',
      description: expect.stringContaining('Mit allem') as string,
      tags: ['People', 'Extra'],
    })
    expect(paths['/users/{id}']?.get).not.toHaveProperty('deprecated')
    expect(tags).toEqual([{ name: 'Extra', description: 'The routes of `admin.users`' }, {
      name: 'People',
      description: 'The routes of `admin.users`',
    }])
    expect(components.securitySchemes).toEqual({
      admin: { type: 'http', scheme: 'bearer', description: 'A token of the application `admin`' },
    })
  })

  it('has a tag made from the name of its resource by default', () => {
    const { tags } = documentOf((router) => {
      mountResource(router, { route: '/blog-posts', name: 'blog.postTags', handlers: { list: nothing } })
      mountRoutes(router, { route: '', routes: { ping: { route: '/ping', handler: nothing } } })
      mountRoutes(router, { app: 'x', route: '', routes: { pong: { route: '/pong', handler: nothing } } })
    })
    expect(tags).toEqual([
      { name: 'API', description: 'The routes of this API' },
      { name: 'Post tags', description: 'The routes of `blog.postTags`' },
      { name: 'x', description: 'The routes of `x`' },
    ])
  })

  it('has summaries by `summarize`, unless declared', () => {
    const { paths } = documentOf((router) =>
      mountResource(router, {
        route: '/users',
        name: 'users',
        handlers: { list: nothing, show: { summary: 'Mine', handler: nothing } },
      }), { summarize: ({ action, resource }) => `${resource} ${action === 'list' ? 'auflisten' : ''}` })
    expect([paths['/users']?.get?.summary, paths['/users/{id}']?.get?.summary]).toEqual(['users auflisten', 'Mine'])
  })

  it('requires the credentials that the guards require', () => {
    const { paths } = documentOf((router) => {
      mountResource(router, { app: 'x', route: '/guarded', name: 'a', handlers: { list: nothing } })
      mountResource(router, { app: 'x', route: '/public', name: 'b', auth: false, handlers: { list: nothing } })
      mountResource(router, {
        app: 'x',
        route: '/optional',
        name: 'c',
        auth: 'optional',
        can: false,
        handlers: { list: nothing },
      })
      mountResource(router, {
        app: 'x',
        route: '/optional-can',
        name: 'd',
        auth: 'optional',
        handlers: { list: nothing },
      })
      mountResource(router, { app: 'x', route: '/signed-in', name: 'e', can: false, handlers: { list: nothing } })
      mountResource(router, { route: '/organised', name: 'f', handlers: { list: nothing } })
    })
    const asked = Object.entries(paths).map((
      [path, item],
    ) => [path, item.get?.security, Object.keys(item.get?.responses ?? {}).filter((status) => /40[13]/.test(status))])
    expect(asked).toEqual([
      ['/guarded', [{ x: [] }], ['401', '403']],
      ['/optional', [{}, { x: [] }], ['401']],
      ['/optional-can', [{ x: [] }], ['401', '403']],
      ['/organised', [], []],
      ['/public', [], []],
      ['/signed-in', [{ x: [] }], ['401']],
    ])
    expect(paths['/signed-in']?.get?.description).toContain('Requires authentication.')
    expect(paths['/optional']?.get?.description).toContain('Authentication is optional.')
  })

  it('lists all its errors as shared responses', () => {
    const { paths, components } = documentOf((router) =>
      mountResource(router, {
        app: 'x',
        route: '/users',
        name: 'users',
        handlers: all,
        custom: {
          ping: { methods: ['GET'], route: '/ping', auth: false, handler: nothing },
          raw: { methods: ['PUT'], route: '/raw', auth: false, body: false, handler: nothing },
        },
      })
    )
    const statuses = (path: string, method: string): string[] => Object.keys(paths[path]?.[method]?.responses ?? {})
    const common = ['405', '429', '500', '503', 'default']
    expect(statuses('/users', 'get')).toEqual([
      '200',
      '304',
      '400',
      '401',
      '403',
      '405',
      '422',
      '429',
      '500',
      '503',
      'default',
    ])
    expect(statuses('/users', 'post')).toEqual([
      '201',
      '400',
      '401',
      '403',
      '405',
      '409',
      '413',
      '415',
      '422',
      '429',
      '500',
      '503',
      'default',
    ])
    expect(statuses('/users/{id}', 'get')).toEqual([
      '200',
      '304',
      '400',
      '401',
      '403',
      '404',
      '405',
      '422',
      '429',
      '500',
      '503',
      'default',
    ])
    expect(statuses('/users', 'delete')).toContain('404')
    expect(statuses('/users/ping', 'get')).toEqual(['200', '304', ...common])
    expect(statuses('/users/raw', 'put')).toEqual(['200', '405', '409', ...common.slice(1)])
    expect(components.responses?.Unauthorized).toMatchObject({
      headers: { 'WWW-Authenticate': { $ref: '#/components/headers/Challenge' } },
    })
    expect(components.responses?.MethodNotAllowed).toMatchObject({
      headers: { Allow: { $ref: '#/components/headers/Allow' } },
    })
  })

  it('contains the declared headers and further statuses', () => {
    const { paths, components } = documentOf((router) =>
      mountResource(router, {
        route: '/a',
        name: 'a',
        handlers: {
          edit: {
            requestHeaders: {
              'If-Match': { description: 'The version to be changed', required: true },
              'X-Trace': { description: 'Who asks' },
            },
            responseHeaders: {
              ETag: { description: 'The new version', required: true },
              'X-Took': { description: 'Milliseconds' },
            },
            statuses: [202, 303, 402, 409, 412, 428],
            handler: nothing,
          },
        },
      })
    )
    const { parameters, responses } = paths['/a/{id}']?.put ?? {}
    expect(parameters).toEqual([
      { name: 'id', in: 'path', required: true, schema: readable },
      {
        name: 'If-Match',
        in: 'header',
        required: true,
        description: 'The version to be changed',
        schema: { type: 'string' },
      },
      { name: 'X-Trace', in: 'header', required: false, description: 'Who asks', schema: { type: 'string' } },
    ])
    const headers = {
      ETag: { description: 'The new version', required: true, schema: { type: 'string' } },
      'X-Took': { description: 'Milliseconds', schema: { type: 'string' } },
    }
    expect(responses).toMatchObject({
      200: { headers, content: {} },
      202: { headers, content: { 'application/json': { schema: { properties: { code: { const: 202 } } } } } },
      402: { $ref: '#/components/responses/Error' },
      409: { $ref: '#/components/responses/Conflict' },
      412: { $ref: '#/components/responses/PreconditionFailed' },
      428: { $ref: '#/components/responses/PreconditionRequired' },
    })
    expect(responses?.[303]).toEqual({ description: 'See Other', headers })
    expect(Object.keys(components.responses ?? {})).toEqual(
      expect.arrayContaining(['PreconditionFailed', 'PreconditionRequired']),
    )
    expect(
      documentOf((router) => mountResource(router, { route: '/a', name: 'a', handlers: all })).components.responses,
    )
      .not
      .toHaveProperty('PreconditionFailed')
  })

  it('has only valid references, and no unused component', () => {
    const document = documentOf((router) => mountResource(router, { app: 'x', route: '/a', name: 'a', handlers: all }))
    const text = JSON.stringify(document)
    const referred = new Set(
      [...text.matchAll(/"#\/components\/(\w+)\/([\w.-]+)"/g)].map(([, kind, name]) =>
        `${String(kind)} ${String(name)}`
      ),
    )
    const { securitySchemes: _schemes, ...components } = document.components
    const there = Object.entries(components).flatMap(([kind, named]) =>
      Object.keys(named).map((name) => `${kind} ${name}`)
    )
    expect(there.sort()).toEqual([...referred].sort())
  })
})

describe('the arguments of an operation', () => {
  const User = z.object({
    id: param.int().describe('The key'),
    name: z.string().min(2),
    age: param.int().optional(),
    tags: param.list(z.string()).default([]),
  })

  it('are in the path, and in the query for GET and DELETE', () => {
    const { paths } = documentOf((router) =>
      mountResource(router, {
        route: '/of/:house/users',
        name: 'users',
        handlers: { show: { input: User, handler: nothing } },
        custom: {
          files: {
            methods: ['GET'],
            route: '/files/*rest',
            input: z.object({ rest: z.array(z.string()) }),
            handler: nothing,
          },
        },
      })
    )
    expect(paths['/of/{house}/users/{id}']?.get?.parameters).toEqual([
      { name: 'house', in: 'path', required: true, schema: readable },
      { name: 'id', in: 'path', required: true, description: 'The key', schema: { type: 'integer' }, example: 1 },
      { name: 'name', in: 'query', required: true, schema: { ...readable, minLength: 2 }, example: 'Name 1' },
      { name: 'age', in: 'query', required: false, schema: { type: 'integer' } },
      { name: 'tags', in: 'query', required: false, schema: { type: 'array', items: readable, default: [] } },
    ])
    expect(paths['/of/{house}/users/files/{rest}']?.get?.parameters).toContainEqual({
      name: 'rest',
      in: 'path',
      required: true,
      schema: readable,
    })
  })

  it('are in the body for other methods, except those of `query`', () => {
    const document = documentOf((router) =>
      mountResource(router, {
        route: '/users',
        name: 'users',
        handlers: { edit: { input: User, query: z.object({ dry: param.bool().default(false) }), handler: nothing } },
      })
    )
    const { parameters, requestBody } = document.paths['/users/{id}']?.put ?? {}
    expect(parameters).toMatchObject([{ name: 'id', in: 'path' }, {
      name: 'dry',
      in: 'query',
      required: false,
      schema: { type: 'boolean', default: false },
    }])
    expect(requestBody).toMatchObject({
      required: true,
      content: { 'application/json': { schema: { $ref: '#/components/schemas/UserReplace' } } },
    })
    expect(bodyOf(document, '/users/{id}', 'put')).toEqual({
      type: 'object',
      properties: {
        name: { ...readable, minLength: 2 },
        age: { type: 'integer' },
        tags: { type: 'array', items: readable, default: [] },
      },
      required: ['name'],
    })
  })

  it('have no defaults in a partial update, and no body if the path contains all', () => {
    const document = documentOf((router) =>
      mountResource(router, {
        route: '/users',
        name: 'users',
        handlers: { store: { input: User.partial(), handler: nothing } },
        custom: {
          touch: { methods: ['POST'], route: '/:id/touch', input: z.object({ id: param.int() }), handler: nothing },
        },
      })
    )
    const { paths } = document
    expect(paths['/users/{id}']?.patch?.requestBody).toMatchObject({ required: false })
    expect(bodyOf(document, '/users/{id}', 'patch')).toMatchObject({ properties: { tags: { type: 'array' } } })
    expect(JSON.stringify(bodyOf(document, '/users/{id}', 'patch'))).not.toContain('default')
    expect(paths['/users/{id}/touch']?.post).not.toHaveProperty('requestBody')
  })

  it('may be a union, or a form with files', () => {
    const Base = z.object({ id: param.int() })
    const document = documentOf((router) =>
      mountResource(router, {
        route: '/a',
        name: 'a',
        actions: false,
        custom: {
          union: {
            methods: ['PUT'],
            route: '/:id',
            handler: nothing,
            input: z.discriminatedUnion('kind', [
              Base.extend({ kind: z.literal('x'), x: z.int() }),
              Base.extend({ kind: z.literal('y'), y: z.string() }),
            ]),
          },
          find: {
            methods: ['GET'],
            route: '/find',
            input: z.union([z.object({ q: z.string(), n: z.int() }), z.object({ q: z.int() })]),
            handler: nothing,
          },
          upload: {
            methods: ['POST'],
            route: '/upload',
            input: z.object({ title: z.string(), note: z.string().optional() }),
            handler: nothing,
            files: {
              cover: { types: ['image/png', 'image/jpeg'], maxBytes: 1000, required: true },
              pages: { maxCount: 3 },
            },
          },
        },
      })
    )
    const { paths } = document
    expect(bodyOf(document, '/a/{id}', 'put')).toMatchObject({
      oneOf: [
        { properties: { kind: { const: 'x' }, x: { type: 'integer' } }, required: ['kind', 'x'] },
        { required: ['kind', 'y'] },
      ],
    })
    expect(JSON.stringify(bodyOf(document, '/a/{id}', 'put'))).not.toContain('"id"')
    expect(paths['/a/find']?.get?.parameters).toMatchObject([
      { name: 'q', required: true, schema: { anyOf: [{ type: 'string' }, { type: 'integer' }] } },
      { name: 'n', required: false },
    ])
    const binary = { type: 'string', format: 'binary', contentMediaType: 'application/octet-stream' }
    expect(bodyOf(document, '/a/upload', 'post', 'multipart/form-data')).toEqual({
      type: 'object',
      required: ['title', 'cover'],
      properties: {
        title: readable,
        note: readable,
        cover: { ...binary, description: 'At most 1000 bytes' },
        pages: {
          type: 'array',
          items: { ...binary, description: 'At most 10000000 bytes' },
          maxItems: 3,
        },
      },
    })
    expect(paths['/a/upload']?.post?.requestBody).toMatchObject({
      required: true,
      content: { 'multipart/form-data': { encoding: { cover: { contentType: 'image/png, image/jpeg' } } } },
    })
  })

  it('may be an intersection of named schemas', () => {
    const Named = z.object({ name: z.string() }).meta({ id: 'Named' })
    const Keyed = z.object({ id: param.int(), key: z.string().optional() }).meta({ id: 'Keyed' })
    const document = documentOf((router) =>
      mountResource(router, {
        route: '/a',
        name: 'a',
        handlers: {
          show: { input: z.intersection(Named, Keyed), handler: nothing },
          edit: { input: z.intersection(Named, Keyed), handler: nothing },
        },
      })
    )
    const { paths } = document
    expect(paths['/a/{id}']?.get?.parameters).toMatchObject([{ name: 'id', schema: { type: 'integer' } }, {
      name: 'name',
      required: true,
    }, { name: 'key', required: false }])
    expect(paths['/a/{id}']?.put?.requestBody).toMatchObject({ required: true })
    expect(bodyOf(document, '/a/{id}', 'put')).toMatchObject({
      allOf: [{ $ref: '#/components/schemas/Named' }, { properties: { key: { type: 'string' } } }],
    })
  })

  it('include paging for a list, unless its input replaces or forbids it', () => {
    const { paths } = documentOf((router) => {
      mountResource(router, { route: '/plain', name: 'a', handlers: { list: nothing } })
      mountResource(router, {
        route: '/own',
        name: 'b',
        handlers: { list: { input: z.object({ page: param.int() }), handler: nothing } },
      })
      mountResource(router, {
        route: '/strict',
        name: 'c',
        handlers: { list: { input: z.strictObject({ q: z.string() }), handler: nothing } },
      })
      mountResource(router, { route: '/bulk', name: 'd', handlers: { deleteMany: nothing } })
    })
    const names = Object.fromEntries(
      Object.entries(paths).map(([path, item]) => [
        path,
        ((item.get ?? item.delete)
          ?.parameters as unknown as readonly { name: string }[])
          .map(({ name }) => name),
      ]),
    )
    expect(names).toEqual({
      '/plain': ['page', 'limit', 'search'],
      '/own': ['page'],
      '/strict': ['q'],
      '/bulk': ['ids'],
    })
  })
})

describe('the reply of an operation', () => {
  const answerOf = (document: { readonly paths: Tree }, path: string, method: string): Tree => {
    const [success] = Object.values(document.paths[path]?.[method]?.responses ?? {})
    return (success?.content?.['application/json']?.schema ?? {})
  }

  it('is the envelope, with page figures for a list', () => {
    const document = documentOf((router) =>
      mountResource(router, {
        route: '/a',
        name: 'a',
        handlers: {
          list: { output: z.array(z.object({ at: z.date() })), handler: () => [] },
          create: { output: z.null(), handler: nothing },
          deleteMany: nothing,
        },
      })
    )
    expect(answerOf(document, '/a', 'get')).toEqual({
      title: 'AListReply',
      type: 'object',
      required: ['code', 'message', 'data', 'meta'],
      properties: {
        code: { type: 'integer', const: 200 },
        message: { type: 'string' },
        meta: { $ref: '#/components/schemas/PageMeta' },
        data: { type: 'array', items: { $ref: '#/components/schemas/A' } },
      },
    })
    const { schemas } = document.components
    expect(schemas?.A).toEqual({
      type: 'object',
      properties: { at: { type: 'string', format: 'date-time' } },
      required: ['at'],
    })
    expect(answerOf(document, '/a', 'post')).toMatchObject({
      properties: { code: { const: 201 }, data: { type: 'null' }, meta: { $ref: '#/components/schemas/Meta' } },
    })
    expect(answerOf(document, '/a', 'delete')).toMatchObject({
      properties: { data: {}, meta: { $ref: '#/components/schemas/DeletedMeta' } },
    })
    expect(schemas?.DeletedMeta).toMatchObject({ properties: { deleted: { type: 'integer' } } })
  })

  it('has another media type, or no body, if declared', () => {
    const { paths } = documentOf((router) =>
      mountResource(router, {
        route: '/a',
        name: 'a',
        actions: false,
        custom: {
          csv: { methods: ['GET'], route: '/csv', produces: 'text/csv', handler: nothing },
          gone: { methods: ['POST'], route: '/gone', status: 204, handler: nothing },
          head: { methods: ['HEAD'], route: '/head', handler: nothing },
        },
      })
    )
    expect(paths['/a/csv']?.get?.responses?.[200]).toEqual({
      description: 'OK',
      content: { 'text/csv': { schema: { type: 'string' } } },
    })
    expect(paths['/a/gone']?.post?.responses?.[204]).toEqual({ description: 'No Content' })
    expect(paths['/a/head']?.head?.responses?.[200]).toEqual({ description: 'OK' })
  })
})

describe('the options of openapi', () => {
  it('fill the head of the document', () => {
    const contact = { email: 'a@b.test' }
    const license = { name: 'MIT', identifier: 'MIT' }
    expect(
      documentOf(() => undefined, {
        description: 'All of it',
        contact,
        license,
        servers: ['https://a.test', { url: 'https://{region}.b.test', description: 'B' }],
      }),
    )
      .toMatchObject({
        openapi: '3.1.1',
        info: { title: 'Test', version: '1.0.0', description: 'All of it', contact, license },
        servers: [{ url: 'https://a.test' }, { url: 'https://{region}.b.test', description: 'B' }],
        paths: {},
        tags: [],
      })
  })

  it('define the host that served the document as the server by default', () => {
    expect(documentOf(() => undefined).servers).toEqual([{ url: '/' }])
  })

  it.each([
    [{ version: '1' }],
    [{ title: 'A', version: '' }],
    [{ ...info, titel: 'A' }],
    [{ ...info, operationIds: 'snake' }],
    [{ ...info, servers: ['/api'] }],
    [{ ...info, servers: [{ url: '/docs' }] }],
    [{ ...info, servers: ['https:///x'] }],
  ])('are validated: %j', (options) => {
    expect(() => openapi(Router(), options as never)).toThrow(expect.objectContaining({ code: 'openapi_options' }))
  })
})
