import express, { type Express } from 'express'
import { auth, errorHandler, mountResource, mountRoutes, permission } from 'resourcery'
import { crud, memoryStore } from 'resourcery/crud'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { serving } from '../support/http.js'

/** Creates an app whose callers send their key as the parameter `key`. */
function desk(): Express {
  const app = express()
  app.use(
    auth('desk', { verify: (req) => (req.query.key === 'k' ? { id: 1, permissions: ['*'] } : null) }, {
      scheme: { type: 'apiKey', in: 'query', name: 'key' },
    }),
    permission('desk'),
  )
  const Note = z.object({ id: z.int(), title: z.string() })
  mountResource(app, {
    app: 'desk',
    route: '/notes',
    name: 'notes',
    ...crud(memoryStore<z.infer<typeof Note>>({ key: 'id', rows: [{ id: 1, title: 'First' }] }), {
      input: Note.pick({ title: true }),
      output: Note,
      export: true,
    }),
  })
  mountRoutes(app, {
    app: 'desk',
    route: '/strict',
    name: 'strict',
    routes: {
      query: { route: '/query', query: z.strictObject({ q: z.string() }), handler: (_req, _res, args) => args },
      input: { route: '/input', input: z.strictObject({ q: z.string() }), handler: (_req, _res, args) => args },
      open: { route: '/open', auth: false, input: z.strictObject({}), handler: (_req, _res, args) => args },
      own: { route: '/own', input: z.strictObject({ key: z.string() }), handler: (_req, _res, args) => args },
    },
  })
  app.use(errorHandler({ log: () => undefined }))
  return app
}

describe('a key in the query', () => {
  it('is no unknown parameter of a list, an export or a strict schema', async () => {
    const client = await serving(desk())
    expect((await client.send('GET', '/notes?key=k')).body).toMatchObject({ code: 200, meta: { total: 1 } })
    expect((await client.send('GET', '/notes/export?key=k')).status).toBe(200)
    expect((await client.send('GET', '/strict/query?q=a&key=k')).body).toMatchObject({ code: 200, data: { q: 'a' } })
    expect((await client.send('GET', '/strict/input?q=a&key=k')).body).toMatchObject({ code: 200, data: { q: 'a' } })
    expect((await client.send('GET', '/strict/open?key=k')).body).toMatchObject({ code: 200, data: {} })
    expect((await client.send('GET', '/strict/own?key=k')).body).toMatchObject({ code: 200, data: { key: 'k' } })
  })

  it('does not make other parameters known', async () => {
    const client = await serving(desk())
    expect((await client.send('GET', '/notes?key=k&kez=1')).status).toBe(422)
    expect((await client.send('GET', '/strict/query?q=a&key=k&kez=1')).status).toBe(422)
    expect((await client.send('GET', '/notes?key=x')).status).toBe(401)
  })
})
