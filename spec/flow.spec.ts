import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { auth, BusinessError, mountResource, param, permission } from 'resourcery'
import { serving, type Client } from './support/http.js'
import { appWith, guardsOf, tokenFor } from './support/guarded-app.js'

/** Serves a route that records each step of a request. */
async function walked(): Promise<{ client: Client; steps: string[] }> {
  const steps: string[] = []
  const app = appWith((root) =>
    mountResource(root, {
      app: 'admin',
      route: '/users',
      name: 'users',
      guards: guardsOf('admin'),
      use: (req, _res, next) => {
        steps.push(`use, body ${req.body === undefined ? 'unread' : 'read'}`)
        next()
      },
      handlers: {
        edit: {
          input: z.object({
            id: param.int(),
            name: z.string().refine((name) => steps.push('input') > 0 && name !== 'x', 'Not x'),
          }),
          output: z.object({ id: z.number().refine(() => steps.push('output') > 0) }),
          handler: (_req, _res, { id }) => {
            steps.push('handler')
            if (id === 404) throw new BusinessError('Gone', 410)
            return { id }
          },
        },
      },
    })
  )
  return { client: await serving(app), steps }
}

describe('the steps of a request', () => {
  it('run in the order guards, use, body, input, handler, output', async () => {
    const { client, steps } = await walked()
    const reply = await client.send('PUT', '/users/5', { token: await tokenFor('admin'), body: { name: 'Ann' } })
    expect(reply.body).toEqual({ code: 200, message: 'ok', data: { id: 5 }, meta: {} })
    expect(steps).toEqual(['use, body unread', 'input', 'handler', 'output'])
  })

  type Case = readonly [string, () => Promise<string | undefined>, string, number, readonly string[]]
  it.each<Case>([
    ['the caller is anonymous', async () => undefined, '{"name":"Ann"}', 401, []],
    ['the token is bad', async () => 'x.y.z', '{"name":"Ann"}', 401, []],
    ['the permission is missing', () => tokenFor('admin', ['admin.users.show']), '{"name":"Ann"}', 403, []],
    ['the body is broken and the permission missing', () => tokenFor('admin', []), '{"name"', 403, []],
    ['the body is broken', () => tokenFor('admin'), '{"name"', 400, ['use, body unread']],
    ['the body breaks a rule', () => tokenFor('admin'), '{"name":"x"}', 422, ['use, body unread', 'input']],
  ])('stop if %s', async (_case, token, body, status, reached) => {
    const { client, steps } = await walked()
    const reply = await client.send('PUT', '/users/5', {
      token: await token(),
      headers: { 'content-type': 'application/json' },
      body,
    })
    expect(reply.status).toBe(status)
    expect(steps).toEqual(reached)
  })

  it('reply the error that the handler throws, without the output step', async () => {
    const { client, steps } = await walked()
    const reply = await client.send('PUT', '/users/404', { token: await tokenFor('admin'), body: { name: 'Ann' } })
    expect(reply.body).toEqual({ code: 410, message: 'Gone', data: null, meta: { reason: 'gone' } })
    expect(steps).toEqual(['use, body unread', 'input', 'handler'])
  })
})

describe('a route that the guards did not foresee', () => {
  it.each([[true, 200, 'notes'], [false, 403, null]])(
    'is served after an asynchronous check of its own that says %s: %i',
    async (isAllowed, status, data) => {
      const client = await serving(appWith((root) => {
        root.use(auth('desk', { verify: () => ({ id: 1 }) }),
          permission('desk', { allows: async (_caller, id) => id === 'desk.aliases.list' || isAllowed }))
        root.use((req, _res, next) => {
          req.url = req.url.replace('/aliases', '/notes')
          next()
        })
        for (const name of ['aliases', 'notes'])
          mountResource(root, { app: 'desk', route: `/${name}`, name, handlers: { list: () => name } })
      }))
      const reply = await client.get('/aliases')
      expect([reply.status, reply.body.data]).toEqual([status, data])
    },
  )
})

describe('middleware of a resource', () => {
  it.each([undefined, null])('goes on with next(%s)', async (nothing) => {
    const client = await serving(
      appWith((root) =>
        mountResource(root, { route: '/notes', name: 'notes', use: (_req, _res, next) => next(nothing),
          handlers: { list: () => 'notes' } })
      ),
    )
    expect((await client.get('/notes')).body.data).toBe('notes')
  })
})
