import express, { Router, type Express } from 'express'
import { describe, expect, it } from 'vitest'
import { errorHandler, mountResource, notFound, param, permissionsOf, routeManifest, routesOf } from 'resourcery'
import { createClient } from 'resourcery/client'
import { mcpRouter } from 'resourcery/mcp'
import { openapi } from 'resourcery/openapi'
import { accessMatrix } from 'resourcery/testing'
import { z } from 'zod'
import type { Mounted, MountedAction } from '../../lib/core/resource/mounted.js'
import { serving } from '../support/http.js'
import { guardsOf } from '../support/guarded-app.js'

interface Api {
  n: Mounted<'n', { show: MountedAction<'/n/:id'> }>
}

type Mount = string | RegExp

/** Makes an app with one resource on a Router that is mounted at a path, and tools for agents in front of it. */
function appAt(mount: Mount): Express {
  const router = Router()
  mountResource(router, {
    route: '/n',
    name: 'n',
    tool: true,
    handlers: { show: { input: z.object({ id: param.int() }), handler: (_req, _res, { id }) => ({ id }) } },
  })
  const app = express()
  app.use('/mcp', mcpRouter(app, { name: 'test', version: '1' }))
  return app.use(mount, router).use(notFound(), errorHandler({ log: () => undefined }))
}

function documentedIn(app: Express): string[] {
  return Object.keys(openapi(app, { title: 'Test', version: '1' }).paths)
}

interface ToolsReply {
  readonly result: { readonly tools: readonly { readonly name: string }[]; readonly isError?: boolean }
}

async function callTool(url: string, method: string, params: object): Promise<ToolsReply> {
  const reply = await fetch(`${url}/mcp`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'Accept': 'application/json, text/event-stream' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  return await reply.json() as ToolsReply
}

describe('the path of a mount', () => {
  it.each<[mount: string, template: string, args: Record<string, unknown>]>([
    ['/api/', '/api/n/{id}', {}],
    ['/api//', '/api/n/{id}', {}],
    ['/', '/n/{id}', {}],
    ['/api{/:ver}', '/api/{ver}/n/{id}', { ver: 'v1' }],
    ['{/:lang}', '/{lang}/n/{id}', { lang: 'de' }],
    ['/o{pt}', '/o/n/{id}', {}],
    ['/api{/}', '/api/n/{id}', {}],
    ['/a{b{c}}', '/a/n/{id}', {}],
    ['/a{/b{/:c}}', '/a/b/{c}/n/{id}', { c: 1 }],
    ['/:größe', '/{größe}/n/{id}', { größe: 'XL' }],
    ['/:über-:b', '/{über}-{b}/n/{id}', { über: 'x', b: 'y' }],
    ['/a-:b', '/a-{b}/n/{id}', { b: 'c' }],
  ])('%s is described as %s, and reached by clients and agents', async (mount, template, args) => {
    const app = appAt(mount)
    expect(documentedIn(app)).toEqual([template])
    const { url } = await serving(app)
    const client = createClient<Api>({ url, routes: routeManifest(app) })
    expect(await client.n.show({ id: 7, ...args })).toMatchObject({ code: 200, data: { id: 7 } })
    const { result: { tools } } = await callTool(url, 'tools/list', {})
    expect(tools.map(({ name }) => name)).toEqual(['showN'])
    const called = await callTool(url, 'tools/call', { name: 'showN', arguments: { id: 7, ...args } })
    expect(called.result.isError).not.toBe(true)
  })

  it('is documented with an argument of a quoted name, which no client can call', () => {
    const app = appAt('/x/:"odd name"')
    expect(documentedIn(app)).toEqual(['/x/{odd name}/n/{id}'])
    expect(routeManifest(app)).toEqual([])
  })

  it.each<Mount>([/^\/re\d/, /\/api/])('is in no document or manifest if it is the regular expression %s', (mount) => {
    const app = appAt(mount)
    expect(documentedIn(app)).toEqual([])
    expect(routeManifest(app)).toEqual([])
    expect(routesOf(app)).toHaveLength(1)
  })

  it('may end with a slash where guards are mounted with it', async () => {
    const router = Router()
    mountResource(router, { route: '/n', name: 'n', handlers: { list: () => 1 } })
    const app = express().use('/api/n', guardsOf('desk')).use('/api/', router).use(errorHandler())
    expect(routesOf(app)).toMatchObject([{ path: '/api/n', permissions: ['desk.n.list'], guardedBy: ['desk'] }])
    expect(permissionsOf(app)).toMatchObject([{ children: [{ name: 'desk.n.list' }] }])
    const { paths } = openapi(app, { title: 'Test', version: '1' })
    expect(paths['/api/n']?.get).toMatchObject({ security: [{ desk: [] }] })
    const { rows } = await accessMatrix(app, { anonymous: null })
    expect(rows).toMatchObject([{ access: { anonymous: 401 } }])
  })
})
