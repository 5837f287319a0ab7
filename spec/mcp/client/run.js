/*
 * A program: the tools of the blog, and of an app with an owner's check, through the official clients of the Model Context Protocol:
 * version 1 of its SDK, and version 2 with the revisions of both eras. Each result is compared with what HTTP replies to the same caller.
 */
import { deepEqual, equal, match, ok, rejects } from 'node:assert/strict'
import { Client as Client2, StreamableHTTPClientTransport as Transport2 } from '@modelcontextprotocol/client'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { LATEST_PROTOCOL_VERSION } from '@modelcontextprotocol/sdk/types.js'
import express from 'express'
import { auth, BusinessError, errorHandler, issueToken, mountResource, notFound, permission, serve } from 'resourcery'
import { crud } from 'resourcery/crud'
import { mcpRouter } from 'resourcery/mcp'
import { z } from 'zod'
import { memoryStore } from 'resourcery/crud'
import { makeApp } from '../../../samples/blog/app.js'
import { databaseOn, openPool } from '../../../samples/blog/database/open.js'
import { prepareDatabase } from '../../../samples/blog/database/prepare.js'
import { openStores } from '../../../samples/blog/stores.js'
import { openUploads } from '../../../samples/blog/uploads.js'

const SECRET = 'a secret of this program with enough bytes in it'

/** The clients, and the revision that each speaks with a server that knows all of them. */
const CLIENTS = {
  'SDK 1': { Client, Transport: StreamableHTTPClientTransport, options: {}, revision: LATEST_PROTOCOL_VERSION },
  'SDK 2, initialized': { Client: Client2, Transport: Transport2, options: {}, revision: '2025-11-25' },
  'SDK 2, stateless': {
    Client: Client2,
    Transport: Transport2,
    options: { versionNegotiation: { mode: 'auto' } },
    revision: '2026-07-28',
  },
}

/** Returns a function that connects with one of the clients. */
function connector({ Client, Transport, options, revision }) {
  return async (url, token, headers = {}) => {
    const client = new Client({ name: 'spec', version: '1.0.0' }, options)
    const transport = new Transport(new URL('/mcp', url), {
      requestInit: { headers: { ...headers, ...(token !== undefined && { authorization: `Bearer ${token}` }) } },
    })
    await client.connect(transport)
    equal(transport.protocolVersion ?? client.getNegotiatedProtocolVersion(), revision)
    equal(transport.sessionId, undefined)
    return client
  }
}

async function namesOf(client) {
  return (await client.listTools()).tools.map(({ name }) => name).sort()
}

/** Calls a tool, and compares its result with the reply to a request of the same caller. */
async function same(client, token, url, [name, args], [method, path, body]) {
  const result = await client.callTool({ name, arguments: args })
  const response = await fetch(url + path, {
    method,
    headers: {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    body: body === undefined ? null : JSON.stringify(body),
  })
  const text = await response.text()
  const tag = response.headers.get('etag')
  const expected = { ...JSON.parse(text), ...(response.ok && tag?.startsWith('"') && { etag: tag }) }
  deepEqual(JSON.parse(result.content[0].text), expected)
  equal(result.isError === true, !response.ok)
  if (response.ok) deepEqual(result.structuredContent, expected)
  return response.status
}

async function tryBlog(connect) {
  const pool = await openPool({ kind: 'embedded', folder: undefined })
  const db = databaseOn(pool)
  const uploads = await openUploads(undefined)
  await prepareDatabase(db)
  const app = makeApp({ db, stores: await openStores('kysely', pool, db), secret: SECRET, storage: uploads.storage })
  const { url, close } = await serve(app, { port: 0, host: '127.0.0.1', signals: false })
  const reader = await issueToken('admin', { id: 3 }, { secret: SECRET })
  for (const token of [undefined, 'not.a.token']) await rejects(connect(url, token), /Sign in|401|[Uu]nauthorized/)
  const client = await connect(url, reader)
  const { tools } = await client.listTools()
  deepEqual(tools.map(({ name }) => name).sort(), ['listPosts', 'showPost'])
  for (const tool of tools) {
    ok(tool.inputSchema.properties !== undefined && tool.outputSchema !== undefined && tool.title !== undefined)
    equal(tool.annotations.readOnlyHint, true)
  }
  const statuses = [
    await same(client, reader, url, ['listPosts', { limit: 3, category: 'news', sort: '-id' }], [
      'GET',
      '/admin/posts?limit=3&category=news&sort=-id',
    ]),
    await same(client, reader, url, ['listPosts', { ids: [3, 1] }], ['GET', '/admin/posts?ids=3,1']),
    await same(client, reader, url, ['listPosts', { limit: 1000 }], ['GET', '/admin/posts?limit=1000']),
    await same(client, reader, url, ['showPost', { id: 7 }], ['GET', '/admin/posts/7']),
    await same(client, reader, url, ['showPost', { id: 9999 }], ['GET', '/admin/posts/9999']),
  ]
  deepEqual(statuses, [200, 200, 422, 200, 404])
  await close()
  await Promise.all([db.destroy(), uploads.close()])
}

async function tryOwners(connect, revision) {
  const Note = z.object({ id: z.int(), title: z.string(), ownerId: z.int(), at: z.date() })
  const at = new Date(0)
  const notes = memoryStore({
    key: 'id',
    rows: [{ id: 1, title: 'First', ownerId: 1, at }, { id: 2, title: 'Second', ownerId: 2, at }],
  })
  const app = express()
  app.use(
    '/mcp',
    mcpRouter(app, {
      name: 'notes',
      version: '1.0.0',
      maxResultBytes: 2000,
      allowedOrigins: ['https://agent.example.com'],
    }),
  )
  app.use(
    auth('desk', { secret: SECRET }),
    permission('desk', { roles: { author: ['desk.notes.*'], reader: ['desk.notes.list', 'desk.notes.show'] } }),
  )
  mountResource(app, {
    app: 'desk',
    route: '/notes',
    name: 'notes',
    tool: true,
    ...crud(notes, {
      input: Note.pick({ title: true }),
      output: Note,
      maxLimit: 100,
      before: { create: (note, { req }) => ({ ...note, ownerId: Number(req.auth.id), at }) },
      check: (note, { req, action }) => {
        if (action !== 'show' && note.ownerId !== req.auth.id) {
          throw new BusinessError('This is not your note', 403, { reason: 'note.not_yours' })
        }
      },
      perAction: { create: { tool: true }, store: { tool: true }, delete: { tool: { name: 'remove_note' } } },
    }),
  })
  app.use(notFound(), errorHandler())
  const { url, close } = await serve(app, { port: 0, host: '127.0.0.1', signals: false })
  const tokenOf = (id, role) => issueToken('desk', { id, role }, { secret: SECRET })

  const [author, reader] = [await tokenOf(1, 'author'), await tokenOf(3, 'reader')]
  const [asAuthor, asReader] = [await connect(url, author), await connect(url, reader)]
  deepEqual(await namesOf(asAuthor), ['createNote', 'listNotes', 'remove_note', 'showNote', 'updateNote'])
  deepEqual(await namesOf(asReader), ['listNotes', 'showNote'])

  equal(
    await same(asAuthor, author, url, ['updateNote', { id: 2, title: 'Mine' }], ['PATCH', '/notes/2', {
      title: 'Mine',
    }]),
    403,
  )
  equal(
    await same(asAuthor, author, url, ['updateNote', { id: 1, title: 'Changed' }], ['PATCH', '/notes/1', {
      title: 'Changed',
    }]),
    200,
  )
  equal(
    await same(asAuthor, author, url, ['updateNote', { id: 1, title: '', extra: 1 }], ['PATCH', '/notes/1', {
      title: '',
      extra: 1,
    }]),
    200,
  )
  equal(
    await same(asAuthor, author, url, ['updateNote', { id: 1, title: 5 }], ['PATCH', '/notes/1', { title: 5 }]),
    422,
  )
  equal(
    await same(asReader, reader, url, ['updateNote', { id: 1, title: 'x' }], ['PATCH', '/notes/1', { title: 'x' }]),
    403,
  )
  equal(await same(asReader, reader, url, ['remove_note', { id: 1 }], ['DELETE', '/notes/1']), 403)
  const created = await asAuthor.callTool({ name: 'createNote', arguments: { title: 'Ünïcode 𝕏' } })
  equal(created.structuredContent.data.title, 'Ünïcode 𝕏')
  await rejects(asAuthor.callTool({ name: 'deleteNotes', arguments: { ids: [1] } }), /no tool/)

  for (let index = 0; index < 50; index++) {
    await asAuthor.callTool({ name: 'createNote', arguments: { title: `Note ${index}` } })
  }
  const large = await asAuthor.callTool({ name: 'listNotes', arguments: { limit: 50 } })
  ok(large.isError)
  match(large.content[0].text, /more than 2000 bytes/)
  equal((await asAuthor.callTool({ name: 'listNotes', arguments: { limit: 5 } })).structuredContent.meta.total, 53)
  if (revision !== '2026-07-28') equal((await asAuthor.ping()) !== undefined, true)

  await connect(url, author, { origin: 'https://agent.example.com' })
  await rejects(connect(url, author, { origin: 'https://evil.example.com' }))
  await close()
}

for (const [name, client] of Object.entries(CLIENTS)) {
  await tryBlog(connector(client))
  await tryOwners(connector(client), client.revision)
  console.log(`The official MCP client (${name}) gets from tools what HTTP replies.`)
}
