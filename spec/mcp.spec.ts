import { once } from 'node:events'
import express, { Router, type Express, type Request, type RequestHandler, type Response } from 'express'
import { auth, BusinessError, errorHandler, findOrFail, issueToken, mountResource, mountRoutes, notFound, param,
  permission, resource, routesOf, serve } from 'resourcery'
import { crud } from 'resourcery/crud'
import { mcpRouter, type McpOptions } from 'resourcery/mcp'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { memoryStore } from 'resourcery/crud'
import { IS_FAST } from '../lib/core/fast/fast.js'
import { isFast } from '../lib/core/routing/request-state.js'
import { clientOf, serving, type Client, type Reply } from './support/http.js'

const SECRET = 'a secret of the specs with enough bytes in it'
const server: McpOptions = { name: 'notes', version: '1.2.3' }
const ROLES = { admin: ['*'], author: ['desk.notes.*'], reader: ['desk.notes.list', 'desk.notes.show'] }

const Note = z.object({ id: z.int(), title: z.string(), ownerId: z.int() })
const notes = () =>
  memoryStore<z.infer<typeof Note>>({
    key: 'id',
    rows: [{ id: 1, title: 'First', ownerId: 1 }, { id: 2, title: 'Second', ownerId: 2 }],
  })

/** Creates an app with notes behind a sign-in, each changed by its owner only, and a few other routes. */
function desk(options: Partial<McpOptions> = {}, before: (app: Express) => void = () => undefined): Express {
  const app = express()
  before(app)
  app.use('/mcp', mcpRouter(app, { ...server, ...options }))
  const router = Router()
  router.use(auth('desk', { secret: SECRET }), permission('desk', { roles: ROLES }))
  mountResource(router, {
    app: 'desk',
    route: '/notes',
    name: 'notes',
    tool: true,
    ...crud(notes(), {
      input: Note.pick({ title: true }),
      output: Note,
      sort: ['title'],
      ifMatch: 'optional',
      before: { create: (note, { req }) => ({ ...note, ownerId: Number(req.auth?.id) }) },
      check: (note, { req, action }) => {
        if (action !== 'show' && note.ownerId !== Number(req.auth?.id)) {
          throw new BusinessError('This is not your note', 403, { reason: 'note.not_yours' })
        }
      },
      export: true,
      perAction: {
        create: { tool: true },
        store: { tool: { name: 'change_note', description: 'Changes a note of your own.' } },
        delete: { tool: true },
      },
    }),
  })
  app.use('/desk', router)
  mountRoutes(app, {
    route: '/open',
    name: 'open',
    tool: true,
    routes: {
      hello: { route: '/hello/:name', handler: (_req, _res, { name }) => ({ hello: name }) },
      secret: { route: '/secret', doc: false, handler: () => null },
      off: { route: '/off', tool: false, handler: () => null },
      add: { methods: 'POST', route: '/add', handler: () => null },
      file: { route: '/file', produces: 'text/csv', handler: (_req, res) => void res.type('csv').send('a') },
    },
  })
  app.use(notFound(), errorHandler({ log: () => undefined }))
  return app
}

const ACCEPT = 'application/json, text/event-stream'

function post(client: Client, body: unknown, token?: string, headers: Record<string, string> = {}): Promise<Reply> {
  return client.send('POST', '/mcp', { body, token, headers: { accept: ACCEPT, ...headers } })
}

/** The JSON of a reply. */
interface Tree {
  readonly [key: string]: Tree
}

interface ToolJson {
  readonly name: string
  readonly inputSchema: Tree
  readonly outputSchema: Tree
  readonly annotations: Tree
}

interface ResultJson {
  readonly content: readonly { readonly type: string; readonly text: string }[]
  readonly structuredContent: Tree
  readonly isError?: boolean
}

interface Rpc<Result = Tree> {
  readonly result: Result
  readonly error: { readonly code: number; readonly message: string }
}

async function rpc<Result = Tree>(
  client: Client,
  method: string,
  params: object = {},
  token?: string,
): Promise<Rpc<Result>> {
  const reply = await post(client, { jsonrpc: '2.0', id: 7, method, params }, token)
  expect(reply.headers.get('content-type')).toContain('application/json')
  expect(reply.body).toMatchObject({ jsonrpc: '2.0', id: 7 })
  return reply.body as never
}

async function toolsOf(client: Client, token?: string): Promise<Map<string, ToolJson>> {
  const { result } = await rpc<{ readonly tools: readonly ToolJson[] }>(client, 'tools/list', {}, token)
  return new Map(result.tools.map((tool) => [tool.name, tool]))
}

async function namesOf(client: Client, token?: string): Promise<string[]> {
  return [...(await toolsOf(client, token)).keys()].sort()
}

async function call(client: Client, name: string, args: object = {}, token?: string): Promise<ResultJson> {
  return (await rpc<ResultJson>(client, 'tools/call', { name, arguments: args }, token)).result
}

function textOf({ content }: ResultJson): string {
  return content[0]?.text ?? ''
}

const tokenOf = (id: number, role: string): Promise<string> => issueToken('desk', { id, role }, { secret: SECRET })

describe('the MCP protocol', () => {
  it('uses the revision of the client, or the newest one', async () => {
    const client = await serving(desk())
    const initialize = async (protocolVersion: unknown) =>
      (await rpc(client, 'initialize', { protocolVersion, capabilities: {}, clientInfo: { name: 'x', version: '1' } }))
        .result
    expect(await initialize('2025-06-18')).toEqual({
      protocolVersion: '2025-06-18',
      capabilities: { tools: {} },
      serverInfo: { name: 'notes', version: '1.2.3' },
    })
    expect([
      (await initialize('2025-11-25')).protocolVersion,
      (await initialize('2024-11-05')).protocolVersion,
      (await initialize(undefined)).protocolVersion,
    ])
      .toEqual(['2025-11-25', '2025-11-25', '2025-11-25'])
    expect((await rpc(client, 'ping')).result).toEqual({})
    const list = { jsonrpc: '2.0', id: 1, method: 'ping' }
    expect((await post(client, list, undefined, { 'mcp-protocol-version': '2025-06-18' })).status).toBe(200)
    for (const revision of ['2025-03-26', '1999-01-01', '']) {
      expect((await post(client, list, undefined, { 'mcp-protocol-version': revision })).status).toBe(400)
    }
  })

  it('accepts notifications and replies with an empty reply', async () => {
    const client = await serving(desk())
    for (
      const body of [{ jsonrpc: '2.0', method: 'notifications/initialized' }, { jsonrpc: '2.0', id: 3, result: {} }, {
        jsonrpc: '2.0',
        method: 'tools/call',
        params: { name: 'x' },
      }]
    ) {
      const { status, text } = await post(client, body)
      expect([status, text]).toEqual([202, ''])
    }
  })

  it.each([
    ['a batch', [{ jsonrpc: '2.0', id: 1, method: 'ping' }], 400, -32600],
    ['an empty batch', [], 400, -32600],
    ['a message that is not JSON', '{"jsonrpc"', 400, -32700],
    ['another version', { jsonrpc: '1.0', id: 1, method: 'ping' }, 400, -32600],
    ['no method', { jsonrpc: '2.0', id: 1 }, 400, -32600],
    ['an id that is null', { jsonrpc: '2.0', id: null, method: 'ping' }, 400, -32600],
    ['an id that is a list', { jsonrpc: '2.0', id: [1], method: 'ping' }, 400, -32600],
    ['parameters that are a list', { jsonrpc: '2.0', id: 1, method: 'ping', params: [1] }, 400, -32600],
    ['a large message', { jsonrpc: '2.0', id: 1, method: 'x'.repeat(1_000_000) }, 413, -32000],
  ])('refuses %s', async (_what, body, status, code) => {
    const client = await serving(desk())
    const reply = await client.send('POST', '/mcp', { body, headers: { 'content-type': 'application/json' } })
    expect([reply.status, (reply.body as unknown as Rpc).error.code, (reply.body as unknown as { id: null }).id])
      .toEqual([status, code, null])
  })

  it('refuses unknown methods, tools and cursors with the id of the message', async () => {
    const client = await serving(desk())
    expect((await rpc(client, 'resources/list')).error).toEqual({
      code: -32601,
      message: 'The method resources/list is not supported',
    })
    expect((await rpc(client, 'constructor')).error.code).toBe(-32601)
    expect((await rpc(client, 'tools/list', { cursor: 'x' })).error.code).toBe(-32602)
    for (const name of ['nothing', 'fileOpen', 'openapi', undefined, 7]) {
      expect((await rpc(client, 'tools/call', { name })).error.code)
        .toBe(-32602)
    }
  })

  it('accepts POST only, without sessions and streams', async () => {
    const client = await serving(desk())
    for (const method of ['GET', 'DELETE', 'PUT', 'OPTIONS']) {
      const { status, headers } = await client.send(method, '/mcp', { headers: { accept: 'text/event-stream' } })
      expect([method, status, headers.get('allow')]).toEqual([method, 405, 'POST'])
    }
    const { headers } = await post(client, { jsonrpc: '2.0', id: 1, method: 'ping' })
    expect([headers.get('mcp-session-id'), headers.get('cache-control')]).toEqual([null, 'no-store'])
    expect((await client.send('POST', '/mcp/other', { body: {} })).status).toBe(404)
    expect(
      (await client.send('POST', '/mcp', {
        body: 'a=1',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      }))
        .status,
    )
      .toBe(415)
    expect((await post(client, { jsonrpc: '2.0', id: 1, method: 'ping' }, undefined, { accept: 'text/html' })).status)
      .toBe(406)
  })

  it('accepts messages only from allowed origins, whatever the host', async () => {
    const client = await serving(desk({ allowedOrigins: ['https://agent.example.com', 'vscode-webview://id'] }))
    const ping = { jsonrpc: '2.0', id: 1, method: 'ping' }
    for (const origin of ['https://agent.example.com', 'vscode-webview://id']) {
      expect((await post(client, ping, undefined, { origin })).status)
        .toBe(200)
    }
    for (
      const origin of [
        'https://evil.example.com',
        client.url,
        'null',
        'https://agent.example.com.evil.test',
        'http://agent.example.com',
      ]
    ) {
      expect([origin, (await post(client, ping, undefined, { origin })).status]).toEqual([origin, 403])
    }
    const strict = await serving(desk())
    expect((await post(strict, ping, undefined, { origin: strict.url })).status).toBe(403)
    expect((await strict.send('GET', '/mcp', { headers: { origin: strict.url } })).status).toBe(403)
  })

  it('accepts a body that an earlier parser has read', async () => {
    const client = await serving(desk({}, (app) => app.use(express.json())))
    expect((await rpc(client, 'ping')).result).toEqual({})
  })
})

describe('the list of tools', () => {
  it('contains the GET actions of marked resources and marked actions that the caller may use', async () => {
    const client = await serving(desk())
    expect(await namesOf(client)).toEqual(['helloOpen'])
    expect(await namesOf(client, 'no token')).toEqual(['helloOpen'])
    expect(await namesOf(client, await tokenOf(3, 'reader'))).toEqual(['helloOpen', 'listNotes', 'showNote'])
    expect(await namesOf(client, await tokenOf(1, 'author'))).toEqual([
      'change_note',
      'createNote',
      'deleteNote',
      'helloOpen',
      'listNotes',
      'showNote',
    ])
    expect(await namesOf(client, await tokenOf(1, 'nobody'))).toEqual(['helloOpen'])
  })

  it('runs no handler to find out the permissions of a caller', async () => {
    const ran: string[] = []
    const app = express()
    app.use('/mcp', mcpRouter(app, server))
    mountResource(app, {
      route: '/things',
      name: 'things',
      use: (req, _res, next) => {
        ran.push(`use ${req.method}`)
        next()
      },
      handlers: {
        show: { tool: true, handler: () => ran.push('show') },
        delete: { tool: true, handler: () => ran.push('delete') },
      },
    })
    const client = await serving(app)
    expect(await namesOf(client)).toEqual(['deleteThing', 'showThing'])
    expect(ran).toEqual([])
    await call(client, 'deleteThing', { id: 1 })
    expect(ran).toEqual(['use DELETE', 'delete'])
  })

  it('omits a tool whose path another handler answers, without running that handler', async () => {
    let deleted = 0
    const app = express()
    app.use('/mcp', mcpRouter(app, server))
    app.delete('/things/:id', (_req, res) => {
      deleted++
      res.end()
    })
    app.use('/opaque', express().use((_req, res) => void res.end()))
    mountResource(app, {
      route: '/things',
      name: 'things',
      handlers: { show: { tool: true, handler: () => null }, delete: { tool: true, handler: () => null } },
    })
    expect(await namesOf(await serving(app))).toEqual(['showThing'])
    expect(deleted).toBe(0)
  })

  it('includes tools below a path argument that middleware resolves', async () => {
    const app = express()
    app.use('/mcp', mcpRouter(app, server))
    const team = Router({ mergeParams: true })
    mountResource(team, { route: '/things', name: 'things', tool: true, handlers: { list: () => [] } })
    app.use('/teams/:team', (req, res, next) => {
      if (req.params.team === 'red') next()
      else res.status(404).end()
    }, team)
    const client = await serving(app)
    expect(await namesOf(client)).toEqual(['listThings'])
    expect((await call(client, 'listThings', { team: 'red' })).structuredContent.data).toEqual([])
    expect(await call(client, 'listThings', { team: 'blue' })).toMatchObject({ isError: true })
  })

  it('omits tools whose permission cannot be determined', async () => {
    const app = express()
    app.use('/mcp', mcpRouter(app, server))
    app.use(
      auth('x', { verify: () => ({ id: 1 }) }),
      permission('x', { allows: () => Promise.reject(new Error('down')) }),
    )
    mountResource(app, { app: 'x', route: '/things', name: 'things', tool: true, handlers: { list: () => [] } })
    app.use(errorHandler({ log: () => undefined }))
    expect(await namesOf(await serving(app))).toEqual([])
  })

  it('describes each tool with schemas without references, a title and hints', async () => {
    const client = await serving(desk())
    const tools = await toolsOf(client, await tokenOf(1, 'author'))
    expect(tools.get('change_note')).toEqual({
      name: 'change_note',
      title: 'Change one note',
      description: 'Changes a note of your own.',
      inputSchema: {
        type: 'object',
        additionalProperties: false,
        required: ['id'],
        properties: {
          title: { type: 'string' },
          id: { type: 'integer' },
          ifMatch: { type: 'string', description: expect.any(String) as string },
        },
      },
      outputSchema: {
        type: 'object',
        required: ['code', 'message', 'data', 'meta'],
        properties: {
          code: { type: 'integer', minimum: 200, maximum: 299 },
          message: { type: 'string' },
          etag: { type: 'string', description: 'The version of this record, for `ifMatch`' },
          meta: expect.objectContaining({ type: 'object' }) as object,
          data: {
            type: 'object',
            required: ['id', 'title', 'ownerId'],
            properties: { id: { type: 'integer' }, title: { type: 'string' }, ownerId: { type: 'integer' } },
          },
        },
      },
      annotations: {
        readOnlyHint: false,
        destructiveHint: true,
        idempotentHint: false,
        openWorldHint: false,
      },
    })
    expect(JSON.stringify([...tools])).not.toContain('$ref')
    const hints = (name: string): unknown => {
      const { readOnlyHint, destructiveHint, idempotentHint } = tools.get(name)?.annotations ?? {}
      return [readOnlyHint, destructiveHint, idempotentHint]
    }
    expect([hints('listNotes'), hints('createNote'), hints('deleteNote')]).toEqual([[true, false, true], [
      false,
      false,
      false,
    ], [false, true, true]])
    expect(tools.get('helloOpen')?.inputSchema).toEqual({
      type: 'object',
      properties: { name: { type: 'string' } },
      required: ['name'],
      additionalProperties: false,
    })
  })

  it('keeps recursive schemas and open bodies, and joins the variants of a union', async () => {
    const Tree = z.object({ value: z.int(), get kids() {
      return z.array(Tree)
    } })
    const app = express()
    app.use('/mcp', mcpRouter(app, server))
    mountRoutes(app, {
      route: '/x',
      name: 'x',
      routes: {
        tree: {
          route: '/tree',
          tool: true,
          output: Tree,
          handler: () => ({ value: 1, kids: [{ value: 2, kids: [] }] }),
        },
        union: {
          methods: 'POST',
          route: '/union',
          tool: true,
          input: z.union([z.object({ a: z.int() }), z.object({ b: z.string() })]),
          handler: (_req, _res, args) => args,
        },
        open: { methods: 'POST', route: '/open', tool: true, handler: (req) => req.body as object },
        gone: {
          methods: 'DELETE',
          route: '/gone',
          tool: true,
          status: 204,
          handler: (_req, res) => void res.status(204).end(),
        },
        names: {
          methods: 'POST',
          route: '/names',
          tool: true,
          input: z.object({ discriminator: z.string(), $ref: z.string(), type: z.string() }),
          handler: (_req, _res, args) => args,
        },
      },
    })
    app.use(errorHandler({ log: () => undefined }))
    const client = await serving(app)
    const tools = await toolsOf(client)
    const { properties, $defs } = tools.get('treeX')?.outputSchema ?? {}
    expect(properties?.data?.properties?.kids?.items).toEqual({ $ref: '#/$defs/Schema1' })
    expect($defs?.Schema1?.properties?.kids?.items).toEqual({ $ref: '#/$defs/Schema1' })
    expect(tools.get('unionX')?.inputSchema).toEqual({
      type: 'object',
      properties: { a: { type: 'integer' }, b: { type: 'string' } },
      additionalProperties: false,
    })
    expect((await call(client, 'unionX', { b: 'x' })).structuredContent.data).toEqual({ b: 'x' })
    expect(tools.get('openX')?.inputSchema).toEqual({ type: 'object', properties: {} })
    expect(tools.get('goneX')).not.toHaveProperty('outputSchema')
    expect(tools.get('namesX')?.inputSchema.properties).toEqual({
      discriminator: { type: 'string' },
      $ref: { type: 'string' },
      type: { type: 'string' },
    })
    expect((await call(client, 'openX', { deep: { list: [1, null] } })).structuredContent.data).toEqual({
      deep: { list: [1, null] },
    })
    expect(await call(client, 'goneX')).toEqual({ content: [{ type: 'text', text: '' }] })
    expect((await call(client, 'namesX', { discriminator: 'd', $ref: 'r', type: 't' })).structuredContent.data).toEqual(
      { discriminator: 'd', $ref: 'r', type: 't' },
    )
    expect((await call(client, 'treeX')).structuredContent.data?.kids).toEqual([{ value: 2, kids: [] }])
  })

  it('includes routes that are mounted later', async () => {
    const app = express()
    app.use('/mcp', mcpRouter(app, server))
    const client = await serving(app)
    expect(await namesOf(client)).toEqual([])
    resource(app, '/late').tool().list(() => [])
    expect(await namesOf(client)).toEqual(['listLate'])
  })
})

describe('a tool call', () => {
  it('gets the reply of HTTP for every kind of caller', async () => {
    const client = await serving(desk())
    const [anonymous, reader, first, second] = [
      undefined,
      await tokenOf(9, 'reader'),
      await tokenOf(1, 'author'),
      await tokenOf(2, 'author'),
    ]
    const cases = [
      ['listNotes', { limit: 1, sort: '-title' }, 'GET', '/desk/notes?limit=1&sort=-title', undefined],
      ['listNotes', { ids: [2, 1] }, 'GET', '/desk/notes?ids=2,1', undefined],
      ['listNotes', { limit: 0 }, 'GET', '/desk/notes?limit=0', undefined],
      ['listNotes', { nonsense: 1 }, 'GET', '/desk/notes?nonsense=1', undefined],
      ['showNote', { id: 1 }, 'GET', '/desk/notes/1', undefined],
      ['showNote', { id: 99 }, 'GET', '/desk/notes/99', undefined],
      ['showNote', { id: 'x' }, 'GET', '/desk/notes/x', undefined],
      ['change_note', { id: 1, title: 'Changed' }, 'PATCH', '/desk/notes/1', { title: 'Changed' }],
      ['change_note', { id: 2, title: 7 }, 'PATCH', '/desk/notes/2', { title: 7 }],
      ['createNote', {}, 'POST', '/desk/notes', {}],
    ] as const
    for (const token of [anonymous, reader, first, second]) {
      for (const [name, args, method, path, body] of cases) {
        const { content, structuredContent, isError } = await call(client, name, args, token)
        const { status, text, headers } = await client.send(method, path, { token, body })
        const tag = headers.get('etag')
        const etag = status < 300 && tag?.startsWith('"') ? { etag: tag } : {}
        const expected = { ...JSON.parse(text), ...etag } as object
        expect([name, args, content]).toEqual([name, args, [{ type: 'text', text: JSON.stringify(expected) }]])
        expect([structuredContent, isError]).toEqual(status < 300 ? [expected, undefined] : [undefined, true])
      }
    }
    expect(textOf(await call(client, 'change_note', { id: 2, title: 'Mine' }, first))).toContain('note.not_yours')
  })

  it('passes the cookies, the address and the language of the caller', async () => {
    const app = express()
    app.set('trust proxy', true)
    app.use('/mcp', mcpRouter(app, server))
    mountRoutes(app, {
      route: '/who',
      name: 'who',
      routes: {
        am: {
          route: '',
          tool: true,
          handler: (req) => ({
            ip: req.ip,
            cookie: req.headers.cookie,
            host: req.hostname,
            protocol: req.protocol,
            language: req.headers['accept-language'],
            agent: req.headers['x-other'] ?? null,
          }),
        },
      },
    })
    const client = await serving(app)
    const headers = {
      cookie: 'session=1',
      'x-forwarded-for': '203.0.113.9',
      'x-forwarded-proto': 'https',
      'accept-language': 'de',
      'x-other': 'not forwarded',
      accept: ACCEPT,
    }
    const { body } = await client.send('POST', '/mcp', {
      body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'amWho' } },
      headers,
    })
    expect((body as unknown as Rpc<ResultJson>).result.structuredContent.data)
      .toEqual({
        ip: '203.0.113.9',
        cookie: 'session=1',
        host: '127.0.0.1',
        protocol: 'https',
        language: 'de',
        agent: null,
      })
  })

  it('is answered by the path of the request that brought it', async () => {
    const app = express()
    app.use('/mcp', mcpRouter(app, server))
    const fast = (req: Request): boolean => isFast(req)
    mountRoutes(app, { route: '/path', name: 'path', routes: { fast: { route: '', tool: true, handler: fast } } })
    const seenUnder = async (options: { readonly fast: boolean }): Promise<unknown> => {
      const started = await serve(app, { ...options, port: 0, host: '127.0.0.1', signals: false })
      const result = await call(clientOf(started.url, started.server as never), 'fastPath')
      await started.close()
      return result.structuredContent.data
    }
    expect(await seenUnder({ fast: true })).toBe(IS_FAST)
    expect(await seenUnder({ fast: false })).toBe(false)
  })

  it('passes through everything in front of a route, even if only a part of the app was given', async () => {
    const app = express()
    const api = express()
    app.use(auth('x', { secret: SECRET }))
    api.use('/mcp', mcpRouter(api, server))
    mountResource(api, { route: '/things', name: 'things', tool: true, handlers: { list: () => ['secret'] } })
    app.use('/api', api)
    app.use(errorHandler({ log: () => undefined }))
    const client = await serving(app)
    const token = await issueToken('x', { id: 1 }, { secret: SECRET })
    const send = (bearer?: string) =>
      client.send('POST', '/api/mcp', {
        token: bearer,
        body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'listThings' } },
      })
    expect((await send()).status).toBe(401)
    expect(((await send(token)).body as unknown as Rpc<ResultJson>).result.structuredContent.data).toEqual(['secret'])
  })

  it('returns the version of a record, and takes it as the condition of a change', async () => {
    const client = await serving(desk())
    const token = await tokenOf(1, 'author')
    const shown = await call(client, 'showNote', { id: 1 }, token)
    const { etag } = shown.structuredContent as unknown as { readonly etag: string }
    expect([etag, JSON.parse(textOf(shown))]).toEqual([expect.stringMatching(/^".+"$/), shown.structuredContent])
    const change = (ifMatch: string) => call(client, 'change_note', { id: 1, title: 'x', ifMatch }, token)
    const changed = await change(etag)
    expect(changed.structuredContent).toMatchObject({ code: 200, etag: expect.not.stringContaining(etag) as string })
    expect(textOf(await change(etag))).toContain('"code":412')
    expect(textOf(await call(client, 'change_note', { id: 1, title: 'x', 'If-Match': etag }, token))).toContain(
      '"code":412',
    )
    expect((await change('*')).structuredContent.code).toBe(200)
    expect(textOf(await change('a\nb'))).toMatch(/^The arguments are not valid/)
  })

  it('takes the list of a wildcard as it is declared', async () => {
    const app = express()
    app.use('/mcp', mcpRouter(app, server))
    const input = z.object({ path: z.array(z.string()) })
    const read = { route: '/:kind/*path', tool: true, input,
      handler: (_req: Request, _res: Response, { path }: object & { path: string[] }) => path }
    mountRoutes(app, { route: '/files', name: 'files', routes: { read } })
    const client = await serving(app)
    const schema = (await toolsOf(client)).get('readFile')?.inputSchema
    expect(schema?.properties).toMatchObject({
      kind: { type: 'string' },
      path: { type: 'array', items: { type: 'string' }, minItems: 1 },
    })
    const { structuredContent } = await call(client, 'readFile', { kind: 'a', path: ['b', 'c d'] })
    expect(structuredContent.data).toEqual(['b', 'c d'])
  })

  it('has no argument for `If-None-Match`, and none called `ifMatch` where a field of the body is', async () => {
    const app = express()
    app.use('/mcp', mcpRouter(app, server))
    const header = { description: 'The version' }
    mountRoutes(app, {
      route: '/x',
      name: 'x',
      routes: {
        read: { route: '/read', tool: true, requestHeaders: { 'If-None-Match': header }, handler: () => null },
        change: {
          methods: 'POST',
          route: '/change',
          tool: true,
          input: z.object({ ifMatch: z.string() }),
          requestHeaders: { 'If-Match': header },
          handler: (req, _res, { ifMatch }) => ({ ifMatch, header: req.headers['if-match'] }),
        },
      },
    })
    const client = await serving(app)
    const tools = await toolsOf(client)
    expect(tools.get('readX')?.inputSchema.properties).toEqual({})
    expect(Object.keys(tools.get('changeX')?.inputSchema.properties ?? {})).toEqual(['ifMatch', 'If-Match'])
    expect((await call(client, 'changeX', { ifMatch: 'a', 'If-Match': '"b"' })).structuredContent.data)
      .toEqual({ ifMatch: 'a', header: '"b"' })
  })

  it.each([
    [{}],
    [{ name: '' }],
    [{ name: '..' }],
  ])('refuses path arguments that would name another path: %j', async (args) => {
    const result = await call(await serving(desk()), 'helloOpen', args)
    expect(result).toMatchObject({
      isError: true,
      content: [{ text: expect.stringMatching(/^The arguments are not valid/) as string }],
    })
  })

  it.each([
    ['showThing', { id: [1, 'secrets'] }, /^The arguments are not valid: showThing needs id/],
    ['showThing', { id: { a: 1 } }, /^The arguments are not valid/],
    ['deleteThing', { id: [] }, /^The arguments are not valid/],
    ['deleteThing', { id: [2, 'purge'] }, /^The arguments are not valid/],
    ['fileThings', { path: [] }, /^The arguments are not valid/],
    ['fileThings', { path: ['a', '..', 'b'] }, /^The arguments are not valid/],
    ['showThing', { id: 'secrets' }, /^These arguments do not reach this tool/],
    ['showThing', { id: 'SECRETS' }, /^These arguments do not reach this tool/],
    ['showThing', { id: 'by-hand' }, /^These arguments do not reach this tool/],
    ['fileThings', { path: ['private', 'x'] }, /^These arguments do not reach this tool/],
    ['showThing', { id: 'metrics' }, /^These arguments do not reach this tool/],
    ['showThing', { id: 'METRICS' }, /^These arguments do not reach this tool/],
    ['fileThings', { path: ['a', 'metrics'] }, /^These arguments do not reach this tool/],
    ['fileThings', { path: ['by-pattern'] }, /^These arguments do not reach this tool/],
  ])('reaches no route but that of its tool: %s %j', async (tool, args, text) => {
    const reached: string[] = []
    const app = express()
    app.use('/mcp', mcpRouter(app, server))
    const reach = (req: Request, res: Response): void => {
      reached.push(`${req.method} ${req.url}`)
      res.end()
    }
    app.use('/things/metrics', reach)
    app.use(['/elsewhere', '/things/files/:folder/metrics'], reach)
    app.use(/^\/things\/files\/by-pattern/, reach)
    app.get('/things/by-hand', reach)
    app.get('/things/files/private/*rest', reach)
    app.delete('/things/2/purge', reach)
    mountResource(app, {
      route: '/things',
      name: 'things',
      custom: {
        secrets: { methods: ['GET'], route: '/secrets', handler: reach },
        below: { methods: ['GET'], route: '/:id/secrets', handler: reach },
        file: { methods: ['GET'], route: '/files/*path', tool: true, handler: reach },
      },
      handlers: {
        show: { tool: true, handler: reach },
        delete: { tool: true, handler: reach },
        deleteMany: reach,
      },
    })
    const client = await serving(app)
    const result = await call(client, tool, args)
    expect([reached, result]).toEqual([[], {
      isError: true,
      content: [{ type: 'text', text: expect.stringMatching(text) as string }],
    }])
  })

  it('passes functions that are mounted for all arguments of its tool', async () => {
    const passed: string[] = []
    const pass = (name: string): RequestHandler => (_req, _res, next) => {
      passed.push(name)
      next()
    }
    const app = express()
    app.use('/mcp', mcpRouter(app, server))
    app.use(/\/things/, pass('pattern'))
    app.use('/things/:any', pass('argument'))
    app.use('/things/files/:folder/:file', pass('two arguments'))
    app.use('/things/2', pass('another one'))
    mountResource(app, {
      route: '/things',
      name: 'things',
      custom: { file: { methods: ['GET'], route: '/files/*path', tool: true, handler: () => passed.push('file') } },
      handlers: { show: { tool: true, handler: () => passed.push('show') } },
    })
    const client = await serving(app)
    await call(client, 'showThing', { id: 1 })
    await call(client, 'fileThings', { path: ['a', 'b'] })
    expect(passed).toEqual(['pattern', 'argument', 'show', 'pattern', 'argument', 'two arguments', 'file'])
  })

  it('does not reach the tool of another Router with the same name', async () => {
    const reached: string[] = []
    const app = express()
    app.use('/mcp', mcpRouter(app, server))
    for (const path of ['/inner', '/:tenant']) {
      const router = Router({ mergeParams: true })
      const list = { tool: path === '/:tenant', handler: () => reached.push(path) }
      mountResource(router, { route: '/things', name: 'things', handlers: { list } })
      app.use(path, router)
    }
    const client = await serving(app)
    expect(await call(client, 'listThings', { tenant: 'inner' })).toMatchObject({ isError: true })
    expect(await call(client, 'listThings', { tenant: 'outer' })).not.toHaveProperty('isError')
    expect(reached).toEqual(['/:tenant'])
  })

  it('ends with 404 where middleware sends its request to another route', async () => {
    const reached: string[] = []
    const app = express()
    app.use('/mcp', mcpRouter(app, server))
    app.use((req, _res, next) => {
      if (req.url === '/things/7') req.url = '/secrets'
      if (req.query._method === 'DELETE') req.method = 'DELETE'
      next()
    })
    mountRoutes(app, {
      route: '',
      name: 'x',
      routes: {
        thing: { route: '/things/:id', tool: true, handler: () => reached.push('thing') },
        drop: { methods: 'DELETE', route: '/things/:id', handler: () => reached.push('drop') },
        secrets: { route: '/secrets', handler: () => reached.push('secrets') },
      },
    })
    app.use(errorHandler({ log: () => undefined }))
    const client = await serving(app)
    for (const args of [{ id: 7 }, { id: 8, _method: 'DELETE' }]) {
      expect(textOf(await call(client, 'thingX', args))).toContain('"code":404')
    }
    expect(reached).toEqual([])
    await call(client, 'thingX', { id: 8 })
    expect(reached).toEqual(['thing'])
  })

  it('encodes a path argument as one segment', async () => {
    const client = await serving(desk())
    expect((await call(client, 'helloOpen', { name: '../desk/notes?x=#' })).structuredContent.data).toEqual({
      hello: '../desk/notes?x=#',
    })
    expect(await call(client, 'helloOpen', [] as never)).toMatchObject({ isError: true })
  })

  it('refuses a reply over the size limit', async () => {
    const client = await serving(desk({ maxResultBytes: 120 }))
    const token = await tokenOf(1, 'author')
    const large = await call(client, 'listNotes', {}, token)
    expect(large).toEqual({
      isError: true,
      content: [{
        type: 'text',
        text: 'The reply has more than 120 bytes. Ask for less: fewer records at once, or a filter.',
      }],
    })
    expect((await call(client, 'showNote', { id: 1 }, token)).structuredContent.data?.id).toBe(1)
  })

  it('reports a reply that breaks off, and has one that is not JSON as data', async () => {
    const app = express()
    app.use('/mcp', mcpRouter(app, server))
    mountRoutes(app, {
      route: '/x',
      name: 'x',
      tool: true,
      routes: {
        breaks: { route: '/breaks', handler: (_req, res) => {
          res.write('a')
          res.destroy()
        } },
        text: { route: '/text', handler: (_req, res) => void res.send('hello') },
        fails: { route: '/fails', handler: () => {
          throw new Error('secret')
        } },
      },
    })
    app.use(errorHandler({ log: () => undefined }))
    const client = await serving(app)
    expect(await call(client, 'breaksX')).toEqual({
      isError: true,
      content: [{ type: 'text', text: 'The reply broke off.' }],
    })
    const text = { code: 200, message: 'OK', data: 'hello', meta: {} }
    expect(await call(client, 'textX')).toEqual({
      content: [{ type: 'text', text: JSON.stringify(text) }],
      structuredContent: text,
    })
    const failed = await call(client, 'failsX')
    expect([failed.isError, textOf(failed)]).toEqual([true, expect.stringContaining('"code":500')])
    expect(textOf(failed)).not.toContain('secret')
  })

  it('is aborted when the agent disconnects', async () => {
    const app = express()
    const controller = new AbortController()
    app.use('/mcp', mcpRouter(app, server))
    const ended = new Promise<void>((resolve) => {
      const handler = async (_req: Request, res: Response): Promise<void> => {
        controller.abort()
        await once(res, 'close')
        resolve()
      }
      mountRoutes(app, { route: '/x', name: 'x', tool: true, routes: { waits: { route: '', handler } } })
    })
    const client = await serving(app)
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'waitsX' } })
    const pending = fetch(`${client.url}/mcp`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
      signal: controller.signal,
    })
    await expect(pending).rejects.toThrow()
    await ended
  })
})

describe('the option `tool`', () => {
  const mount = (more: object, tool?: unknown) => () =>
    mountResource(
      Router(),
      {
        route: '/a',
        name: 'a',
        ...(tool !== undefined && { tool }),
        handlers: { show: { handler: () => null, ...more } },
      } as never,
    )

  it.each([
    [{}, 'yes'],
    [{}, { name: 'x' }],
    [{ tool: 'x' }],
    [{ tool: { name: 'with space' } }],
    [{ tool: { name: '' } }],
    [{ tool: { name: 'a.b' } }],
    [{ tool: { name: 'x'.repeat(65) } }],
    [{ tool: { description: 7 } }],
    [{ tool: { title: 'x' } }],
    [{ tool: true, produces: 'text/csv' }],
  ])('is validated: %j %j', (more, tool?: unknown) => {
    expect(mount(more, tool)).toThrow(expect.objectContaining({ code: 'tool_invalid' }))
  })

  it('is refused for uploads', () => {
    const upload = { methods: ['POST'], route: '/up', files: { file: {} }, tool: true, handler: () => null }
    expect(() => mountResource(Router(), { route: '/a', name: 'a', actions: false, custom: { upload } } as never))
      .toThrow(expect.objectContaining({ code: 'tool_invalid' }))
  })

  it('is not shown in lists of routes', () => {
    expect(routesOf(desk())[0]).not.toHaveProperty('tool')
  })
})

describe('sign-in', () => {
  const keys = { keys: [] }
  /** Creates an app whose tools all need a token of an identity provider, or of a secret. */
  const closed = (options: Partial<McpOptions> = {}, isSecret = false): Express => {
    const app = express()
    app.use('/mcp', mcpRouter(app, { ...server, ...options }))
    const source = isSecret
      ? { secret: SECRET }
      : { jwks: keys, issuer: 'https://id.example.com/', audience: 'desk' }
    app.use(auth('desk', source))
    mountResource(app,
      { app: 'desk', route: '/notes', name: 'notes', tool: true, auth: true, can: false,
        handlers: { list: () => [1] } } as never)
    app.use(errorHandler({ log: () => undefined }))
    return app
  }
  const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' }

  it('is required by a 401 that names the metadata, where no tool is public', async () => {
    const client = await serving(closed())
    const metadata = `${client.url}/.well-known/oauth-protected-resource/mcp`
    for (const method of ['initialize', 'tools/list', 'ping']) {
      const reply = await post(client, { ...list, method })
      expect([reply.status, reply.headers.get('www-authenticate'), reply.body]).toEqual([
        401,
        `Bearer resource_metadata="${metadata}"`,
        { jsonrpc: '2.0', id: 1, error: { code: -32000, message: 'Sign in: the token is missing or not valid' } },
      ])
    }
    const stale = await post(client, list, 'stale.token.x')
    expect([stale.status, stale.headers.get('www-authenticate')]).toEqual([
      401,
      `Bearer error="invalid_token", resource_metadata="${metadata}"`,
    ])
    const { body, headers } = await client.send('GET', '/.well-known/oauth-protected-resource/mcp')
    expect([body, headers.get('access-control-allow-origin')]).toEqual([{
      resource: `${client.url}/mcp`,
      authorization_servers: ['https://id.example.com/'],
      bearer_methods_supported: ['header'],
      resource_name: 'notes',
    }, '*'])
    expect((await client.send('GET', '/.well-known/oauth-protected-resource')).body).toMatchObject({
      resource: client.url,
      authorization_servers: ['https://id.example.com/'],
    })
  })

  it('is not asked of a caller with a valid token, nor where a tool is public', async () => {
    const client = await serving(closed({}, true))
    expect((await post(client, list)).status).toBe(401)
    expect(await namesOf(client, await tokenOf(1, 'x'))).toEqual(['listNotes'])
    expect((await client.send('GET', '/.well-known/oauth-protected-resource/mcp')).body)
      .not.toHaveProperty('authorization_servers')
    expect((await post(await serving(desk()), list, 'stale.token.x')).status).toBe(200)
    expect((await post(await serving(express().use('/mcp', mcpRouter(express(), server))), list)).status).toBe(200)
  })

  it('is at the servers of the option, and at the path of an app inside of another', async () => {
    const authorizationServers = ['https://login.example.com']
    const client = await serving(express().use('/api', closed({ authorizationServers })))
    const challenge = (await client.send('POST', '/api/mcp', { body: list })).headers.get('www-authenticate')
    const url = /resource_metadata="([^"]+)"/.exec(String(challenge))?.[1]
    expect(url).toBe(`${client.url}/api/.well-known/oauth-protected-resource/mcp`)
    expect((await client.send('GET', new URL(String(url)).pathname)).body).toMatchObject({
      resource: `${client.url}/api/mcp`,
      authorization_servers: authorizationServers,
    })
  })
})

describe('the list of tools behind guards', () => {
  /** Serves ten resources with five tools each, and counts the callers that were loaded. */
  const guarded = async (allows: (name: string | undefined, method: string | undefined) => boolean) => {
    const loaded: unknown[] = []
    const app = express()
    app.use('/mcp', mcpRouter(app, server))
    const router = Router()
    router.use(
      auth('desk', { secret: SECRET, load: (claims) => {
        loaded.push(claims.id)
        return claims
      } }),
      permission('desk', { allows: async (_caller, id, { route }) => {
        await new Promise(setImmediate)
        expect(id).toBe(route?.name)
        return allows(route?.name, route?.method)
      } }),
    )
    for (let index = 0; index < 10; index++) {
      mountResource(router, { app: 'desk', route: `/notes${index}`, name: `notes${index}`, tool: true,
        ...crud(notes(), { input: Note.pick({ title: true }), output: Note, sort: ['title'], ifMatch: 'optional',
          perAction: { create: { tool: true }, store: { tool: true }, delete: { tool: true } } }) })
    }
    app.use('/desk', router, errorHandler({ log: () => undefined }))
    const client = await serving(app)
    return { loaded, names: async (token?: string) => (token === undefined ? [] : await namesOf(client, token)),
      client }
  }

  it('asks the guards once for each resource, about each of its routes', async () => {
    const { loaded, names } = await guarded((name) => name !== 'desk.notes3.create')
    const found = await names(await tokenOf(1, 'any'))
    expect(found).toContain('createNotes4')
    expect(found).not.toContain('createNotes3')
    expect(found).toContain('deleteNotes3')
    // One more request asks whether the credentials are known.
    expect(loaded.length).toBeLessThanOrEqual(11)
  })

  it('offers what a caller may write who may not read', async () => {
    const { names } = await guarded((_name, method) => method === 'POST')
    const found = await names(await tokenOf(1, 'any'))
    expect(found).toHaveLength(10)
    expect(found).toContain('createNotes0')
  })

  it('offers nothing to a caller without permissions, and asks once for one whose token is not valid', async () => {
    const { loaded, names, client } = await guarded(() => false)
    expect(await names(await tokenOf(1, 'any'))).toEqual([])
    loaded.length = 0
    expect((await post(client, { jsonrpc: '2.0', id: 1, method: 'tools/list' }, 'nothing')).status).toBe(401)
    expect(loaded).toEqual([])
  })

  it('does not offer what other middleware refuses for a path or a method', async () => {
    const app = express()
    app.use('/mcp', mcpRouter(app, server))
    app.use(auth('desk', { secret: SECRET }), permission('desk'))
    app.use('/notes/:id', (_req, res) => void res.status(403).end())
    mountResource(app, { app: 'desk', route: '/notes', name: 'notes', tool: true,
      ...crud(notes(), { input: Note.pick({ title: true }), output: Note, sort: ['title'] }) })
    const token = await issueToken('desk', { id: 1, permissions: ['*'] }, { secret: SECRET })
    expect(await namesOf(await serving(app), token)).toEqual(['listNotes'])
  })

  it('offers no tool for which `allows` fails, and those beside it', async () => {
    const { names } = await guarded((name) => {
      if (name === 'desk.notes0.show') throw new Error('The service of permissions is down')
      return true
    })
    const found = await names(await tokenOf(1, 'any'))
    expect(found).not.toContain('showNotes0')
    expect(found).toContain('createNotes0')
  })
})

describe('a server of 200 tools', () => {
  const many = (options: Partial<McpOptions> = {}): Express => {
    const app = express()
    app.use('/mcp', mcpRouter(app, { ...server, ...options }))
    for (let index = 0; index < 40; index++) {
      mountResource(app, {
        route: `/notes${index}`,
        name: `notes${index}`,
        ...crud(notes(), {
          input: Note.pick({ title: true }),
          output: Note,
          sort: ['title'],
          ifMatch: 'optional',
          perAction: {
            list: { tool: true },
            show: { tool: true },
            create: { tool: true },
            store: { tool: true },
            delete: { tool: true },
          },
        } as never),
      })
    }
    return app
  }

  it('lists them on pages, without a warning about listeners', async () => {
    const warnings: string[] = []
    const note = (warning: Error): void => void warnings.push(warning.name)
    process.on('warning', note)
    const client = await serving(many())
    const names = new Set<string>()
    let cursor: string | undefined
    let pages = 0
    do {
      const { result } = await rpc<{ readonly tools: readonly ToolJson[]; readonly nextCursor?: string }>(
        client,
        'tools/list',
        cursor === undefined ? {} : { cursor },
      )
      expect(result.tools).toHaveLength(100)
      for (const { name } of result.tools) names.add(name)
      cursor = result.nextCursor
      pages++
    } while (cursor !== undefined)
    await new Promise(setImmediate)
    process.off('warning', note)
    expect([names.size, pages, warnings]).toEqual([200, 2, []])
  })

  it('has them in less than 100 kB without the schemas of results, which calls still check', async () => {
    const client = await serving(many({ outputSchemas: false }))
    const first = await post(client, { jsonrpc: '2.0', id: 1, method: 'tools/list' })
    const { nextCursor } = (first.body as unknown as Rpc<{ readonly nextCursor: string }>).result
    const second = await post(client, { jsonrpc: '2.0', id: 1, method: 'tools/list', params: { cursor: nextCursor } })
    expect(first.text + second.text).not.toContain('outputSchema')
    expect(Buffer.byteLength(first.text + second.text)).toBeLessThan(100_000)
    expect((await call(client, 'showNotes7', { id: 1 })).structuredContent).toHaveProperty('etag')
  })
})

describe('pages of allowed origins', () => {
  it('may send messages and read replies', async () => {
    const client = await serving(desk({ allowedOrigins: ['https://agent.example.com'] }))
    const preflight = (origin: string) =>
      client.send('OPTIONS', '/mcp', {
        headers: {
          origin,
          'access-control-request-method': 'POST',
          'access-control-request-headers': 'authorization,content-type,mcp-protocol-version',
        },
      })
    const { status, headers } = await preflight('https://agent.example.com')
    expect([status, ...['origin', 'methods', 'headers'].map((name) => headers.get(`access-control-allow-${name}`))])
      .toEqual([204, 'https://agent.example.com', 'POST', 'authorization,content-type,mcp-protocol-version'])
    const refused = await preflight('https://evil.example.com')
    expect([refused.status, refused.headers.get('access-control-allow-origin')]).toEqual([403, null])
    const origin = 'https://agent.example.com'
    const reply = await post(client, { jsonrpc: '2.0', id: 1, method: 'ping' }, undefined, { origin })
    expect([
      reply.headers.get('access-control-allow-origin'),
      reply.headers.get('access-control-expose-headers'),
      reply.headers.get('vary'),
    ]).toEqual([origin, 'WWW-Authenticate', 'Origin'])
  })
})

describe('the schemas of all tools', () => {
  it('are objects at the top, which Anthropic, OpenAI and Gemini accept', async () => {
    const app = desk()
    const router = Router()
    const Cat = z.object({ kind: z.literal('cat'), lives: z.int() })
    const Dog = z.strictObject({ kind: z.literal('dog'), breed: z.string() })
    const bodies = {
      union: z.union([Cat, Dog]),
      discriminated: z.discriminatedUnion('kind', [Cat, Dog]),
      joined: z.intersection(Cat, z.object({ more: z.string().nullable() })),
      nested: z.union([z.discriminatedUnion('kind', [Cat, Dog]), z.object({ other: z.boolean() })]),
      loose: z.union([Cat, z.looseObject({ other: z.boolean() })]),
    }
    mountRoutes(router, {
      route: '/pets',
      name: 'pets',
      routes: Object.fromEntries(Object.entries(bodies).map(([name, input]) => [name, {
        methods: 'POST' as const,
        route: `/${name}`,
        tool: true,
        input,
        handler: (_req: Request, _res: Response, args: unknown) => args,
      }])) as never,
    })
    const outer = express()
    outer.use('/mcp', mcpRouter(outer, server))
    outer.use(router, errorHandler({ log: () => undefined }))
    for (const [one, token] of [[app, await tokenOf(1, 'author')], [outer, undefined]] as const) {
      const client = await serving(one)
      for (const { name, inputSchema } of (await toolsOf(client, token)).values()) {
        expect([name, Object.keys(inputSchema).filter((key) => /^(allOf|anyOf|oneOf|enum|not|\$ref)$/.test(key))])
          .toEqual([name, []])
        expect(inputSchema.type).toBe('object')
        expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/)
      }
    }
    const client = await serving(outer)
    const tools = await toolsOf(client)
    const schemaOf = (name: string): unknown => tools.get(name)?.inputSchema
    const kind = { anyOf: [expect.objectContaining({ const: 'cat' }), expect.objectContaining({ const: 'dog' })] }
    const either = { type: 'object', required: ['kind'], additionalProperties: false, properties: {
      kind,
      lives: { type: 'integer' },
      breed: { type: 'string' },
    } }
    expect([schemaOf('unionPets'), schemaOf('discriminatedPets')]).toEqual([either, either])
    expect(schemaOf('joinedPets')).toMatchObject({ required: ['kind', 'lives', 'more'], additionalProperties: false })
    expect(schemaOf('nestedPets')).not.toHaveProperty('required')
    expect(schemaOf('loosePets')).not.toHaveProperty('additionalProperties')
    expect((await call(client, 'unionPets', { kind: 'dog', breed: 'Collie' })).structuredContent.data)
      .toEqual({ kind: 'dog', breed: 'Collie' })
    expect(textOf(await call(client, 'unionPets', { kind: 'dog', lives: 9 }))).toContain('"code":422')
  })

  it('are refused when the app is served, where the name of a tool has more than 64 characters', async () => {
    const app = express()
    app.use('/mcp', mcpRouter(app, server))
    mountRoutes(app, {
      route: '/x',
      name: 'x',
      routes: { ['long'.repeat(20)]: { route: '/a', tool: true, handler: () => null } },
    })
    await expect(serve(app, { port: 0, host: '127.0.0.1', signals: false })).rejects.toMatchObject({
      code: 'mcp_tool_name',
    })
  })
})

describe('the options of mcpRouter', () => {
  it.each([
    [{ name: '' }],
    [{ version: 1 }],
    [{ maxResultBytes: 0 }],
    [{ maxResultBytes: '5' }],
    [{ allowedOrigins: '*' }],
    [{ allowedOrigins: ['*'] }],
    [{ allowedOrigins: ['https://a.test/'] }],
    [{ allowedOrigins: ['null'] }],
    [{ allowedOrigin: [] }],
    [{ outputSchemas: 'no' }],
    [{ authorizationServers: [] }],
    [{ authorizationServers: ['id.example.com'] }],
  ])('are validated: %j', (options) => {
    expect(() => mcpRouter(express(), { ...server, ...options } as never)).toThrow(
      expect.objectContaining({ code: 'mcp_option' }),
    )
  })

  it('require an app, since a Router does not know the middleware in front of it', () => {
    expect(() => mcpRouter(Router() as never, server)).toThrow(expect.objectContaining({ code: 'mcp_app' }))
  })

  it('are checked for duplicate tool names when the app is served', async () => {
    const app = express()
    app.use('/mcp', mcpRouter(app, server))
    const tool = { name: 'same' }
    mountResource(app, {
      route: '/a',
      name: 'a',
      handlers: {
        list: { tool, handler: () => [] },
        show: { tool, input: z.object({ id: param.int() }), handler: () => findOrFail(null) },
      },
    })
    await expect(serve(app, { port: 0, host: '127.0.0.1', signals: false })).rejects.toMatchObject({
      code: 'mcp_tool_name',
    })
    const errors: unknown[] = []
    const logged = express().use(app, errorHandler({ log: (error) => void errors.push(error) }))
    expect((await post(await serving(logged), { jsonrpc: '2.0', id: 1, method: 'tools/list' })).status).toBe(500)
    expect(errors).toEqual([expect.objectContaining({ code: 'mcp_tool_name' })])
  })
})
