import express from 'express'
import { errorHandler, mountRoutes, reply, send } from 'resourcery'
import { mcpRouter } from 'resourcery/mcp'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { serving, type Client } from '../support/http.js'

interface Result {
  readonly content: readonly { readonly text: string }[]
  readonly structuredContent: object
  readonly isError?: true
}

interface Tool {
  readonly name: string
  readonly outputSchema: Parameters<typeof z.fromJSONSchema>[0]
}

async function rpc(client: Client, method: string, params: object): Promise<unknown> {
  const body = { jsonrpc: '2.0', id: 1, method, params }
  const headers = { accept: 'application/json, text/event-stream' }
  return ((await client.send('POST', '/mcp', { body, headers })).body as unknown as { result: unknown }).result
}

const Job = z.object({ id: z.int() })

function jobs(): express.Express {
  const app = express()
  app.use('/mcp', mcpRouter(app, { name: 'jobs', version: '1' }))
  mountRoutes(app, {
    route: '/jobs',
    name: 'jobs',
    tool: true,
    routes: {
      queue: {
        methods: 'POST',
        route: '/queue',
        tool: true,
        statuses: [202],
        output: Job,
        handler: (_req, res) => send(res, 'Queued', { id: 1 }, {}, 202) as never,
      },
      enqueue: {
        methods: 'POST',
        route: '/enqueue',
        tool: true,
        output: Job,
        handler: () => reply('Queued', { id: 1 }, {}, 202),
      },
      health: { route: '/health', handler: (_req, res) => void res.json({ status: 'up' }) },
      first: { route: '/first', output: Job, handler: (_req, res) => res.json({ id: 1 }) as never },
      names: { route: '/names', handler: (_req, res) => void res.json(['a']) },
      ping: { route: '/ping', handler: (_req, res) => void res.type('text').send('pong') },
      drop: { methods: 'DELETE', route: '/drop', tool: true, handler: (_req, res) => void res.status(204).end() },
      cancel: {
        methods: 'DELETE',
        route: '/cancel',
        tool: true,
        output: Job,
        statuses: [204],
        handler: (_req, res) => res.status(204).end() as never,
      },
    },
  })
  app.use(errorHandler({ log: () => undefined }))
  return app
}

describe('the result of a tool', () => {
  it.each([
    ['queueJobs', 202, 'Queued', { id: 1 }],
    ['enqueueJobs', 202, 'Queued', { id: 1 }],
    ['healthJobs', 200, 'OK', { status: 'up' }],
    ['firstJobs', 200, 'OK', { id: 1 }],
    ['namesJobs', 200, 'OK', ['a']],
    ['pingJobs', 200, 'OK', 'pong'],
    ['dropJobs', 204, 'No Content', null],
    ['cancelJobs', 204, 'No Content', null],
  ])('fits the schema of %s, which has replied with %i', async (name, code, message, data) => {
    const client = await serving(jobs())
    const { tools } = await rpc(client, 'tools/list', {}) as { tools: readonly Tool[] }
    const { content, structuredContent, isError } = await rpc(client, 'tools/call', { name }) as Result
    const schema = tools.find((tool) => tool.name === name)?.outputSchema
    expect(z.fromJSONSchema(schema ?? false).safeParse(structuredContent).error).toBeUndefined()
    expect([structuredContent, isError]).toEqual([{ code, message, data, meta: {} }, undefined])
    expect(JSON.parse(content[0]?.text ?? '')).toEqual(structuredContent)
  })
})
