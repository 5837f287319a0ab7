import type { Request, RequestHandler } from 'express'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { auth, type AuthOptions } from '../../../lib/core/auth/auth.js'
import { issueToken } from 'resourcery'
import { crud, idempotent, memoryStore, type IdempotencyKey, type Where } from 'resourcery/crud'
import { permission } from 'resourcery'
import { mountResource } from 'resourcery'
import { mountRoutes } from 'resourcery'
import type { Reply } from '../../support/http.js'
import { servingRoutes } from '../serving.js'

interface Note {
  id: number
  title: string
  tenant: number
  at: Date
}

const SECRET = 'a secret of this spec that is long enough'
const NoteIn = z.object({ title: z.string() })
const NoteOut = z.object({ id: z.int(), title: z.string() })

/** The tenant is a header, so that two tenants send the same method, path, body and caller. */
const tenantOf = (req: Request): number => Number(req.get('x-tenant'))

interface Setting {
  readonly scope?: (req: Request) => Where<Note> | Promise<Where<Note>>
  readonly signIn?: RequestHandler
  readonly identity?: (req: Request) => string | number | undefined
}

/** Serves notes and a custom action `pay`, both with keys; `count` returns how often they ran. */
async function serving({ scope = () => [], signIn = auth('app', { secret: SECRET }), identity }: Setting) {
  const keys = memoryStore<IdempotencyKey>({ key: 'id' })
  const notes = memoryStore<Note>({ key: 'id', defaults: { tenant: 0, at: new Date(0) } })
  const idempotency = { keys: () => keys, ...(identity !== undefined && { identity }) }
  const logged: unknown[] = []
  const { post } = await servingRoutes((app) => {
    app.use(signIn, permission('app'))
    mountResource(app, {
      app: 'app',
      can: false,
      route: '/notes',
      name: 'notes',
      ...crud(notes, { input: NoteIn, output: NoteOut, scope, idempotency, bulk: ['createMany'] }),
    })
    mountRoutes(app, {
      app: 'app',
      can: false,
      route: '/payments',
      name: 'payments',
      routes: {
        pay: {
          methods: ['POST'],
          route: '/pay',
          ...idempotent({ store: notes, scope, ...idempotency }, {
            input: NoteIn,
            output: NoteOut,
            handler: (_req, _res, { title }, store) => store.create({ title }),
          }),
        },
      },
    })
  }, (error) => void logged.push(error))
  const ask = (path: string, headers: Record<string, string> = {}, body: object = { title: 'Milk' }): Promise<Reply> =>
    post(path, body, { headers: { 'idempotency-key': 'one', ...headers } })
  return { ask, logged, count: async () => (await notes.list({ where: [], order: ['id'] }).slice(0, 100)).length }
}

const bearer = async (id: number): Promise<Record<string, string>> => ({
  authorization: `Bearer ${await issueToken('app', { id }, { secret: SECRET })}`,
})
const isReplay = ({ headers }: Reply): boolean => headers.get('idempotency-replayed') === 'true'

describe('the identity of an Idempotency-Key', () => {
  it.each(['/notes', '/payments/pay'])('distinguishes tenants with the same user id, on %s', async (path) => {
    const { ask, count } = await serving({ scope: (req) => [['tenant', '=', tenantOf(req)]] })
    const token = await bearer(7)
    const first = await ask(path, { ...token, 'x-tenant': '1' })
    const other = await ask(path, { ...token, 'x-tenant': '2' })
    expect([first.status < 300, other.status < 300, isReplay(other), await count()]).toEqual([true, true, false, 2])
    const repeats = [await ask(path, { ...token, 'x-tenant': '1' }), await ask(path, { ...token, 'x-tenant': '2' })]
    expect(repeats.map(({ text }) => text)).toEqual([first.text, other.text])
    expect([repeats.map(isReplay), await count()]).toEqual([[true, true], 2])
  })

  it('distinguishes tenants in a bulk creation', async () => {
    const { ask, count } = await serving({ scope: (req) => [['tenant', '=', tenantOf(req)]] })
    const body = { items: [{ title: 'Milk' }] }
    for (const tenant of ['1', '2', '1']) await ask('/notes/bulk', { ...await bearer(7), 'x-tenant': tenant }, body)
    expect(await count()).toBe(2)
  })

  it.each(['/notes', '/payments/pay'])('ignores changed ranges and lists of the scope, on %s', async (path) => {
    let asked = 0
    const { ask, count } = await serving({
      scope: (
        req,
      ) => [['tenant', '=', tenantOf(req)], ['at', '<=', new Date(Date.now() + asked)], [
        'id',
        'in',
        Array.from({ length: 50 + ++asked }, (_, id) => id),
      ], { any: [[['id', '>', -asked]]] }],
    })
    const headers = { ...await bearer(7), 'x-tenant': '1' }
    const [first, second] = [await ask(path, headers), await ask(path, headers)]
    expect([first.status < 300, isReplay(second), second.text === first.text, await count()]).toEqual([
      true,
      true,
      true,
      1,
    ])
  })

  it('ignores the order of columns in the scope', async () => {
    let asked = 0
    const { ask, count } = await serving({
      scope: () => (asked++ % 2 === 0
        ? [['tenant', '=', 1], ['at', '=', new Date(5)]]
        : [['at', '=', new Date(5)], ['tenant', '=', 1]]),
    })
    const headers = await bearer(7)
    for (let again = 0; again < 3; again++) expect((await ask('/notes', headers)).status).toBe(201)
    expect(await count()).toBe(1)
  })

  it.each(['/notes', '/payments/pay'])('distinguishes strategies that know the same user id, on %s', async (path) => {
    const byHeader = (name: string): AuthOptions => ({
      verify: (req) => (req.get(name) === undefined ? null : { id: 7 }),
    })
    const { ask, count } = await serving({
      signIn: auth('app', [{ secret: SECRET }, byHeader('x-key'), byHeader('x-session')]),
    })
    const callers = [await bearer(7), { 'x-key': '1' }, { 'x-session': '1' }]
    for (const caller of [...callers, ...callers]) expect((await ask(path, caller)).status).toBeLessThan(300)
    expect(await count()).toBe(3)
  })

  it('distinguishes strategies even if `identity` is given', async () => {
    const { ask, count } = await serving({
      signIn: auth('app', [{ secret: SECRET }, { verify: () => ({ id: 7 }) }]),
      identity: (req) => req.auth?.id,
    })
    for (const caller of [await bearer(7), {}, await bearer(7)]) await ask('/notes', caller)
    expect(await count()).toBe(2)
  })

  it('distinguishes issuers of one strategy', async () => {
    const { ask, count } = await serving({
      signIn: auth('app', { verify: (req) => ({ id: 'ann', iss: req.get('x-issuer') }) }),
    })
    for (const issuer of ['https://one.test', 'https://two.test', 'https://one.test']) {
      await ask('/notes', { 'x-issuer': issuer })
    }
    expect(await count()).toBe(2)
  })

  it.each(['/notes', '/payments/pay'])('is anonymous if `identity` returns nothing, on %s', async (path) => {
    for (const owner of [undefined, null, '']) {
      const { ask, count, logged } = await serving({ identity: () => owner as undefined })
      expect((await ask(path, await bearer(7))).body).toMatchObject({
        code: 400,
        meta: { reason: 'idempotency_key_anonymous' },
      })
      expect([await count(), logged]).toEqual([0, []])
    }
  })

  it.each(['/notes', '/payments/pay'])('is a logged error if `identity` returns no string or number, on %s',
    async (path) => {
      const owners: readonly (() => unknown)[] = [() => Promise.resolve('ann'), () => Promise.reject(new Error('down')),
        () => NaN, () => Infinity, () => false, () => true, () => ({ id: 1 }), () => ['ann'], () => 7n]
      for (const identity of owners) {
        const { ask, count, logged } = await serving({ identity: identity as () => string })
        expect((await ask(path, await bearer(7))).body).toMatchObject({ code: 500, meta: { reason: 'internal' } })
        expect(await count()).toBe(0)
        expect(logged).toMatchObject([{ code: 'idempotency_identity' }])
      }
    })

  it('may be any string or finite number', async () => {
    for (const owner of ['ann', '0', 0, -1, 7.5]) {
      const { ask, count } = await serving({ identity: () => owner })
      for (let again = 0; again < 2; again++) expect((await ask('/notes', await bearer(7))).status).toBe(201)
      expect(await count()).toBe(1)
    }
  })

  it('is refused with a message if the key is malformed', async () => {
    const { ask } = await serving({})
    const { body } = await ask('/notes', { ...await bearer(7), 'idempotency-key': 'a b' })
    expect(body).toEqual({
      code: 400,
      message: 'Idempotency-Key must be 1 to 255 visible ASCII characters',
      data: null,
      meta: { reason: 'idempotency_key_invalid' },
    })
  })
})
