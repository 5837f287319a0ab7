import express, { type Express } from 'express'
import { auth, errorHandler, issueToken, mountResource, mountRoutes } from 'resourcery'
import { mcpRouter } from 'resourcery/mcp'
import { describe, expect, it } from 'vitest'
import { serving, type Client, type Reply } from '../support/http.js'

const SECRET = 'a secret of the specs with enough bytes in it'
const VERSION = 'io.modelcontextprotocol/protocolVersion'
const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities'
const SERVER = { 'io.modelcontextprotocol/serverInfo': { name: 'greetings', version: '1.0.0' } }
const REVISIONS = ['2026-07-28', '2025-11-25', '2025-06-18']

function greetings(): Express {
  const app = express()
  app.use('/mcp', mcpRouter(app, { name: 'greetings', version: '1.0.0' }))
  mountRoutes(app, {
    route: '/',
    name: 'greetings',
    tool: true,
    routes: {
      hello: { tool: { name: 'hello' }, route: '/hello/:name', handler: (_req, _res, { name }) => ({ name }) },
    },
  })
  app.use(errorHandler({ log: () => undefined }))
  return app
}

interface Message {
  readonly method?: string
  readonly params?: object
  readonly meta?: Readonly<Record<string, unknown>>
  readonly headers?: Readonly<Record<string, string>>
  readonly token?: string
}

/** Sends a request of the newest revision, of which a test changes a part; a header `''` is left out. */
function ask(client: Client,
  { method = 'tools/list', params = {}, meta = {}, headers = {}, token }: Message): Promise<Reply>
{
  const name = (params as { readonly name?: string }).name
  const given = { 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': method,
    ...(name !== undefined && { 'Mcp-Name': name }) }
  const sent = Object.entries({ ...given, ...headers }).filter(([, value]) => value !== '')
  const _meta = { [VERSION]: '2026-07-28', [CAPABILITIES]: {}, ...meta }
  return client.send('POST', '/mcp', {
    body: { jsonrpc: '2.0', id: 5, method, params: { ...params, _meta } },
    headers: { accept: 'application/json, text/event-stream', ...Object.fromEntries(sent) },
    ...(token !== undefined && { token }),
  })
}

const outcome = ({ status, body }: Reply): unknown => {
  const { id, error } = body as unknown as { readonly id: number; readonly error?: { readonly code: number } }
  return [status, id, error?.code]
}

describe('the revision 2026-07-28 of the MCP protocol', () => {
  it('tells what the server is without anything before it', async () => {
    const client = await serving(greetings())
    const { status, body } = await ask(client, { method: 'server/discover' })
    expect([status, body]).toEqual([200, {
      jsonrpc: '2.0',
      id: 5,
      result: {
        resultType: 'complete',
        supportedVersions: REVISIONS,
        capabilities: { tools: {} },
        ttlMs: 60_000,
        cacheScope: 'private',
        _meta: SERVER,
      },
    }])
  })

  it('lists and calls tools with complete results', async () => {
    const client = await serving(greetings())
    expect((await ask(client, {})).body).toMatchObject({
      result: { resultType: 'complete', tools: [{ name: 'hello' }], ttlMs: 60_000, cacheScope: 'private',
        _meta: SERVER },
    })
    const { body } = await ask(client, { method: 'tools/call', params: { name: 'hello', arguments: { name: 'Ann' } } })
    expect(body).toMatchObject({
      result: { resultType: 'complete', structuredContent: { data: { name: 'Ann' } }, _meta: SERVER },
    })
    expect(body).not.toHaveProperty('result.ttlMs')
  })

  it.each<[string, Message, number]>([
    ['no header of the revision', { headers: { 'MCP-Protocol-Version': '' } }, -32020],
    ['another revision in the body', { meta: { [VERSION]: '2025-11-25' } }, -32020],
    ['an unknown revision in the body alone', { meta: { [VERSION]: '2099-01-01' } }, -32020],
    ['no method in the headers', { headers: { 'Mcp-Method': '' } }, -32020],
    ['another method in the headers', { headers: { 'Mcp-Method': 'tools/call' } }, -32020],
    ['another case of the method', { headers: { 'Mcp-Method': 'TOOLS/LIST' } }, -32020],
    ['no name in the headers', { method: 'tools/call', params: { name: 'hello' }, headers: { 'Mcp-Name': '' } },
      -32020],
    ['another name in the headers', { method: 'tools/call', params: { name: 'hello' }, headers: { 'Mcp-Name': 'x' } },
      -32020],
    [
      'a name that is badly encoded',
      { method: 'tools/call', params: { name: 'hello' }, headers: { 'Mcp-Name': '=?base64?aGVsbG8?=' } },
      -32020,
    ],
    ['no revision in the body', { meta: { [VERSION]: undefined } }, -32602],
    ['a revision that is no string', { meta: { [VERSION]: 7 } }, -32602],
    ['no capabilities', { meta: { [CAPABILITIES]: undefined } }, -32602],
  ])('refuses a request with %s', async (_what, message, code) => {
    const client = await serving(greetings())
    expect(outcome(await ask(client, message))).toEqual([400, 5, code])
  })

  it('reads a name that is encoded', async () => {
    const client = await serving(greetings())
    const params = { name: 'hello', arguments: { name: 'Ann' } }
    const headers = { 'Mcp-Name': '=?base64?aGVsbG8=?=' }
    expect((await ask(client, { method: 'tools/call', params, headers })).status).toBe(200)
  })

  it('names the revisions that are known, to a client of another one', async () => {
    const client = await serving(greetings())
    const reply = await ask(client, { meta: { [VERSION]: '2099-01-01' },
      headers: { 'MCP-Protocol-Version': '2099-01-01' } })
    expect([reply.status, reply.body]).toMatchObject([400, {
      id: 5,
      error: { code: -32022, data: { supported: REVISIONS, requested: '2099-01-01' } },
    }])
  })

  it('has no methods of earlier revisions, and earlier ones none of it', async () => {
    const client = await serving(greetings())
    for (const method of ['initialize', 'ping', 'logging/setLevel', 'subscriptions/listen', 'constructor']) {
      expect(outcome(await ask(client, { method }))).toEqual([404, 5, -32601])
    }
    const early = { jsonrpc: '2.0', id: 5, method: 'server/discover' }
    expect(outcome(await client.send('POST', '/mcp', { body: early }))).toEqual([200, 5, -32601])
  })

  it('is refused with 401 where each tool needs a sign-in', async () => {
    const app = express()
    app.use('/mcp', mcpRouter(app, { name: 'greetings', version: '1.0.0' }))
    app.use(auth('desk', { secret: SECRET }))
    mountResource(app, {
      app: 'desk',
      route: '/notes',
      name: 'notes',
      tool: true,
      can: false,
      handlers: { list: () => [1] },
    } as never)
    app.use(errorHandler({ log: () => undefined }))
    const client = await serving(app)
    const reply = await ask(client, { method: 'server/discover' })
    expect(outcome(reply)).toEqual([401, 5, -32000])
    expect(reply.headers.get('www-authenticate')).toContain('/.well-known/oauth-protected-resource/mcp')
    const token = await issueToken('desk', { id: 1, role: 'x' }, { secret: SECRET })
    expect((await ask(client, { method: 'server/discover', token })).status).toBe(200)
  })
})
