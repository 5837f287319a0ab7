import { generateKeyPairSync } from 'node:crypto'
import type { Express, Request, RequestHandler } from 'express'
import { decodeJwt, exportJWK, SignJWT } from 'jose'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { auth } from 'resourcery'
import { authOf } from 'resourcery'
import type { LoadingAuth, LoadOptions } from 'resourcery'
import type { RenewOptions } from '../../lib/core/auth/secret.js'
import { RememberedCallers } from '../../lib/core/auth/remembered-callers.js'
import { MisuseError, NotFoundError } from 'resourcery'
import { permission } from 'resourcery'
import { inject } from 'resourcery/testing'
import type { Auth } from 'resourcery'
import { serving, type Client } from '../support/http.js'
import { appOf, mark, SECRET, seconds, signed, whoami } from './marked-routes.js'

type Load = LoadOptions
type Answer = Auth | null

interface Loading extends Client {
  readonly app: ReturnType<typeof appOf>
  readonly forget: LoadingAuth['forget']
}

async function loading(load: Load, renew?: RenewOptions, more: (app: Express) => void = () => {}): Promise<Loading> {
  const guard = auth('admin', { secret: SECRET, load, ...(renew && { renew }) })
  const app = appOf((made) => {
    made.use(guard, permission('admin'))
    mark(made, '/posts', 'posts')
    mark(made, '/mine', 'mine', { can: false })
    mark(made, '/maybe', 'maybe', { auth: 'optional', can: false })
    mark(made, '/open', 'open', { auth: false })
    made.get('/me', whoami)
    more(made)
  })
  return { ...await serving(app), app, forget: guard.forget }
}

/** A function that answers one call after the other, each when the test says so. */
function answering() {
  const calls: unknown[][] = []
  const waiting: ((caller: Answer) => void)[] = []
  const run = (...args: unknown[]): Promise<Answer> => {
    calls.push(args)
    return new Promise((resolve) => waiting.push(resolve))
  }
  return { run, calls, answer: (caller: Answer) => waiting.shift()?.(caller) }
}

async function callerOf(client: Client, token: string, headers: Record<string, string> = {}): Promise<Auth> {
  const { body } = await client.get('/me', { token, headers })
  return (body as unknown as { auth: Auth }).auth
}

const reached = (count: number, calls: readonly unknown[]): Promise<void> =>
  vi.waitFor(() => expect(calls).toHaveLength(count))

/** Stops the time, and returns a function that lets seconds pass; timers run as usual. */
function clock(): (seconds: number) => void {
  vi.useFakeTimers({ toFake: ['Date', 'performance'], now: Date.now() })
  onTestFinished(() => void vi.useRealTimers())
  return (forward) => void vi.advanceTimersByTime(forward * 1000)
}

describe('a caller that is loaded for every request', () => {
  it('is what `req.auth` contains and what `permission` reads, and never the claims', async () => {
    const roles: Record<string, readonly string[]> = { 7: ['admin.posts'] }
    const client = await loading(({ id }) => ({ id, team: 'a', permissions: roles[String(id)] ?? [] }))
    const token = await signed({ role: 'boss', permissions: ['*'] })
    const reply = await client.get('/posts', { token })
    expect([reply.status, reply.body]).toEqual([200, {
      reached: true,
      auth: { id: 7, team: 'a', permissions: ['admin.posts'] },
    }])
    roles[7] = []
    expect((await client.get('/posts', { token })).body).toMatchObject({ reason: 'forbidden' })
  })

  it('gets the claims of the token and the request', async () => {
    const load = vi.fn(async (claims: Auth, req: Request) => ({ id: claims.id, path: req.path, claims }))
    const client = await loading(load)
    const token = await signed({ tenant: 5 })
    expect((await client.get('/me', { token })).body).toMatchObject({
      auth: { id: 7, path: '/me', claims: { id: 7, sub: '7', aud: 'admin', tenant: 5 } },
    })
  })

  it('is loaded anew for parallel and later requests', async () => {
    let loads = 0
    const client = await loading(() => ({ id: ++loads }))
    const token = await signed()
    await Promise.all([client.get('/me', { token }), client.get('/me', { token }), client.get('/mine', { token })])
    expect((await client.get('/me', { token })).body).toMatchObject({ auth: { id: 4 } })
  })

  const nothing = [null, undefined]
  it.each(nothing)('is refused with 401 `token_revoked` wherever credentials are read, for %s', async (none) => {
    const client = await loading(() => none)
    const token = await signed()
    for (const path of ['/posts', '/mine', '/maybe', '/me', '/nowhere']) {
      const reply = await client.get(path, { token })
      expect([path, reply.status, reply.headers.get('www-authenticate'), reply.body]).toEqual([
        path,
        401,
        'Bearer realm="admin", error="invalid_token"',
        { message: 'The credentials are not valid', reason: 'token_revoked' },
      ])
    }
    expect((await client.get('/open', { token })).body).toEqual({ reached: true, auth: null })
    expect((await client.get('/maybe')).body).toEqual({ reached: true, auth: null })
  })

  it('is loaded for valid tokens only', async () => {
    const load = vi.fn(() => ({ id: 1 }))
    const client = await loading(load)
    expect((await client.get('/me')).body).toMatchObject({ reason: 'token_missing' })
    const foreign = await signed({}, 'x'.repeat(40))
    expect((await client.get('/me', { token: foreign })).body).toMatchObject({ reason: 'token_invalid' })
    const old = await signed({ exp: seconds() - 5 })
    expect((await client.get('/me', { token: old })).body).toMatchObject({ reason: 'token_expired' })
    expect(load).not.toHaveBeenCalled()
  })

  const accidents = [new Error('db down'), new NotFoundError(), { status: 404 }, 'route', undefined, null]
  it.each(accidents)('replies 503 if `load` throws or rejects with %s', async (thrown) => {
    for (const fail of [() => {
      throw thrown
    }, () => Promise.reject(thrown)]) {
      for (const load of [fail, { run: fail, seconds: 60 }, { run: fail, seconds: 60, key: () => '' }]) {
        const client = await loading(load)
        const token = await signed()
        for (const path of ['/posts', '/mine', '/me', '/me']) {
          const reply = await client.get(path, { token })
          expect([reply.status, reply.body]).toEqual([503, { message: '', reason: 'unavailable' }])
        }
      }
    }
  })

  const nobody = [true, 'root', 0, {}, [[]], { id: '' }, { id: Number.NaN }]
  it.each(nobody)('replies 503 if it is %j, which has no id', async (answer) => {
    const client = await loading(() => answer as never)
    expect((await client.get('/me', { token: await signed() })).status).toBe(503)
  })

  it('replies 503 after the time-out, and loads again for the next request', async () => {
    let calls = 0
    const run = (): Promise<Answer> => (calls++ === 0 ? new Promise(() => undefined) : Promise.resolve({ id: 1 }))
    for (const load of [{ run, timeout: 0.01 }, { run, timeout: 0.01, seconds: 60 }]) {
      calls = 0
      const client = await loading(load)
      const token = await signed()
      expect((await client.get('/me', { token })).status).toBe(503)
      expect((await client.get('/me', { token })).status).toBe(200)
    }
  })

  it('is loaded once more if it was forgotten meanwhile', async () => {
    const { run, answer, calls } = answering()
    const client = await loading(run)
    const reply = client.get('/me', { token: await signed() })
    await reached(1, calls)
    await client.forget(7)
    answer({ id: 7, version: 'old' })
    await reached(2, calls)
    answer({ id: 7, version: 'new' })
    expect((await reply).body).toMatchObject({ auth: { version: 'new' } })
  })

  it('is loaded once if another id was forgotten meanwhile, and once more for its own id or that of the claim', async () => {
    for (const [forgotten, calls] of [['other', 1], ['row-7', 2], ['7', 2]] as const) {
      const { run, answer, calls: made } = answering()
      const client = await loading(run)
      const reply = client.get('/me', { token: await signed() })
      await reached(1, made)
      await client.forget(forgotten)
      answer({ id: 'row-7' })
      if (calls === 2) {
        await reached(2, made)
        answer({ id: 'row-7' })
      }
      expect([(await reply).status, made.length]).toEqual([200, calls])
    }
  })

  it('logs the cause of a failure', async () => {
    const cause = new Error('database')
    for (const [load, expected] of [
      [() => Promise.reject(cause), cause],
      [() => ({ name: 'Ann' }), new TypeError('`load` must return a caller with an `id`, or null.')],
      [{ run: () => ({ id: 1 }), seconds: 5, key: () => 5 }, new TypeError('`key` must return a string, not 5.')],
    ] as const) {
      const client = await loading(load as never)
      expect((await client.get('/me', { token: await signed() })).status).toBe(503)
      expect(client.app.logged).toMatchObject([{ cause: expected }])
    }
  })

  it('may be another id than the claim, as for a token of an identity provider', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const keys = { keys: [{ ...await exportJWK(publicKey), alg: 'ES256' }] }
    const run = vi.fn(({ id }: Auth) => ({ id: 42, subject: id }))
    const provider = { jwks: keys, issuer: 'https://id.test', audience: 'admin' }
    const guard = auth('admin', { ...provider, load: { run, seconds: 60 } })
    const client = await serving(appOf((app) => app.use(guard).get('/me', whoami)))
    const token = await new SignJWT({ sub: 'ann', iss: 'https://id.test', aud: 'admin', exp: seconds() + 60 })
      .setProtectedHeader({ alg: 'ES256' }).sign(privateKey)
    expect((await client.get('/me', { token })).body).toMatchObject({ auth: { id: 42, subject: 'ann' } })
    await guard.forget(42)
    await client.get('/me', { token })
    await client.get('/me', { token })
    expect(run).toHaveBeenCalledTimes(2)
  })
})

describe('a caller that is remembered', () => {
  it('is loaded once for parallel and later requests with a token, from the claims alone', async () => {
    const { run, answer, calls } = answering()
    const client = await loading({ run, seconds: 60 })
    const [token, other] = [await signed(), await signed({ jti: 'other' })]
    const replies = ['/posts', '/mine', '/me'].map((path) => client.get(path, { token }))
    await reached(1, calls)
    answer({ id: 7, permissions: ['admin.posts'] })
    expect((await Promise.all(replies)).map(({ status }) => status)).toEqual([200, 200, 200])
    expect((await client.get('/me', { token })).body).toMatchObject({ auth: { id: 7 } })
    expect(calls.map((args) => args.length)).toEqual([1])
    const another = client.get('/me', { token: other })
    await reached(2, calls)
    answer({ id: 8 })
    expect((await another).body).toMatchObject({ auth: { id: 8 } })
  })

  it('is loaded again after its seconds, counted from the begin of the load', async () => {
    const forward = clock()
    let loads = 0
    const client = await loading({ run: () => {
      forward(4)
      return { id: ++loads }
    }, seconds: 10 })
    const token = await signed({ exp: seconds() + 1000 })
    const idOf = async (): Promise<unknown> => (await callerOf(client, token)).id
    expect(await idOf()).toBe(1)
    forward(5)
    expect(await idOf()).toBe(1)
    forward(1)
    expect(await idOf()).toBe(2)
    vi.setSystemTime(Date.now() - 3_600_000)
    forward(5)
    expect(await idOf()).toBe(2)
    forward(1)
    expect(await idOf()).toBe(3)
  })

  it('is refused once its token has expired', async () => {
    const forward = clock()
    const client = await loading({ run: ({ id }) => ({ id }), seconds: 600 })
    const token = await signed({ exp: seconds() + 60 })
    expect((await client.get('/me', { token })).status).toBe(200)
    forward(61)
    expect((await client.get('/me', { token })).body).toMatchObject({ reason: 'token_expired' })
  })

  it('is another one for another `key`, and the request is passed to `run`', async () => {
    const run = vi.fn(({ id }: Auth, req: Request) => ({ id, tenant: req.get('x-tenant') }))
    const client = await loading({ run, seconds: 60, key: (_claims, req) => req.get('x-tenant') ?? '' })
    const token = await signed()
    const tenantOf = async (tenant: string): Promise<unknown> =>
      (await callerOf(client, token, { 'x-tenant': tenant })).tenant
    expect(await Promise.all(['a', 'b', 'a', 'b'].map(tenantOf))).toEqual(['a', 'b', 'a', 'b'])
    expect(run).toHaveBeenCalledTimes(2)
    await client.forget(7)
    expect(await tenantOf('b')).toBe('b')
    expect(run).toHaveBeenCalledTimes(3)
  })

  it('is loaded with the claims of the token, whatever `key` has made of its copy', async () => {
    const client = await loading({
      run: ({ id, role }: Auth) => ({ id, role: String(role) }),
      seconds: 60,
      key: (claims) => {
        Object.assign(claims, { role: 'boss' })
        return ''
      },
    })
    expect(await callerOf(client, await signed({ role: 'reader' }))).toEqual({ id: 7, role: 'reader' })
  })

  it('keeps its dates and other objects of a class', async () => {
    const at = new Date(0)
    const load = { run: () => ({ id: 7, at, empty: Object.assign(Object.create(null) as object, { a: 1 }) }),
      seconds: 60 }
    const client = await loading(load)
    const token = await signed()
    for (let time = 0; time < 2; time++) {
      expect(await callerOf(client, token)).toEqual({ id: 7, at: at.toISOString(), empty: { a: 1 } })
    }
  })

  it('replies 503 if `key` throws or returns no string', async () => {
    for (const key of [() => undefined as never, () => {
      throw new Error('no')
    }]) {
      const client = await loading({ run: () => ({ id: 1 }), seconds: 60, key })
      expect((await client.get('/me', { token: await signed() })).status).toBe(503)
    }
  })

  it('is not shared by applications', async () => {
    const named = (name: string): RequestHandler =>
      auth('admin', { secret: SECRET, load: { run: ({ id }) => ({ id, name }), seconds: 60 } })
    const client = await serving(appOf((app) => app.get('/a', named('a'), whoami).get('/b', named('b'), whoami)))
    const token = await signed()
    for (const name of ['a', 'b', 'a', 'b']) {
      expect((await client.get(`/${name}`, { token })).body).toMatchObject({ auth: { name } })
    }
  })

  it('is a copy for each request, so that none changes another one', async () => {
    const load = { run: () => ({ id: 7, permissions: [], team: { roles: ['reader'] } }), seconds: 60 }
    const client = await loading(load, undefined, (app) => {
      app.get('/grow', (req, res) => {
        const { permissions, team } = req.auth as unknown as { permissions: string[]; team: { roles: string[] } }
        permissions.push('*')
        team.roles.push('boss')
        res.json({})
      })
    })
    const token = await signed()
    await client.get('/grow', { token })
    await client.get('/grow', { token })
    expect((await client.get('/posts', { token })).status).toBe(403)
    expect(await callerOf(client, token)).toEqual({ id: 7, permissions: [], team: { roles: ['reader'] } })
  })

  it('is loaded again after `forget`, whatever the type of the id', async () => {
    for (const [id, forgotten] of [[7, 7], [7, '7'], ['7', 7]] as const) {
      const run = vi.fn(() => ({ id }))
      const client = await loading({ run, seconds: 60 })
      const token = await signed()
      await client.get('/me', { token })
      await client.forget(8)
      await client.get('/me', { token })
      expect(run).toHaveBeenCalledTimes(1)
      await client.forget(forgotten)
      await client.get('/me', { token })
      expect(run).toHaveBeenCalledTimes(2)
    }
  })

  it('is neither remembered nor used if it was forgotten while it was loaded', async () => {
    const { run, answer, calls } = answering()
    const client = await loading({ run, seconds: 60 })
    const token = await signed()
    const before = client.get('/me', { token })
    await reached(1, calls)
    await client.forget(7)
    const after = client.get('/me', { token })
    answer({ id: 7, version: 'old' })
    await reached(2, calls)
    answer({ id: 7, version: 'new' })
    for (const reply of [await before, await after, await client.get('/me', { token })]) {
      expect(reply.body).toMatchObject({ auth: { version: 'new' } })
    }
    expect(calls).toHaveLength(2)
  })

  it.each(['at once', 'later'])('causes a 503 if each load leads to `forget` %s', async (when) => {
    const run = vi.fn(async () => {
      if (when === 'later') await new Promise(setImmediate)
      void client.forget(7)
      return { id: 7 }
    })
    const client: Loading = await loading({ run, seconds: 60 })
    expect((await client.get('/me', { token: await signed() })).status).toBe(503)
    expect(run).toHaveBeenCalledTimes(10)
    expect(client.app.logged).toMatchObject([{ cause: { message: expect.stringContaining('each of 10 loads') } }])
  })

  it('causes a 503 if it contains itself', async () => {
    const caller: Auth & { self?: object } = { id: 7 }
    caller.self = caller
    const client = await loading({ run: () => caller, seconds: 60 })
    expect((await client.get('/me', { token: await signed() })).status).toBe(503)
  })

  it('is loaded again if an id was forgotten while it was found to be revoked', async () => {
    const { run, answer, calls } = answering()
    const client = await loading({ run, seconds: 60 })
    const reply = client.get('/me', { token: await signed() })
    await reached(1, calls)
    await client.forget('other')
    answer(null)
    await reached(2, calls)
    answer({ id: 9 })
    expect((await reply).status).toBe(200)
  })

  it('is not remembered as revoked, so that it is admitted as soon as it is restored', async () => {
    let caller: Answer = null
    const client = await loading({ run: () => caller, seconds: 60 })
    const token = await signed()
    expect((await client.get('/me', { token })).status).toBe(401)
    caller = { id: 7 }
    expect((await client.get('/me', { token })).status).toBe(200)
  })

  it('is dropped before the cache outgrows its limit, the least recently used one first', () => {
    const callers = new RememberedCallers(60, 2)
    for (const id of ['a', 'b']) callers.keep(id, { id }, performance.now())
    expect(callers.find('a')).toEqual({ id: 'a' })
    callers.keep('c', { id: 'c' }, performance.now())
    expect(['a', 'b', 'c'].map((id) => callers.find(id)?.id)).toEqual(['a', undefined, 'c'])
  })
})

describe('forget', () => {
  /** A channel of several processes, in this one. */
  function channel() {
    const listeners: ((id: string) => void)[] = []
    const published: string[] = []
    return {
      published,
      listeners,
      publish: (id: string): void => {
        published.push(id)
        for (const listener of listeners) listener(id)
      },
      subscribe: (listener: (id: string) => void): void => void listeners.push(listener),
    }
  }

  it('reaches the processes that share a broadcast', async () => {
    const broadcast = channel()
    const runs = [vi.fn(() => ({ id: 7 })), vi.fn(() => ({ id: 7 }))] as const
    const clients = await Promise.all(runs.map((run) => loading({ run, seconds: 60, broadcast })))
    const token = await signed()
    for (const client of clients) await client.get('/me', { token })
    await clients[0]?.forget(7)
    expect(broadcast.published).toEqual(['7'])
    for (const client of clients) await client.get('/me', { token })
    expect(runs.map((run) => run.mock.calls.length)).toEqual([2, 2])
  })

  it('discards loads under way in other processes too', async () => {
    const broadcast = channel()
    const { run, answer, calls } = answering()
    const client = await loading({ run, seconds: 60, broadcast })
    const reply = client.get('/me', { token: await signed() })
    await reached(1, calls)
    broadcast.publish('7')
    answer({ id: 7, version: 'old' })
    await reached(2, calls)
    answer({ id: 7, version: 'new' })
    expect((await reply).body).toMatchObject({ auth: { version: 'new' } })
  })

  it('remembers no caller until the subscription is there, nor if it fails', async () => {
    const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined)
    onTestFinished(() => warned.mockRestore())
    const token = await signed()
    const twice = async (client: Client): Promise<void> => {
      await client.get('/me', { token })
      await client.get('/me', { token })
    }
    let subscribed = (): void => undefined
    const run = vi.fn(() => ({ id: 7 }))
    const late = { ...channel(), subscribe: () =>
      new Promise<void>((resolve) => {
        subscribed = resolve
      }) }
    const client = await loading({ run, seconds: 60, broadcast: late })
    await twice(client)
    expect(run).toHaveBeenCalledTimes(2)
    subscribed()
    await twice(client)
    expect(run).toHaveBeenCalledTimes(3)
    const broken = { ...channel(), subscribe: () => Promise.reject(new Error('down')) }
    const failing = await loading({ run, seconds: 60, broadcast: broken })
    await twice(failing)
    expect(run).toHaveBeenCalledTimes(5)
    expect(warned.mock.calls[0]).toEqual([expect.stringContaining('down'), { code: 'RESOURCERY_SUBSCRIBE' }])
  })

  it('remembers nothing, and warns, if subscribing throws', async () => {
    const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined)
    onTestFinished(() => warned.mockRestore())
    const run = vi.fn(() => ({ id: 7 }))
    const broken = { ...channel(), subscribe: (): void => {
      throw new Error('no connection')
    } }
    const client = await loading({ run, seconds: 60, broadcast: broken })
    const token = await signed()
    await client.get('/me', { token })
    await client.get('/me', { token })
    expect(run).toHaveBeenCalledTimes(2)
    expect(warned.mock.calls).toEqual([[expect.stringContaining('no connection'), { code: 'RESOURCERY_SUBSCRIBE' }]])
  })

  it('drops the caller at once, and rejects if the others cannot be told', async () => {
    const unhandled = vi.fn()
    process.on('unhandledRejection', unhandled)
    onTestFinished(() => void process.off('unhandledRejection', unhandled))
    const run = vi.fn(() => ({ id: 7 }))
    const broken = { ...channel(), publish: () => Promise.reject(new Error('down')) }
    const client = await loading({ run, seconds: 60, broadcast: broken })
    const token = await signed()
    await client.get('/me', { token })
    void client.forget(7)
    await client.get('/me', { token })
    expect(run).toHaveBeenCalledTimes(2)
    await expect(client.forget(7)).rejects.toThrow('down')
    const mute = { ...channel(), publish: () => new Promise(() => undefined) }
    const silent = await loading({ run, seconds: 60, timeout: 0.01, broadcast: mute })
    await expect(silent.forget(7)).rejects.toThrow('within 0.01 seconds')
    expect(unhandled).not.toHaveBeenCalled()
  })

  it('is a mistake without `load`, or for a value that is no id', async () => {
    expect(() => auth('admin', [{ secret: SECRET }]).forget(7)).toThrow(MisuseError)
    const { forget } = auth('admin', [{ verify: () => null }, { secret: SECRET, load: () => null }])
    expect(() => forget(undefined as never)).toThrow('needs the `id` of a caller, not undefined')
    await expect(forget(7)).resolves.toBeUndefined()
  })
})

describe('sliding renewal with `load`', () => {
  const aged = (): Promise<string> => signed({ iat: seconds() - 60, exp: seconds() + 3600, role: 'editor' })

  it('keeps the claims of the token, so that nothing of the loaded caller is in it', async () => {
    const client = await loading(({ id }) => ({ id, email: 'ann@example.test' }), { after: 30 })
    const reply = await client.get('/me', { token: await aged() })
    expect(reply.body).toEqual({ reached: true, auth: { id: 7, email: 'ann@example.test' } })
    const { id, role, email } = decodeJwt(String(reply.headers.get('authorization')).slice(7))
    expect([id, role, email]).toEqual([7, 'editor', undefined])
  })

  it('gets the claims of `reload`, while `req.auth` is the loaded caller', async () => {
    const load: Load = { run: ({ id }) => ({ id, by: 'load' }), seconds: 60 }
    const client = await loading(load, { after: 30, reload: () => ({ role: 'boss' }) })
    const reply = await client.get('/me', { token: await aged() })
    expect(reply.body).toEqual({ reached: true, auth: { id: 7, by: 'load' } })
    expect(decodeJwt(String(reply.headers.get('authorization')).slice(7)).role).toBe('boss')
  })

  it('does not renew the token of a revoked caller, and does not call `reload`', async () => {
    const reload = vi.fn(() => ({ role: 'boss' }))
    const client = await loading(() => null, { after: 30, reload })
    const reply = await client.get('/me', { token: await aged() })
    expect([reply.status, reply.headers.get('authorization')]).toEqual([401, null])
    expect(reload).not.toHaveBeenCalled()
  })

  it('does not renew by what `load` has written into the claims', async () => {
    const client = await loading((claims) => Object.assign(claims, { role: 'boss' }), { after: 30 })
    const reply = await client.get('/me', { token: await aged() })
    expect(decodeJwt(String(reply.headers.get('authorization')).slice(7)).role).toBe('editor')
  })
})

describe('the options of `load`', () => {
  it.each<[string, unknown, string]>([
    ['null', null, 'options_shape'],
    ['an object without `run`', {}, 'option_function'],
    ['a `run` that is no function', { run: 'SELECT' }, 'option_function'],
    ['a misspelt option', { run: () => null, second: 5 }, 'option_unknown'],
    ['seconds as a string', { run: () => null, seconds: '60' }, 'option_seconds'],
    ['no seconds', { run: () => null, seconds: 0 }, 'load_invalid'],
    ['seconds without an end', { run: () => null, seconds: Infinity }, 'option_seconds'],
    ['a time-out of 0', { run: () => null, timeout: 0 }, 'option_seconds'],
    ['a key without seconds', { run: () => null, key: () => '' }, 'load_invalid'],
    ['a key that is no function', { run: () => null, seconds: 5, key: 'tenant' }, 'option_function'],
    ['a broadcast without seconds', { run: () => null, broadcast: { publish() {}, subscribe() {} } }, 'load_invalid'],
    ['a broadcast that is no object', { run: () => null, seconds: 5, broadcast: 'redis://' }, 'load_invalid'],
    ['a broadcast of null', { run: () => null, seconds: 5, broadcast: null }, 'load_invalid'],
    ['half a broadcast', { run: () => null, seconds: 5, broadcast: { publish() {} } }, 'option_function'],
  ])('are refused when mounting: %s', (_title, load, code) => {
    expect(() => auth('admin', { secret: SECRET, load: load as never }))
      .toThrow(expect.objectContaining({ code }) as Error)
  })

  it('are explained where one needs another', () => {
    const load = { run: () => null, key: () => '' }
    expect(() => auth('admin', { secret: SECRET, load: load as never })).toThrow('`key` needs `seconds`')
  })

  it('are refused beside `verify`, which is asked for every request', () => {
    expect(() => auth('admin', { verify: () => null, load: () => null } as never)).toThrow('there is no option `load`')
  })
})

describe('inject', () => {
  it('signs a caller in without `load`', async () => {
    const load = vi.fn(() => null)
    const { app } = await loading(load)
    const reply = await inject(app, { method: 'GET', path: '/posts', as: { id: 1, permissions: ['admin.posts'] } })
    expect(reply.status).toBe(200)
    expect(load).not.toHaveBeenCalled()
  })
})

describe('middleware that assigns `req.auth`', () => {
  const assigning = (value: unknown, at: 'in front' | 'behind', guards = [permission('admin')]) => {
    const app = appOf((made) => {
      const assign: RequestHandler = (req, _res, next) => {
        req.auth = typeof value === 'function' ? (value as (auth: unknown) => Auth)(req.auth) : value as Auth
        next()
      }
      made.use(auth('admin', { secret: SECRET }))
      made.use(...(at === 'in front' ? [assign, ...guards] : [...guards, assign]))
      mark(made, '/posts', 'posts')
      mark(made, '/mine', 'mine', { can: false })
      mark(made, '/open', 'open', { auth: false })
    })
    return serving(app).then((client) => ({ ...client, logged: app.logged }))
  }

  it.each([
    ['another caller', { id: 1, permissions: ['*'] }],
    ['the same caller with other permissions', (old: Auth) => ({ ...old, permissions: ['*'] })],
    ['what another library found', { payload: { sub: '7' } }],
    ['null', null],
  ])('in front of `permission` makes a logged 500: %s', async (_title, value) => {
    const client = await assigning(value, 'in front')
    const reply = await client.get('/posts', { token: await signed() })
    expect([reply.status, reply.body]).toEqual([500, { message: '', reason: 'internal' }])
    expect(client.logged[0]?.message).toContain('return the other one from `load` or `verify` of auth')
    expect((await client.get('/mine', { token: await signed() })).status).toBe(500)
    expect((await client.get('/open')).status).toBe(200)
  })

  it('behind `permission` changes what handlers see', async () => {
    const client = await assigning((old: Auth) => ({ ...old, team: 'a' }), 'behind')
    expect((await client.get('/posts', { token: await signed() })).body).toMatchObject({ auth: { id: 7, team: 'a' } })
  })

  it('is no matter between the guards of two applications', async () => {
    const client = await serving(appOf((app) => {
      const shop = auth('shop', { verify: () => ({ id: 's', permissions: ['shop.posts'] }) })
      app.use(auth('admin', { secret: SECRET }), shop)
      app.use(permission('admin'), permission('shop'))
      mark(app, '/posts', 'posts', { app: null })
    }))
    expect((await client.get('/posts', { token: await signed() })).status).toBe(200)
  })
})

describe('authOf', () => {
  it('returns the caller of an application, also if `req.auth` is assigned', async () => {
    const client = await serving(appOf((app) => {
      const answer: RequestHandler = (req, res) =>
        void res.json([authOf(req), authOf(req, 'admin'), authOf(req, 'shop')].map((caller) => caller?.id))
      app.use('/open', answer)
      app.use(auth('admin', { secret: SECRET }), auth('shop', { verify: () => ({ id: 's' }) }))
      app.use((req, _res, next) => {
        req.auth = { id: 'other' }
        next()
      })
      app.get('/both', answer)
      app.get('/again', auth('admin', { verify: () => ({ id: 'again' }) }), answer)
    }))
    const token = await signed()
    expect((await client.get('/open', { token })).body).toEqual([null, null, null])
    expect((await client.get('/both', { token })).body).toEqual(['s', 7, 's'])
    expect((await client.get('/again', { token })).body).toEqual(['again', 'again', 's'])
  })

  it('returns the caller of the application of the route, and none on a public one', async () => {
    const callers: unknown[] = []
    const note: RequestHandler = (req, _res, next) => {
      callers.push(authOf(req)?.id)
      next()
    }
    const hidden: RequestHandler = (req, res, next) => void auth('admin', { secret: SECRET })(req, res, next)
    const client = await serving(appOf((app) => {
      app.use(hidden, auth('shop', { verify: () => ({ id: 's' }) }))
      mark(app, '/posts', 'posts', { can: false, guards: [note] })
      mark(app, '/open', 'open', { auth: false, guards: [note] })
    }))
    const token = await signed()
    await client.get('/posts', { token })
    await client.get('/open', { token })
    expect(callers).toEqual([7, undefined])
  })
})
