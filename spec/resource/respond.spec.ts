import type { Request, Response } from 'express'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { mountResource } from 'resourcery'
import { reply, type SerializedReply } from '../../lib/core/reply/reply.js'
import { serializeReply } from '../../lib/core/resource/respond.js'
import { toPage } from 'resourcery'
import { stateOf } from '../../lib/core/routing/request-state.js'
import { appWith } from '../support/guarded-app.js'
import { serving } from '../support/http.js'

const Note = z.object({
  id: z.int(),
  title: z.string().refine(async (title) => Promise.resolve(title !== '')).transform((title) => title.trim()),
})

/** Serves two routes with the same value: one returns it, the other renders the reply first. */
async function both(value: unknown, settings: Readonly<Record<string, unknown>> = {}) {
  const rendered: SerializedReply[] = []
  const app = appWith((router) => {
    for (const [name, setting] of Object.entries(settings)) router.set(name, setting)
    const early = async (req: Request, res: Response): Promise<unknown> => {
      const { route } = stateOf(req)
      if (route === undefined) throw new Error('No route')
      const made = await serializeReply(res, route, value)
      rendered.push(made)
      return made
    }
    for (const [name, handler] of [['late', () => value], ['early', early]] as const) {
      const create = { output: Note as z.ZodType, message: 'Noted', handler: handler as () => Promise<never> }
      mountResource(router, { route: `/${name}`, name, handlers: { create } })
    }
  })
  const client = await serving(app)
  return { late: await client.post('/late', {}), early: await client.post('/early', {}), rendered, logged: app.logged }
}

describe('a reply that is rendered early', () => {
  it.each([
    ['a record', { id: 1, title: ' Milk ', secret: true }, {}],
    ['a reply of its own', reply('Made', { id: 1, title: 'Milk' }, { cost: 3 }, 202), {}],
    ['a string like an HTML tag', { id: 1, title: '<b> & "\u2028"' }, { 'json escape': true, 'json spaces': 2 }],
    ['a value changed by a replacer', { id: 1, title: 'Milk' }, {
      'json replacer': (key: string, value: unknown): unknown => (key === 'title' ? 'Tea' : value),
    }],
  ])('has the same bytes and headers for %s', async (_what, value, settings) => {
    const { late, early, rendered, logged } = await both(value, settings)
    expect(logged).toEqual([])
    expect([early.status, early.text]).toEqual([late.status, late.text])
    expect(early.headers.get('content-type')).toBe(late.headers.get('content-type'))
    expect(rendered).toMatchObject([{
      text: late.text,
      status: late.status,
      message: late.body.message,
      meta: late.body.meta,
    }])
  })

  it('is not rendered if the value does not fit its output', async () => {
    const { late, early, rendered, logged } = await both({ id: 'one', title: 'Milk' })
    expect([late.status, early.status, rendered]).toEqual([500, 500, []])
    expect(String(logged[1])).toBe(String(logged[0]).replace('late', 'early'))
  })
})

describe('a reply with `output`', () => {
  const Post = z.object({
    id: z.int(),
    title: z.string(),
    at: z.date(),
    author: z.object({ name: z.string() }),
    note: z.string().optional(),
  })
  const Node = z.object({ name: z.string(), get children(): z.ZodArray {
    return z.array(Node)
  } })
  const post = {
    id: 1,
    title: 'Tea & "milk"',
    at: new Date(0),
    author: { name: 'Ann', hash: 'secret' },
    hash: 'secret',
  }
  const shown = { id: 1, title: 'Tea & "milk"', at: new Date(0), author: { name: 'Ann' } }

  async function replied(value: unknown, output: z.ZodType, settings: Readonly<Record<string, unknown>> = {}) {
    const app = appWith((router) => {
      for (const [name, setting] of Object.entries(settings)) router.set(name, setting)
      mountResource(router, {
        route: '/posts',
        name: 'posts',
        handlers: { list: { output, handler: (() => value) as () => Promise<never> } },
      })
    })
    return { ...await (await serving(app)).get('/posts'), logged: app.logged }
  }

  it.each([
    ['a record', post, Post, shown, {}],
    ['a list', [post, post], z.array(Post), [shown, shown], {}],
    ['a page', toPage([post], { page: 2, limit: 1, total: 5 }), z.array(Post), [shown], {
      total: 5,
      page: 2,
      limit: 1,
    }],
    ['null', null, Post.nullable(), null, {}],
    ['an optional field', { note: 'n', ...post }, Post, { ...shown, note: 'n' }, {}],
    ['a missing field with a default', {}, z.object({ size: z.string().default('m') }), { size: 'm' }, {}],
    ['a record in a record of its kind', { name: 'a', children: [{ name: 'b', children: [], hash: 'secret' }] }, Node, {
      name: 'a',
      children: [{ name: 'b', children: [] }],
    }, {}],
  ])('contains of %s only the declared fields, serialised as JSON', async (_what, value, output, data, meta) => {
    const { text, logged } = await replied(value, output)
    expect(logged).toEqual([])
    expect(text).toBe(JSON.stringify({ code: 200, message: 'ok', data, meta }))
  })

  it('fails with the error of a getter', async () => {
    const record = { get id(): number {
      throw new Error('Not today')
    } }
    const { status, logged } = await replied(record, z.object({ id: z.int() }))
    expect([status, String(logged)]).toEqual([500, 'Error: Not today'])
  })

  it('respects the settings of the app', async () => {
    const replacer = (key: string, value: unknown): unknown => (key === 'title' ? '<b>' : value)
    const { text } = await replied(post, Post, { 'json replacer': replacer, 'json spaces': 2, 'json escape': true })
    expect(text).toBe(
      JSON.stringify({ code: 200, message: 'ok', data: { ...shown, title: '<b>' }, meta: {} }, null, 2).replace(
        '<b>',
        '\\u003cb\\u003e',
      ),
    )
  })

  it.each([
    ['a wrong field', { ...post, id: 'secret' }, 'posts.list', 'id: '],
    ['a field that is missing', { ...post, title: undefined }, 'posts.list', 'title: '],
    ['a wrong field further in', { ...post, author: { name: { hash: 'secret' } } }, 'posts.list', 'author.name: '],
  ])('is a 500 for %s, named in the log and hidden from the caller', async (_what, value, ...told) => {
    const { status, body, text, logged } = await replied(value, Post)
    expect([status, body]).toEqual([500, {
      code: 500,
      message: 'Something went wrong',
      data: null,
      meta: { reason: 'internal' },
    }])
    expect(text).not.toContain('secret')
    expect(logged).toHaveLength(1)
    for (const part of told) expect(String(logged[0])).toContain(part)
  })
})
