import { once } from 'node:events'
import express, { type Express } from 'express'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { crud } from 'resourcery/crud'
import { errorHandler } from 'resourcery'
import { MisuseError } from 'resourcery'
import { RequestParam } from 'resourcery'
import { mountResource } from 'resourcery'
import { mountRoutes } from 'resourcery'
import { param } from 'resourcery'
import { resource } from 'resourcery'
import { serve } from 'resourcery'
import { memoryStore } from 'resourcery/crud'
import { validate } from 'resourcery'
import { clientOf, standing, type Client } from '../support/http.js'

const rejects = async (): Promise<boolean> => Promise.reject(new Error('The database is gone'))
const throws = (): boolean => {
  throw new Error('The database is gone')
}

let logged: unknown[] = []
let unhandled: unknown[] = []
let calls: string[] = []
const note = (reason: unknown): void => void unhandled.push(reason)

beforeEach(() => {
  logged = []
  unhandled = []
  calls = []
  process.on('unhandledRejection', note)
})
afterEach(async () => {
  for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve))
  process.off('unhandledRejection', note)
  expect(unhandled).toEqual([])
})

function counted(name: string, fits = true): () => Promise<boolean> {
  return async () => {
    calls.push(name)
    return Promise.resolve(fits)
  }
}

function mountNotes(app: Express, name: string, text: z.ZodType<string>): void {
  const store = memoryStore({ key: 'id', rows: [{ id: 1, title: 'Milk' }] })
  const Note = z.object({ id: z.int(), title: z.string() })
  const options = { input: z.object({ title: text }), output: Note, filters: { title: { eq: text } } }
  mountResource(app, { route: `/${name.replace('.', '/')}`, name, ...crud(store, options) })
}

function makeApp(): Express {
  const app = express()
  const failing = {
    rejected: z.string().refine(rejects),
    thrown: z.string().refine(throws),
    both: z.string().refine(rejects).refine(rejects),
    made: z.string().transform(rejects),
  }
  for (const [name, text] of Object.entries(failing)) {
    const input = z.object({
      id: z.string().optional(),
      title: text,
      nested: z.array(z.object({ title: text })).default([]),
    })
    mountRoutes(app, {
      route: `/${name}`,
      name,
      routes: {
        input: { methods: 'POST', route: '', input, handler: (_req, _res, args) => args },
        query: {
          methods: 'POST',
          route: '/query',
          input: z.object({}),
          query: z.object({ title: text }),
          handler: (_req, _res, args) => args,
        },
        asked: { route: '/asked', input: z.object({ title: text }), handler: (_req, _res, args) => args },
        output: { route: '/output', output: z.object({ title: text }), handler: () => ({ title: 'x' }) },
        validated: {
          methods: 'POST',
          route: '/validated',
          handler: (req) => validate(RequestParam.body(req), z.object({ title: text, also: text })),
        },
      },
    })
    mountNotes(app, `${name}.notes`, text as never)
    resource(app, `/${name}/books`).name(`${name}.books`).create({ input, handler: (_req, _res, args) => args })
  }
  mountRoutes(app, {
    route: '/counted',
    name: 'counted',
    routes: {
      all: {
        methods: 'POST',
        route: '',
        input: z.object({ title: z.string().refine(counted('input')) }),
        query: z.object({ q: z.string().refine(counted('query')) }),
        output: z.object({ title: z.string().refine(counted('output')) }),
        handler: (_req, _res, { title }) => ({ title }),
      },
      refused: {
        methods: 'POST',
        route: '/refused',
        input: z.object({ title: z.string().refine(counted('input', false), 'This title is taken') }),
        handler: () => null,
      },
      made: {
        methods: 'POST',
        route: '/made',
        input: z.object({ title: z.string().transform(async (text) => Promise.resolve(text.length)) }),
        handler: (_req, _res, args) => args,
      },
    },
  })
  mountNotes(app, 'notes', z.string().refine(counted('crud')))
  return app.use(errorHandler({ log: (error) => logged.push(error) }))
}

async function underServe(): Promise<Client> {
  const { server, url } = await serve(makeApp(), { port: 0, host: '127.0.0.1' })
  return clientOf(url, server)
}

describe.each([['app.listen', async (): Promise<Client> => standing(makeApp())], ['serve', underServe]])(
  'asynchronous checks under %s',
  (_how, start) => {
    let client: Client
    beforeEach(async () => {
      client = await start()
    })
    afterEach(async () => {
      client.server.close()
      client.server.closeAllConnections()
      await once(client.server, 'close').catch(() => undefined)
    })

    it.each(['rejected', 'thrown', 'both', 'made'])('cause a logged 500 if a check has %s', async (name) => {
      const replies = [
        await client.post(`/${name}`, { title: 'x', nested: [{ title: 'y' }, { title: 'z' }] }),
        await client.post(`/${name}/query?title=x`, {}),
        await client.get(`/${name}/asked?title=x`),
        await client.get(`/${name}/output`),
        await client.post(`/${name}/notes`, { title: 'x' }),
        await client.send('PUT', `/${name}/notes/1`, { body: { title: 'x' } }),
        await client.send('PATCH', `/${name}/notes/1`, { body: { title: 'x' } }),
        await client.get(`/${name}/notes?title=x`),
        await client.post(`/${name}/books`, { title: 'x' }),
      ]
      expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 500))
      expect(replies.map(({ body }) => body)).toEqual(
        replies.map(() => ({ code: 500, message: 'Something went wrong', data: null, meta: { reason: 'internal' } })),
      )
      expect(logged.map((error) => (error as Error).message)).toEqual(replies.map(() => 'The database is gone'))
      expect((await client.get('/notes')).status).toBe(200)
    })

    it.each(['rejected', 'both', 'made'])('are refused by validate as misuse, also if a check has %s', async (name) => {
      expect((await client.post(`/${name}/validated`, { title: 'x', also: 'y' })).status).toBe(500)
      expect(logged).toEqual([expect.any(MisuseError)])
      expect(logged).toEqual([expect.objectContaining({ code: 'validate_async' })])
    })

    it('run once each', async () => {
      expect((await client.post('/counted?q=x', { title: 'x' })).body.data).toEqual({ title: 'x' })
      expect(calls.splice(0)).toEqual(['query', 'input', 'output'])
      const refused = await client.post('/counted/refused', { title: 'x' })
      expect([refused.status, refused.body.data]).toEqual([422, { title: ['This title is taken'] }])
      expect(calls.splice(0)).toEqual(['input'])
      expect((await client.post('/counted/made', { title: 'four' })).body.data).toEqual({ title: 4 })
      expect((await client.post('/notes', { title: 'x' })).status).toBe(201)
      expect((await client.send('PATCH', '/notes/1', { body: { title: 'x' } })).status).toBe(200)
      expect((await client.get('/notes?title=x')).status).toBe(200)
      expect(calls).toEqual(['crud', 'crud', 'crud'])
    })
  },
)

describe('asynchronous checks of the id of a crud resource', () => {
  const Note = z.object({ id: z.int(), title: z.string() })
  const standingFor = async (check: (id: number) => Promise<boolean>): Promise<Client> => {
    const store = memoryStore({ key: 'id', rows: [1, 2, 3].map((id) => ({ id, title: `Note ${id}` })) })
    const id = param.int().refine(check, 'No such note')
    const app = express()
    mountResource(app, {
      route: '/notes',
      name: 'notes',
      ...crud(store, { input: Note.pick({ title: true }), output: Note, id, bulk: true }),
    })
    return standing(app.use(errorHandler({ log: (error) => logged.push(error) })))
  }

  it('run once for each id of the path, of a list and of many rows', async () => {
    const client = await standingFor(async (id) => Promise.resolve(calls.push(String(id)) > 0))
    expect((await client.get('/notes/1')).status).toBe(200)
    expect((await client.get('/notes?ids=1,2')).body.data).toHaveLength(2)
    expect((await client.send('PUT', '/notes', { body: { ids: [1, 2], data: { title: 'x' } } })).status).toBe(200)
    expect((await client.send('DELETE', '/notes?ids=1,2')).body.meta).toEqual({ deleted: 2 })
    expect((await client.send('DELETE', '/notes', { body: { ids: [3] } })).body.meta).toEqual({ deleted: 1 })
    expect(calls).toEqual(['1', '1', '2', '1', '2', '1', '2', '3'])
    expect(logged).toEqual([])
  })

  it('refuse a deletion of many rows with 422, and cause a logged 500 if one rejects', async () => {
    const strict = await standingFor(async (id) => Promise.resolve(id !== 2))
    const refused = await strict.send('DELETE', '/notes?ids=1,2')
    expect([refused.status, refused.body.data]).toEqual([422, { 'ids.1': ['No such note'] }])
    expect((await strict.send('DELETE', '/notes?ids=')).body.data).toEqual({ ids: ['Provide at least one id'] })
    const failing = await standingFor(rejects)
    expect((await failing.send('DELETE', '/notes?ids=1,2')).status).toBe(500)
    expect(logged.map((error) => (error as Error).message)).toEqual(['The database is gone'])
  })
})
