import type { Request, Response } from 'express'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { mountResource } from '../../lib/resource/mount-resource.js'
import type { Rendered } from '../../lib/resource/rendered.js'
import { render } from '../../lib/resource/respond.js'
import { reply } from '../../lib/reply.js'
import { stateOf } from '../../lib/routing/request-state.js'
import { appWith } from '../support/pair.js'
import { serving } from '../support/http.js'

const Note = z.object({ id: z.int(), title: z.string().refine(async (title) => Promise.resolve(title !== '')).transform((title) => title.trim()) })

/** Two routes that answer alike: one value is left to the route, the other is rendered first. */
async function both(value: unknown, settings: Readonly<Record<string, unknown>> = {}) {
  const rendered: Rendered[] = []
  const app = appWith((router) => {
    for (const [name, setting] of Object.entries(settings)) router.set(name, setting)
    const early = async (req: Request, res: Response): Promise<unknown> => {
      const { route } = stateOf(req)
      if (route === undefined) throw new Error('No route')
      const made = await render(res, route, value)
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

describe('a reply that is rendered before it is sent', () => {
  it.each([
    ['a record', { id: 1, title: ' Milk ', secret: true }, {}],
    ['a reply of its own', reply('Made', { id: 1, title: 'Milk' }, { cost: 3 }, 202), {}],
    ['a text that looks like a tag', { id: 1, title: '<b> & "\u2028"' }, { 'json escape': true, 'json spaces': 2 }],
    ['what a replacer changes', { id: 1, title: 'Milk' }, { 'json replacer': (key: string, value: unknown): unknown => (key === 'title' ? 'Tea' : value) }],
  ])('is %s to the byte, with its headers', async (_what, value, settings) => {
    const { late, early, rendered, logged } = await both(value, settings)
    expect(logged).toEqual([])
    expect([early.status, early.text]).toEqual([late.status, late.text])
    expect(early.headers.get('content-type')).toBe(late.headers.get('content-type'))
    expect(rendered).toMatchObject([{ text: late.text, status: late.status, message: late.body.message, meta: late.body.meta }])
  })

  it('does not come to be when the value does not fit its output', async () => {
    const { late, early, rendered, logged } = await both({ id: 'one', title: 'Milk' })
    expect([late.status, early.status, rendered]).toEqual([500, 500, []])
    expect(String(logged[1])).toBe(String(logged[0]).replace('late', 'early'))
  })
})
