import { issueToken, routeManifest } from 'resourcery'
import { ApiError, createClient, type ClientOptions } from 'resourcery/client'
import { dataProvider } from 'resourcery/refine'
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { serving } from './support/http.js'
import { app, reset, SECRET, type Api } from './client/api.js'

const routes = routeManifest(app)

async function connect(options: Partial<ClientOptions> = {}) {
  const { url } = await serving(app)
  return createClient<Api>({ url, routes, ...options })
}

/** Returns a `fetch` that records what it is given. */
function recorded(): {
  readonly requests: [url: string, init: RequestInit][]
  readonly fetch: typeof globalThis.fetch
} {
  const requests: [string, RequestInit][] = []
  return { requests, fetch: (url, init = {}) => (requests.push([url as string, init]), globalThis.fetch(url, init)) }
}

beforeEach(reset)

describe('a call of the client', () => {
  it('resolves to the envelope and `ok`', async () => {
    const api = await connect()
    expect(await api.posts.show({ id: 1 })).toEqual({
      ok: true,
      code: 200,
      message: 'ok',
      data: { id: 1, title: 'Post 1', status: 0, publishedAt: '1970-01-01T00:00:00.000Z' },
      meta: {},
    })
    expect(await api.posts.show({ id: 999 })).toEqual({
      ok: false,
      code: 404,
      message: 'Not found',
      data: null,
      meta: { reason: 'not_found' },
    })
  })

  it('distributes the fields of one object to path, query and body', async () => {
    const api = await connect()
    const reply = await api.echo.body({ id: 7, dry: true, tags: ['a'], on: new Date(0) })
    expect(reply).toMatchObject({ ok: true, data: { id: 7, dry: true, tags: ['a'], on: '1970-01-01T00:00:00.000Z' } })
  })

  it('sends a list of one item as a list, an empty list as an empty value, and dates as instants', async () => {
    const api = await connect()
    expect(await api.echo.query({ tags: ['a,b'], on: new Date(0) })).toMatchObject({
      data: { tags: ['a,b'], on: '1970-01-01T00:00:00.000Z' },
    })
    expect(await api.echo.query({ tags: ['a', 'ü'] })).toMatchObject({ data: { tags: ['a', 'ü'] } })
    expect(await api.posts.list({ status: [] })).toMatchObject({ ok: false, code: 422 })
    expect(await api.posts.deleteMany({ ids: [] })).toMatchObject({ ok: false, code: 422 })
  })

  it('sends the names of relations in any form', async () => {
    const api = await connect()
    const whole = { id: 1, text: 'Buy milk', words: 2, author: 'Ann' }
    expect(await api.notes.list({ include: ['words', 'author'] })).toMatchObject({ ok: true, data: [whole] })
    expect(await api.notes.show({ id: 1, include: 'words,author' })).toMatchObject({ ok: true, data: whole })
    expect((await api.notes.show({ id: 1 })).data).toEqual({ id: 1, text: 'Buy milk' })
  })

  it('encodes path arguments, and each segment of a wildcard', async () => {
    const api = await connect()
    expect(await api.echo.place({ shelf: 'a/b?c#d', path: ['x y', 'ü/%'] })).toMatchObject({
      data: { shelf: 'a/b?c#d', path: ['x y', 'ü/%'] },
    })
  })

  it.each(['', '.', '..', undefined, null])(
    'refuses %j as a path argument, which would name another route',
    async (id) => {
      const { requests, fetch } = recorded()
      const api = await connect({ fetch })
      await expect(api.posts.delete({ id: id as never })).rejects.toThrow(new TypeError('posts.delete needs id'))
      expect(requests).toEqual([])
    },
  )

  it.each([[[]], [[1, 'secrets']], [[1]], [{ a: 1 }], [{ toJSON: () => ['1', '2'] }], [() => 1], [new Date(NaN)]])(
    'refuses %j as the value of one segment',
    async (id) => {
      const { requests, fetch } = recorded()
      const api = await connect({ fetch })
      await expect(api.posts.delete({ id: id as never })).rejects.toThrow(new TypeError('posts.delete needs id'))
      expect(requests).toEqual([])
    },
  )

  it.each([[[]], [['a', '']], [['..', 'a']], [['.']], [[['a', 'b']]], [Array(2).fill('a', 1)], [''], [undefined]])(
    'refuses %j as the value of a wildcard',
    async (path) => {
      const { requests, fetch } = recorded()
      const api = await connect({ fetch })
      await expect(api.echo.place({ shelf: 'a', path: path as never })).rejects.toThrow(
        new TypeError('echo.place needs path'),
      )
      expect(requests).toEqual([])
    },
  )

  it('returns the messages by field of a validation error, and a conflict', async () => {
    const api = await connect()
    const invalid = await api.posts.create({ title: 'x' })
    expect(invalid).toMatchObject({ ok: false, code: 422, data: { title: ['At least 2 characters'] } })
    expect(await api.echo.taken()).toEqual({
      ok: false,
      code: 409,
      message: 'This is taken',
      data: null,
      meta: { reason: 'taken' },
    })
  })

  it('sends headers from its options, and returns the headers of the response', async () => {
    const api = await connect()
    const { headers } = await api.posts.show({ id: 2 })
    const etag = headers.get('ETag') ?? ''
    expect(etag).not.toBe('')
    expect(await api.echo.headers({}, { ifMatch: etag, idempotencyKey: 'k-1', headers: { 'Accept-Language': 'de' } }))
      .toMatchObject({
        data: { ifMatch: etag, key: 'k-1', lang: 'de' },
      })
    expect(await api.posts.store({ id: 2, title: 'Changed' }, { ifMatch: etag })).toMatchObject({
      ok: true,
      message: 'Saved',
    })
    expect(await api.posts.store({ id: 2, title: 'Again' }, { ifMatch: etag })).toMatchObject({ ok: false, code: 412 })
    const key = { idempotencyKey: 'create-once' }
    const [first, second] = [
      await api.posts.create({ title: 'Once' }, key),
      await api.posts.create({ title: 'Once' }, key),
    ]
    expect(second).toEqual(first)
  })

  it('sends a Blob in a form together with the other fields', async () => {
    const api = await connect()
    const photos = [new File(['one'], 'one.txt'), new File(['three'], 'two.txt')]
    expect(await api.echo.upload({ title: 'Ä', tags: ['x'], photos })).toMatchObject({
      ok: true,
      data: { title: 'Ä', tags: ['x'], files: ['one.txt 3', 'two.txt 5'] },
    })
  })

  it('returns a file as a Blob, and null for a reply without content', async () => {
    const api = await connect()
    const reply = await api.echo.csv()
    expect(reply).toMatchObject({ ok: true, code: 200 })
    expect(await (reply.data as Blob).text()).toBe('a,b\r\n')
    expect(await api.echo.nothing()).toEqual({ ok: true, code: 204, message: 'ok', data: null, meta: {} })
  })

  it('returns code 0 for a page of a proxy or of another server, and without a server', async () => {
    const api = await connect()
    expect(await api.echo.page()).toEqual({
      ok: false,
      code: 0,
      message: 'Another server replied',
      data: null,
      meta: { reason: 'http_502', cause: undefined },
    })
    expect(await api.echo.portal()).toMatchObject({ ok: false, code: 0, meta: { reason: 'http_200' } })
    const unreachable = createClient<Api>({ url: 'http://127.0.0.1:1', routes })
    expect(await unreachable.posts.list()).toMatchObject({
      ok: false,
      code: 0,
      message: 'The server could not be reached',
      data: null,
      meta: { reason: 'network' },
    })
  })

  it('rejects an object in a query or a form, which would be sent as `[object Object]`', async () => {
    const { requests, fetch } = recorded()
    const api = await connect({ fetch })
    const untyped = api as unknown as Record<string,
      Record<string, (args: object, options?: object) => Promise<unknown>>>
    for (const search of [{ like: 'a' }, [{}], new Blob([]), { uri: 'a', name: 'b', type: 'c' }]) {
      await expect(untyped.posts?.list?.({ search })).rejects.toThrow('search is an object')
    }
    const form = { title: { text: 'A' }, tags: [], photos: new Blob(['a']) }
    await expect(untyped.echo?.upload?.(form)).rejects.toThrow('title is an object')
    expect(requests).toEqual([])
    await untyped.echo?.upload?.({ title: 'A', tags: ['a'], photos: { uri: 'a', name: 'b', type: 'c' } }, {
      multipart: true,
    })
    expect(requests).toHaveLength(1)
  })

  it('returns code 0 for incomplete JSON and for JSON other than an envelope', async () => {
    const server = await serving((req, res) =>
      res.writeHead(200, { 'Content-Type': 'application/json' }).end(req.url === '/posts/1' ? '{"code"' : '[1]')
    )
    const api = createClient<Api>({ url: server.url, routes })
    expect(await api.posts.show({ id: 1 })).toMatchObject({ ok: false, code: 0, meta: { reason: 'http_200' } })
    expect(await api.posts.show({ id: 2 })).toMatchObject({ ok: false, code: 0, meta: { reason: 'http_200' } })
  })

  it.each([
    [502, 'application/json', '', { code: 0, meta: { reason: 'http_502' } }],
    [502, 'application/json', '{"a', { code: 0, meta: { reason: 'http_502' } }],
    [200, 'application/x-ndjson', '{}\n{}', { code: 200, data: expect.any(Blob) as Blob }],
  ])('reads a reply of %i with the type %s and the body %s', async (status, type, body, result) => {
    const fetch = (): Promise<Response> =>
      Promise.resolve(new Response(body, { status, headers: { 'Content-Type': type } }))
    const api = createClient<Api>({ url: 'https://api.example.test', routes, fetch })
    expect(await api.posts.show({ id: 1 })).toMatchObject(result)
  })

  it('throws if it is aborted before sending, in flight, or while it waits', async () => {
    const api = await connect()
    await expect(api.posts.list({}, { signal: AbortSignal.abort() })).rejects.toMatchObject({ name: 'AbortError' })
    await expect(api.echo.hang({}, { signal: AbortSignal.timeout(30) })).rejects.toMatchObject({ name: 'TimeoutError' })
    await expect(api.echo.busy({ until: 9, after: '50' }, { signal: AbortSignal.timeout(100) })).rejects.toMatchObject({
      name: 'TimeoutError',
    })
  })
})

describe('a 503 with Retry-After', () => {
  it('is retried at most twice', async () => {
    const api = await connect()
    expect(await api.echo.busy({ until: 3 })).toMatchObject({ ok: true, data: 3 })
    reset()
    expect(await api.echo.busy({ until: 4 })).toMatchObject({ ok: false, code: 503, data: null })
  })

  it('is returned if the time is missing, long or unreadable', async () => {
    const api = await connect()
    for (const after of ['', '3600', 'soon']) {
      reset()
      expect(await api.echo.busy({ until: 2, after })).toMatchObject({ ok: false, code: 503 })
    }
  })

  it('is retried for a POST only with an Idempotency-Key', async () => {
    const post = routes.map((route) => (route.name === 'echo.busy' ? { ...route, method: 'POST' } : route))
    const api = await connect({ routes: post })
    expect(await api.echo.busy({ until: 2 })).toMatchObject({ ok: false, code: 503 })
    reset()
    expect(await api.echo.busy({ until: 2 }, { idempotencyKey: 'k-2' })).toMatchObject({ ok: true, data: 2 })
  })
})

describe('an abort', () => {
  const never = (): Promise<never> => new Promise(() => undefined)
  const reason = new Error('no longer needed')

  it.each<[string, Partial<ClientOptions>]>([
    ['`token`', { token: never }],
    ['`tokens.get`', { tokens: { get: never } }],
    ['`refresh`', { tokens: { get: () => 'stale', refresh: never } }],
    ['the reply', { fetch: never }],
  ])('ends a call that waits for %s', async (_what, options) => {
    const api = await connect(options)
    const controller = new AbortController()
    const call = api.guarded.list({}, { signal: controller.signal })
    setTimeout(() => controller.abort(reason), 100)
    await expect(call).rejects.toBe(reason)
    await expect(api.guarded.list({}, { signal: controller.signal })).rejects.toBe(reason)
  })

  it('ends a call that waits to be repeated, and no listener is left on the signal', async () => {
    const quiet = await connect({ fetch: async () => Promise.resolve(new Response()) })
    const { signal } = new AbortController()
    const [added, removed] = [vi.spyOn(signal, 'addEventListener'), vi.spyOn(signal, 'removeEventListener')]
    await quiet.echo.renew({}, { signal })
    await vi.waitFor(() => expect([added.mock.calls, removed.mock.calls]).toEqual([added.mock.calls, added.mock.calls]))
    expect(added).toHaveBeenCalledTimes(1)
    const api = await connect()
    const stop = new AbortController()
    const call = api.echo.busy({ until: 3, after: '30' }, { signal: stop.signal })
    setTimeout(() => stop.abort(reason), 50)
    await expect(call).rejects.toBe(reason)
  })
})

describe('an odd reply', () => {
  const replying = (body: unknown, init: ResponseInit) =>
    connect({ fetch: async () => Promise.resolve(new Response(JSON.stringify(body), init)) })
  const json = { 'Content-Type': 'application/json' }

  it('is read by its status, whatever its body says', async () => {
    const body = { code: 500, ok: true, message: 'x', data: null, meta: {} }
    expect(await (await replying(body, { status: 500, headers: json })).echo.renew()).toMatchObject({ ok: false,
      code: 500 })
  })

  it('is no envelope without `meta`', async () => {
    const api = await replying({ code: 200, msg: 'x' }, { headers: json })
    expect(await api.echo.renew()).toMatchObject({ ok: false, code: 0, meta: { reason: 'http_200' } })
  })

  it('is JSON in any letter case of its type', async () => {
    const body = { code: 200, message: 'ok', data: 5, meta: {} }
    const api = await replying(body, { headers: { 'Content-Type': 'Application/JSON' } })
    expect(await api.echo.renew()).toMatchObject({ ok: true, data: 5 })
  })
})

describe('the token of the client', () => {
  it('is a string, or the result of a function called before each request', async () => {
    const token = await issueToken('desk', { id: 1, role: 'admin' }, { secret: SECRET })
    expect(await (await connect()).guarded.list()).toMatchObject({
      ok: false,
      code: 401,
      meta: { reason: 'token_missing' },
    })
    expect(await (await connect({ token })).guarded.list()).toMatchObject({ ok: true })
    let asked = 0
    const api = await connect({ token: async () => Promise.resolve(asked++ === 0 ? null : token) })
    expect(await api.guarded.list()).toMatchObject({ code: 401 })
    expect(await api.guarded.list()).toMatchObject({ code: 200 })
  })

  it('is replaced by the token of a reply, and passed to `onToken`', async () => {
    const renewed: string[] = []
    const api = await connect({ token: 'old', onToken: (token) => renewed.push(token) })
    expect(await api.echo.renew()).toMatchObject({ data: 'Bearer old' })
    expect(await api.echo.renew()).toMatchObject({ data: 'Bearer fresh' })
    expect(renewed).toEqual(['fresh', 'fresh'])
  })

  it('is renewed once by the replies to parallel calls', async () => {
    const { url } = await serving(app)
    let issued = 0
    const fetch = async (): Promise<Response> => {
      const body = { code: 200, message: 'ok', data: null, meta: {} }
      return Promise.resolve(Response.json(body, { headers: { Authorization: `Bearer fresh-${++issued}` } }))
    }
    const renewed: string[] = []
    let kept = 'old'
    const onToken = (token: string): void => {
      renewed.push(token)
      kept = token
    }
    for (const token of ['old', () => kept]) {
      const api = createClient<Api>({ url, routes, fetch, token, onToken })
      await Promise.all(Array.from({ length: 10 }, () => api.echo.renew()))
      expect(renewed.splice(0)).toHaveLength(1)
      await api.echo.renew()
      expect(renewed.splice(0)).toHaveLength(1)
      kept = 'old'
    }
  })

  it('is not renewed by a reply to a request with another one, as after a sign-out', async () => {
    const { url } = await serving(app)
    const held: ((response: Response) => void)[] = []
    const fetch = (): Promise<Response> => new Promise((resolve) => held.push(resolve))
    const answer = (fresh: string): void => {
      const body = { code: 200, message: 'ok', data: null, meta: {} }
      held.shift()?.(Response.json(body, { headers: { Authorization: `Bearer ${fresh}` } }))
    }
    for (const isLater of [false, true]) {
      let kept: string | null = 'of Ann'
      const token = () => isLater ? Promise.resolve(kept) : kept
      const api = createClient<Api>({ url, routes, fetch, token, onToken: (fresh) => {
        kept = fresh
      } })
      for (const after of [null, 'of Ben']) {
        kept = 'of Ann'
        const slow = api.echo.renew()
        await vi.waitFor(() => expect(held).toHaveLength(1))
        kept = after
        answer('of Ann, renewed')
        expect([(await slow).ok, kept]).toEqual([true, after])
      }
      kept = 'of Ann'
      const [first, second] = [api.echo.renew(), api.echo.renew()]
      await vi.waitFor(() => expect(held).toHaveLength(2))
      answer('second')
      await first
      kept = 'third'
      answer('by the old one')
      await second
      expect(kept).toBe('third')
    }
  })

  it('is renewed without harm where `onToken` fails', async () => {
    const error = vi.spyOn(console, 'error').mockReturnValue()
    onTestFinished(() => error.mockRestore())
    const fails = [() => {
      throw new Error('full')
    }, () => Promise.reject(new Error('full'))]
    for (const onToken of fails) {
      const api = await connect({ token: () => 'old', onToken })
      expect(await api.echo.renew()).toMatchObject({ ok: true, data: 'Bearer old' })
    }
    expect(error.mock.calls).toMatchObject([[{ message: 'full' }], [{ message: 'full' }]])
  })

  it('is refreshed once where reading it takes longer than the refresh', async () => {
    const fresh = await issueToken('desk', { id: 1, role: 'admin' }, { secret: SECRET })
    let [token, refreshes] = ['stale', 0]
    const reads: (() => void)[] = []
    const get = async (): Promise<string> => {
      const read = token
      // Once a refresh is under way, a read ends after it.
      if (refreshes === 1 && read === 'stale') await new Promise<void>((resolve) => reads.push(resolve))
      return read
    }
    const refresh = async (): Promise<string> => {
      refreshes++
      await vi.waitFor(() => expect(reads).toHaveLength(1))
      setImmediate(() => reads.forEach((end) => end()))
      return token = fresh
    }
    let sent = 0
    const slow: typeof globalThis.fetch = async (address, init) => {
      if (sent++ === 1) await vi.waitFor(() => expect(refreshes).toBe(1))
      return globalThis.fetch(address, init)
    }
    const api = await connect({ tokens: { get, refresh }, fetch: slow })
    const replies = await Promise.all([api.guarded.list(), api.guarded.list()])
    expect([replies.map(({ code }) => code), refreshes]).toEqual([[200, 200], 1])
  })

  it('is refreshed once for parallel calls that are refused, which are sent again', async () => {
    const fresh = await issueToken('desk', { id: 1, role: 'admin' }, { secret: SECRET })
    let [token, refreshes] = ['stale' as string | null, 0]
    const refresh = async (): Promise<string> => {
      refreshes++
      await Promise.resolve()
      return token = fresh
    }
    const api = await connect({ tokens: { get: () => token, refresh } })
    const replies = await Promise.all(Array.from({ length: 10 }, () => api.guarded.list()))
    expect([replies.map(({ code }) => code), refreshes]).toEqual([Array(10).fill(200), 1])
    token = null
    expect([(await api.guarded.list()).code, refreshes]).toEqual([200, 2])
  })

  it('stays refused without an end where a refresh gets none, one that is refused too, or fails', async () => {
    let refreshes = 0
    const answers = [() => null, () => 'stale too', () => {
      throw new Error('offline')
    }]
    const codes = await Promise.all(answers.map(async (answer) => {
      const api = await connect({ tokens: { get: () => 'stale', refresh: async () => {
        refreshes++
        return Promise.resolve(answer())
      } } })
      return (await api.guarded.list()).code
    }))
    expect([codes, refreshes]).toEqual([[401, 401, 0], 3])
  })

  it.each(['null', 'an error', 'a token'])('is refreshed again after a refresh gave %s to parallel calls',
    async (first) => {
      const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
      let [token, valid, refreshes, sent] = ['old', 'none', 0, 0]
      const fetch = async (_url: string, { headers }: RequestInit): Promise<Response> => {
        await wait(sent++ === 1 ? 40 : 5)
        const code = new Headers(headers).get('Authorization') === `Bearer ${valid}` ? 200 : 401
        return Response.json({ code, message: '', data: null, meta: {} }, { status: code })
      }
      const get = async (): Promise<string> => {
        const read = token
        await wait(20)
        return read
      }
      const refresh = async (): Promise<string | null> => {
        refreshes++
        await wait(25)
        if (refreshes === 1 && first === 'null') return null
        if (refreshes === 1 && first === 'an error') throw new Error('offline')
        return token = valid = `new ${refreshes}`
      }
      const api = createClient<Api>({ url: 'http://api.test', routes, fetch, tokens: { get, refresh } })
      const replies = await Promise.all([api.guarded.list(), api.guarded.list(), api.guarded.list()])
      const code = { null: 401, 'an error': 0, 'a token': 200 }[first]
      expect([replies.map((reply) => reply.code), refreshes]).toEqual([[code, code, code], 1])
      valid = 'another'
      expect([(await api.guarded.list()).code, refreshes]).toEqual([200, 2])
    })

  it.each([
    [null, 'reading', 401, ['old']],
    ['of another user', 'writing', 401, ['old']],
    ['of another tab', 'reading', 200, ['old', 'of another tab']],
    ['fresh', 'writing', 200, ['old', 'old', 'fresh', 'fresh']],
  ] as const)(
    'is neither refreshed nor replaced by one of another sign-in where it is %s when the 401 of %s arrives',
    async (later, action, code, expected) => {
      let [token, refreshes] = ['old' as string | null, 0]
      const sent: (string | undefined)[] = []
      const answers: (() => void)[] = []
      const { url } = await serving((req, res) => {
        const received = req.headers.authorization?.slice('Bearer '.length)
        sent.push(received)
        const status = received === 'old' ? 401 : 200
        const answer = (): unknown =>
          res.writeHead(status, { 'Content-Type': 'application/json' })
            .end(`{"code":${status},"message":"","data":null,"meta":{}}`)
        if (sent.length === 1) answers.push(answer)
        else answer()
      })
      const refresh = async (): Promise<string> => {
        refreshes++
        return Promise.resolve(token = 'fresh')
      }
      const api = createClient<Api>({ url, routes, tokens: { get: () => token, refresh } })
      const pending = action === 'writing' ? api.notes.create({ text: 'Mine' }) : api.guarded.list()
      await vi.waitFor(() => expect(answers).toHaveLength(1))
      if (later === 'fresh') await api.guarded.list()
      else token = later
      answers[0]?.()
      expect([(await pending).code, sent, token, refreshes]).toEqual([code, expected, later, later === 'fresh' ? 1 : 0])
    },
  )

  it('is not refreshed by a 401 of another server', async () => {
    const other = await serving((req, res) => {
      res.writeHead(401, { 'Content-Type': 'application/json' })
        .end('{"code":401,"message":"No","data":null,"meta":{}}')
    })
    let refreshes = 0
    const refresh = async (): Promise<string> => Promise.resolve(`fresh ${++refreshes}`)
    const provider = dataProvider('http://127.0.0.1:9/api', {
      tokens: { get: () => 'a', set: () => undefined, refresh },
    })
    await expect(provider.custom?.({ url: `${other.url}/posts`, method: 'get' })).rejects.toMatchObject({
      statusCode: 401,
    })
    expect(refreshes).toBe(0)
  })

  it.each(['/', '//'])('is sent to the origin of the page with the URL %j, not to a host that a path names',
    async (url) => {
      vi.stubGlobal('document', { baseURI: 'http://page.test/panel/' })
      onTestFinished(() => void vi.unstubAllGlobals())
      const sent: string[] = []
      const fetch = async (address: string, { headers }: RequestInit): Promise<Response> => {
        sent.push(`${new URL(address, 'http://page.test').href} ${(headers as Record<string, string>).Authorization}`)
        return Promise.resolve(Response.json({ code: 200, message: 'ok', data: [], meta: {} }))
      }
      const manifest = [{ name: 'posts.list', method: 'GET', path: '/posts' }]
      await createClient<Api>({ url, routes: manifest, fetch, token: 'secret' }).posts.list()
      expect(sent).toEqual(['http://page.test/posts Bearer secret'])
    })

  it('is not renewed by another server to which the API redirects', async () => {
    const received: (string | undefined)[] = []
    const evil = await serving((req, res) => {
      received.push(req.headers.authorization)
      res.writeHead(200, { 'Content-Type': 'application/json', Authorization: 'Bearer stolen' })
        .end('{"code":200,"message":"ok","data":null,"meta":{}}')
    })
    const own = await serving((req, res) => {
      received.push(req.headers.authorization)
      if (req.url === '/posts/1') res.writeHead(307, { Location: `${evil.url}/posts/1` }).end()
      else if (req.url === '/posts/2') res.writeHead(307, { Location: '/posts/3' }).end()
      else {
        res.writeHead(200, { 'Content-Type': 'application/json', Authorization: 'Bearer fresh' })
          .end('{"code":200,"message":"ok","data":null,"meta":{}}')
      }
    })
    const renewed: string[] = []
    const api = createClient<Api>({ url: own.url, routes, token: 'old', onToken: (token) => renewed.push(token) })
    expect(await api.posts.show({ id: 1 })).toMatchObject({ ok: true })
    expect([received.splice(0), renewed]).toEqual([['Bearer old', undefined], []])
    await api.posts.show({ id: 2 })
    expect([received, renewed]).toEqual([['Bearer old', 'Bearer old'], ['fresh']])
  })

  it('is renewed through a fetch that sends requests to another address', async () => {
    const { url } = await serving(app)
    const renewed: string[] = []
    const options = { routes, token: 'old', onToken: (token: string) => renewed.push(token) }
    const api = createClient<Api>({ ...options, url: '', fetch: (path, init) => fetch(url + path, init) })
    await api.echo.renew()
    expect(renewed).toEqual(['fresh'])
  })

  it('is sent and renewed where an environment cannot parse URLs', async () => {
    const renewed: string[] = []
    const url = 'https://api.test'
    const fetch = async (_url: string, { headers }: RequestInit): Promise<Response> => {
      const body = { code: 200, message: 'ok', data: (headers as Record<string, string>).Authorization, meta: {} }
      return Promise.resolve(Response.json(body, { headers: { Authorization: 'Bearer fresh' } }))
    }
    const api = createClient<Api>({ url, routes, fetch, token: 'old', onToken: (token) => renewed.push(token) })
    vi.stubGlobal('URL', undefined)
    onTestFinished(() => void vi.unstubAllGlobals())
    const reply = await api.echo.renew()
    expect([reply.data, renewed]).toEqual(['Bearer old', ['fresh']])
  })
})

describe('all', () => {
  async function collect<T>(rows: AsyncIterable<T>): Promise<T[]> {
    const all: T[] = []
    for await (const row of rows) all.push(row)
    return all
  }

  it('iterates over all rows by cursor if the list has cursors', async () => {
    const { requests, fetch } = recorded()
    const api = await connect({ fetch })
    const ids = (await collect(api.posts.all({ limit: 10, sort: 'id' }))).map(({ id }) => id)
    expect(ids.slice(0, 25)).toEqual(Array.from({ length: 25 }, (_, at) => at + 1))
    expect(requests.every(([url]) => url.includes('cursor='))).toBe(true)
  })

  it('iterates over numbered pages if the list has no cursors', async () => {
    const { url } = await serving(app)
    const { requests, fetch } = recorded()
    const list = routes.filter(({ name }) => name === 'pages.list')
    const api = createClient<Api>({ url, routes: list, fetch })
    const rows = (api.pages as unknown as Pick<Api['posts'] & { all: typeof api.posts.all }, 'all'>).all({ limit: 10 })
    expect(await collect(rows)).toHaveLength(25)
    expect(requests.map(([asked]) => new URL(asked).search)).toEqual([
      '?cursor=&limit=10',
      '?limit=10',
      '?limit=10&page=2',
      '?limit=10&page=3',
    ])
  })

  it('starts at the page in the arguments, and reads one page of a list without paging', async () => {
    const api = await connect()
    expect(await collect(api.posts.all({ page: 3, limit: 10, sort: 'id' }))).not.toHaveLength(0)
    expect(
      await collect((await connect({ token: await issueToken('desk', { id: 1, role: 'admin' }, { secret: SECRET }) }))
        .guarded
        .all()),
    )
      .toEqual(['seen'])
  })

  it('throws if a page fails', async () => {
    const api = await connect()
    const failing = collect(api.posts.all({ limit: 1000 }))
    await expect(failing).rejects.toBeInstanceOf(ApiError)
    await expect(failing).rejects.toMatchObject({
      name: 'ApiError',
      result: { code: 422, data: { limit: ['Must be at most 100'] } },
    })
  })

  it('calls the action if the resource has an action of this name', async () => {
    expect(await (await connect()).pages.all()).toMatchObject({ data: 'an action of this name' })
  })
})

describe('an upload with a progress callback', () => {
  it('reports progress through XMLHttpRequest, and can be aborted', async () => {
    const { url } = await serving(app)
    Object.assign(globalThis, { XMLHttpRequest: FakeXhr })
    try {
      const api = createClient<Api>({ url, routes })
      const progress: number[] = []
      const photos = new File(['12345'], 'a.txt')
      const reply = await api.echo.upload({ title: 'A', tags: [], photos }, {
        onUploadProgress: ({ loaded }) => progress.push(loaded),
      })
      expect(reply).toMatchObject({ ok: true, code: 200, data: { files: ['a.txt 5'] } })
      expect(reply.headers.get('Content-Type')).toContain('application/json')
      expect(progress).toEqual([5])
      const signal = AbortSignal.abort()
      await expect(api.echo.upload({ title: 'A', tags: [], photos }, { signal, onUploadProgress: () => undefined }))
        .rejects
        .toMatchObject({ name: 'AbortError' })
    } finally {
      Reflect.deleteProperty(globalThis, 'XMLHttpRequest')
    }
  })
})

/** Implements the class of browsers over `fetch`. */
class FakeXhr {
  status = 0
  responseType = ''
  response = new Blob([])
  readonly upload: { onprogress: (progress: { loaded: number; total: number }) => void } = {
    onprogress: () => undefined,
  }
  onload: () => void = () => undefined
  onerror = (): void => undefined
  onloadend = (): void => undefined
  readonly #headers: Record<string, string> = {}
  #target = ''
  #method = ''
  #received = new Headers()

  open(method: string, url: string): void {
    this.#method = method
    this.#target = url
  }

  setRequestHeader(name: string, value: string): void {
    this.#headers[name] = value
  }

  getAllResponseHeaders(): string {
    return [...this.#received].map(([name, value]) => `${name}: ${value}\r\n`).join('')
  }

  send(body: FormData): void {
    void fetch(this.#target, { method: this.#method, headers: this.#headers, body }).then(async (response) => {
      this.upload.onprogress({ loaded: 5, total: 5 })
      this.status = response.status
      this.#received = response.headers
      this.response = await response.blob()
      this.onload()
      this.onloadend()
    })
  }

  abort(): void {
    this.onerror()
  }
}
