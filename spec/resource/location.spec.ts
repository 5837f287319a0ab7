import express, { Router } from 'express'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { mountResource, param, reply, resource, send } from 'resourcery'
import { crud, memoryStore } from 'resourcery/crud'
import { openapi } from 'resourcery/openapi'
import { inject } from 'resourcery/testing'
import { appWith } from '../support/guarded-app.js'
import { connection } from '../support/raw-connection.js'
import { serving } from '../support/http.js'
import { served } from '../serve/served.js'

interface Note {
  id: number
  text: string
}

const Note = z.object({ id: z.int(), text: z.string() })
const notes = () => crud(memoryStore<Note>({ key: 'id' }), { input: Note.pick({ text: true }), output: Note })

/** Posts to `/notes`, whose create action replies with this value. */
async function created(value: unknown, shows = true) {
  const app = appWith((router) => {
    const handlers = { create: () => value, ...(shows && { show: () => null }) }
    mountResource(router, { route: '/notes', name: 'notes', handlers })
  })
  const { status, headers } = await inject(app, { method: 'POST', path: '/notes', body: {} })
  return { status, location: headers.get('location') }
}

describe('Location of a 201', () => {
  it('is the path under which the created record is shown', async () => {
    const app = appWith((router) => mountResource(router, { route: '/notes', name: 'notes', ...notes() }))
    const client = await serving(app)
    const made = await client.post('/notes', { text: 'Milk' })
    expect([made.status, made.headers.get('Location')]).toEqual([201, '/notes/1'])
    expect((await client.get(made.headers.get('Location') ?? '')).body.data).toEqual({ id: 1, text: 'Milk' })
  })

  it('has the key of the store of a crud resource, whatever it is called', async () => {
    const id = z.string()
    const input = z.object({ slug: id })
    const store = () => memoryStore<{ id: number; slug: string }>({ key: 'slug', defaults: { id: 7 } })
    const both = crud(store(), { id, input, output: z.object({ id: z.int(), slug: id }) })
    const other = crud(store(), { id, input, output: z.object({ id: z.int() }) })
    const renamed = crud(store(), { id, input, output: z.object({ id }), transform: ({ slug }) => ({ id: slug }) })
    const app = appWith((router) => {
      mountResource(router, { route: '/both', name: 'both', ...both })
      mountResource(router, { route: '/other', name: 'other', ...other })
      mountResource(router, { route: '/renamed', name: 'renamed', ...renamed })
    })
    const client = await serving(app)
    const locations: (string | null)[] = []
    for (const path of ['/both', '/other', '/renamed']) {
      locations.push((await client.post(path, { slug: 'a b' })).headers.get('Location'))
    }
    expect(locations).toEqual(['/both/a%20b', null, '/renamed/a%20b'])
    for (const location of ['/both/a%20b', '/renamed/a%20b']) expect((await client.get(location)).status).toBe(200)
  })

  it.each([['/shops/a/notes'], ['/shops/%C3%A9%2Fb/notes'], ['/shops/a/notes?x=1']])(
    'is the same on the fast path and without it, and where `setHeader` is wrapped: %s',
    async (target) => {
      const app = appWith((router) => {
        mountResource(router, { route: '/shops/:shop/notes', name: 'notes',
          handlers: { create: () => ({ id: 7 }), show: () => null } })
      })
      const seen: unknown[] = []
      const wrapped = express()
      wrapped.use((_req, res, next) => {
        const setHeader = res.setHeader.bind(res)
        res.setHeader = (name, value) => {
          if (name === 'Location') seen.push(value)
          return setHeader(name, value)
        }
        next()
      }, app)
      const locations: unknown[] = []
      for (const [one, options] of [[app, {}], [app, { fast: false }], [wrapped, {}]] as const) {
        const { write, closed } = await connection((await served(one, options)).url)
        write(`POST ${target} HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`)
        const reply = await closed
        expect(reply).toMatch(/^HTTP\/1\.1 201 /)
        locations.push(/^location: (.*)\r$/im.exec(reply)?.[1])
      }
      expect(locations).toEqual([locations[0], locations[0], locations[0]])
      expect([locations[0]]).toEqual(seen)
    },
  )

  it('has the prefixes of all Routers, the arguments of parents, and no query', async () => {
    const app = appWith((outer) => {
      const inner = Router({ mergeParams: true })
      const middle = Router({ mergeParams: true })
      middle.use('/shops/:shop', inner)
      outer.use('/api/v1', middle)
      mountResource(inner, {
        route: '/tickets/:ticketId/notes',
        name: 'notes',
        ...crud(memoryStore<Note & { ticketId: number }>({ key: 'id' }), {
          input: Note.pick({ text: true }),
          output: Note,
          parent: { arg: 'ticketId', column: 'ticketId' },
          scope: () => [],
        }),
      })
    })
    const client = await serving(app)
    const made = await client.post('/api/v1/shops/a%2Fb/tickets/4/notes/?x=1', { text: 'Milk' })
    expect(made.headers.get('Location')).toBe('/api/v1/shops/a%2Fb/tickets/4/notes/1')
    expect((await client.get(made.headers.get('Location') ?? '')).status).toBe(200)
  })

  it('is right for a resource at the root of a Router', async () => {
    const router = Router()
    mountResource(router, { route: '/', name: 'notes', ...notes() })
    const app = appWith((outer) => outer.use('/notes', router))
    expect((await inject(app, { method: 'POST', path: '/notes', body: { text: 'a' } })).headers.get('location')).toBe(
      '/notes/1',
    )
  })

  it.each<[string, unknown, string]>([
    ['a string', { id: 'a/b ü?' }, '/notes/a%2Fb%20%C3%BC%3F'],
    ['a bigint', { id: 9007199254740993n }, '/notes/9007199254740993'],
    ['a reply with a message', reply('Made', { id: 3 }), '/notes/3'],
  ])('encodes the id: %s', async (_what, value, location) => {
    expect(await created(value)).toEqual({ status: 201, location })
  })

  it.each<[string, unknown]>([
    ['a record without an id', { name: 'Milk' }],
    ['an id that no path can have', { id: '..' }],
    ['an id that is not well-formed', { id: '\uD800' }],
    ['an object as id', { id: { a: 1 } }],
    ['several records', [{ id: 1 }]],
    ['nothing', null],
  ])('is not sent for %s', async (_what, value) => {
    expect(await created(value)).toEqual({ status: 201, location: null })
  })

  it('is not sent where the resource does not show records', async () => {
    expect(await created({ id: 1 }, false)).toEqual({ status: 201, location: null })
  })

  it('is not sent with another status', async () => {
    expect(await created(reply('Accepted', { id: 1 }, {}, 202))).toEqual({ status: 202, location: null })
  })

  it('is sent where the handler sends the reply itself, and a Location of the handler stays', async () => {
    const app = appWith((router) => {
      resource(router, '/notes').create((_req, res) => send(res, 'Made', { id: 1 }, {}, 201)).show(() => null)
      resource(router, '/memos').create((_req, res) => {
        res.location('/elsewhere')
        return { id: 1 }
      }).show(() => null)
    })
    const locations = await Promise.all(
      ['/notes', '/memos'].map(async (path) => (await inject(app, { method: 'POST', path })).headers.get('location')),
    )
    expect(locations).toEqual(['/notes/1', '/elsewhere'])
  })

  it('stays on the host of the request, whatever the target is', async () => {
    const app = appWith((router) => {
      router.use((req, _res, next) => {
        req.url = '/notes'
        next()
      })
      mountResource(router, { route: '/notes', name: 'notes',
        handlers: { create: () => ({ id: 1 }), show: () => null } })
    })
    const { url } = await serving(app)
    for (const target of ['//evil.test/notes', 'http://evil.test/notes', '/\\evil.test/notes']) {
      const { write, closed } = await connection(url)
      write(`POST ${target} HTTP/1.1\r\nHost: here.test\r\nConnection: close\r\n\r\n`)
      const text = await closed
      expect(text).toMatch(/^HTTP\/1.1 201/)
      expect(text).not.toMatch(/^location: *(?:https?:|\/[/\\])/im)
    }
  })

  it('is documented where it is sent', () => {
    const app = appWith((router) => {
      mountResource(router, { route: '/notes', name: 'notes', ...notes() })
      const create = { input: z.object({ id: param.int() }), handler: () => null }
      mountResource(router, { route: '/logs', name: 'logs', handlers: { create } })
    })
    const { paths } = openapi(app, { title: 'Notes', version: '1' })
    const headers = (path: string) => (paths[path]?.post?.responses['201'] as { headers?: object }).headers
    expect(headers('/notes')).toMatchObject({ Location: { schema: { type: 'string' } } })
    expect(headers('/logs')).toBeUndefined()
  })
})
