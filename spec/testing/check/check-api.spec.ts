import express, { type Express } from 'express'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { auth, errorHandler, mountRoutes, notFound, permission } from 'resourcery'
import { checkApi, checkCases, inject, type CheckOptions, type RequestExample } from 'resourcery/testing'
import { z } from 'zod'

/** An app whose only route fails for a name with a quote. */
function appWith(name: (text: string) => unknown): Express {
  const app = express()
  app.use(auth('desk', { secret: 'a secret of at least 32 bytes for tests' }),
    permission('desk', { roles: { boss: ['*'] } }))
  mountRoutes(app, { app: 'desk', route: '/greetings', name: 'greetings', routes: {
    greet: { methods: ['POST'], route: '', input: z.object({ name: z.string().max(300) }),
      handler: (_req, _res, sent) => name(sent.name) },
  } })
  app.use(notFound(), errorHandler({ log: () => undefined }))
  return app
}

const failing = (): Express =>
  appWith((text) => {
    if (text.includes("'")) throw new Error('a quote')
    return null
  })

const callers = { boss: { id: 1, role: 'boss' }, guest: { id: 2 } }

describe('checkApi', () => {
  afterEach(() => void vi.restoreAllMocks())

  it('finds nothing in a correct app', async () => {
    const report = await checkApi(appWith(() => null), { callers, budget: 120 })
    expect(report.findings).toEqual([])
    expect(report).toMatchObject({ isComplete: true, routes: 1, seed: 1 })
    expect(String(report)).toMatch(/^no findings in \d+ requests to 1 routes, [\d.]+ s, seed 1$/)
  })

  it('reports a failure with the smallest request, which `inject` repeats', async () => {
    const app = failing()
    const { findings } = await checkApi(app, { callers })
    expect(findings).toEqual([{
      kind: 'failure',
      route: 'POST /greetings',
      name: 'desk.greetings.greet',
      caller: 'boss',
      message: 'The reply is 500 Internal Server Error',
      about: 'the field `name`',
      request: expect.objectContaining({ body: { json: { name: "'" } } }) as unknown,
      curl: "curl -i -X POST 'http://localhost:3000/greetings' -H 'authorization: Bearer <token of boss>' "
        + `-H 'content-type: application/json' --data-raw '{"name":"'\\''"}'`,
      inject:
        'await inject(app, { method: "POST", path: "/greetings", body: {"name":"\'"}, as: {"id":1,"role":"boss"} })',
    }])
    const { status } = await inject(app, { method: 'POST', path: '/greetings', body: { name: "'" }, as: callers.boss })
    expect(status).toBe(500)
  })

  it('sends the same requests for the same seed', async () => {
    // A reply that takes long, on a machine that is busy, is asked for again.
    let now = 0
    vi.spyOn(performance, 'now').mockImplementation(() => now += 0.01)
    const sent = async (seed: number): Promise<string[]> => {
      const names: string[] = []
      await checkApi(appWith((text) => names.push(text)), { callers, seed })
      return names
    }
    const [one, again, other] = [await sent(1), await sent(1), await sent(2)]
    expect(again).toEqual(one)
    expect(other).not.toEqual(one)
  })

  it('ends with its budget, and says so', async () => {
    const report = await checkApi(appWith(() => null), { callers, budget: 0.001 })
    expect(report.isComplete).toBe(false)
    expect(String(report)).toContain('The budget ended before all requests were sent.')
  })

  it('sends no long string to a route that takes exponential time for a short one', async () => {
    const pattern = /^([a-z]+)+@x$/
    const long: string[] = []
    const app = appWith((text) => {
      if (/^[a-z]{30}/.test(text)) long.push(text)
      return pattern.test(text.slice(0, 30))
    })
    const { findings } = await checkApi(app, { callers, budget: 60 })
    expect(findings).toMatchObject([{ kind: 'time', route: 'POST /greetings' }])
    expect(long).toEqual([])
  }, 120_000)

  it('calls only the routes that `only` and `skip` leave', async () => {
    expect(await checkApi(failing(), { callers, skip: ['desk.greetings.greet'] })).toMatchObject({ requests: 0 })
    const app = express().get('/other', (_req, res) => void res.json({})).use(failing())
    const report = await checkApi(app, { callers, only: ['GET /other'] })
    expect([report.routes, report.findings.filter(({ route }) => route !== 'GET /other')]).toEqual([1, []])
  })

  it('takes the beginning of names of routes with a star in `only` and `skip`', async () => {
    const app = express().get('/old/one', (_req, res) => void res.json({})).use(failing())
    expect(await checkApi(app, { callers, skip: ['desk.*', 'GET /old/*'] })).toMatchObject({ requests: 0 })
    expect(await checkApi(app, { callers, only: ['desk.*'], budget: 5 })).toMatchObject({ routes: 1 })
    expect(await checkApi(app, { callers, only: ['/old/*'], budget: 5 })).toMatchObject({ routes: 1 })
    await expect(checkApi(app, { callers, skip: ['desks.*'] })).rejects.toMatchObject({ code: 'check_options' })
  })

  it.each([
    ['skip', { skip: ['desk.greetings.great'] }],
    ['only', { only: ['GET /none'] }],
    ['examples', { examples: { 'greetings.greet': {} } }],
  ])('refuses a route of `%s` that does not exist', async (option, options) => {
    const fault = { code: 'check_options', message: expect.stringContaining(`\`${option}\` names the route`) as string }
    await expect(checkApi(failing(), { callers, ...options })).rejects.toMatchObject(fault)
    expect(() => checkCases(failing(), { callers, ...options })).toThrow(expect.objectContaining(fault) as Error)
  })

  it.each<[string, CheckOptions, string]>([
    ['`only` without a route', { only: [] }, '`only` of checkApi() must be a list of one or more routes'],
    ['`skip` that leaves nothing of `only`', { only: ['POST /greetings'], skip: ['desk.greetings.greet'] },
      '`skip` names all routes of `only`'],
    ['a misspelt part of an example', { examples: { 'POST /greetings': { bdy: {} } as RequestExample } }, '`bdy`'],
    ['an example that is no request', { examples: { 'POST /greetings': 1 as RequestExample } }, 'must be a request'],
    ['a tenant twice', { tenants: ['boss', 'boss'] }, 'names a caller twice'],
    ['claims of `anonymous`', { callers: { anonymous: { id: 1, role: 'boss' } } }, 'The caller `anonymous`'],
  ])('refuses %s', async (_, options, message) => {
    await expect(checkApi(failing(), { callers, ...options })).rejects.toMatchObject({ code: 'check_options',
      message: expect.stringContaining(message) as string })
  })

  it('names itself where a caller is wrong', async () => {
    const check = (caller: object): Promise<unknown> =>
      checkApi(failing(), { callers: { boss: caller as typeof callers.boss } })
    const fault = (message: string): object => ({ code: 'access_callers',
      message: expect.stringContaining(message) as string })
    await expect(check({ id: 1, app: 'shop' })).rejects.toMatchObject(fault('`boss` of checkApi() belongs to the app'))
    await expect(check({ id: NaN })).rejects.toMatchObject(fault('The caller `boss` of checkApi() is'))
  })

  it('ends with an error if `snapshot` never returns', async () => {
    const check = checkApi(appWith(() => null), { callers, budget: 0.2, timeout: 0.2,
      snapshot: () => new Promise(() => {}) })
    await expect(check).rejects.toMatchObject({ code: 'check_options',
      message: '`snapshot` of checkApi() has not returned within 0.2 seconds.' })
  })

  it('lists a crash once, whatever its message', async () => {
    const app = appWith((text) => void Promise.reject(new Error(`no ${text}`)))
    const { findings } = await checkApi(app, { callers })
    expect(findings.map(({ kind }) => kind)).toEqual(['crash'])
  })

  it('prints a request with a huge string as code that sends it', async () => {
    const app = express()
    mountRoutes(app, { route: '/notes', name: 'notes', routes: {
      create: { methods: ['POST'], route: '', body: { limit: 30_000_000 }, input: z.object({ text: z.string() }),
        handler: () => null },
    } })
    app.use(notFound(), errorHandler({ log: () => undefined }))
    const found = (await checkApi(app)).findings.find(({ message }) => message.includes('3 million'))
    expect(found).toMatchObject({
      curl: `node -p 'JSON.stringify({"text":"x".repeat(3000000)})' | curl -i -X POST 'http://localhost:3000/notes' `
        + `-H 'content-type: application/json' --data-binary @-`,
      inject: 'await inject(app, { method: "POST", path: "/notes", body: {"text":"x".repeat(3000000)} })',
    })
  })

  it('reads another envelope by `decode`, and reports a body that is none', async () => {
    const decode = (_status: number, body: unknown): unknown => {
      if (!Object.hasOwn(body as object, 'code')) throw new Error('no envelope')
      return body
    }
    expect((await checkApi(appWith(() => null), { callers, decode })).findings).toEqual([])
    const { findings } = await checkApi(appWith(() => null), { callers, decode: () => undefined })
    expect(findings.map(({ message }) => message)).toContain('The body is not what `decode` reads (200)')
  })

  it('blames no refused request for rows that a GET has changed before it', async () => {
    const app = express()
    const rows = { visits: 0 }
    app.use(auth('desk', { secret: 'a secret of at least 32 bytes for tests' }),
      permission('desk', { roles: { boss: ['*'] } }))
    const count = (): null => {
      rows.visits++
      return null
    }
    mountRoutes(app, { app: 'desk', route: '/', name: 'desk', routes: {
      home: { route: '/home', handler: count },
      news: { route: '/news', handler: count },
    } })
    app.use(notFound(), errorHandler({ log: () => undefined }))
    const { findings } = await checkApi(app, { callers, budget: 5, snapshot: () => rows })
    expect(findings).toEqual([])
  })

  it('blames no route for a field that another one has stored', async () => {
    const app = express()
    const rows: object[] = []
    app.use(auth('desk', { secret: 'a secret of at least 32 bytes for tests' }),
      permission('desk', { roles: { boss: ['*'] } }))
    const input = z.object({ text: z.string().max(300) })
    const output = z.object({ id: z.int(), text: z.string() })
    const store = (fields: { readonly text: string }): { id: number; text: string } => {
      const row = { ownerId: 1, ...fields, id: rows.length + 1 }
      rows.push(row)
      return row
    }
    mountRoutes(app, { app: 'desk', route: '/', name: 'desk', routes: {
      first: { methods: ['POST'], route: '/first', input, output,
        handler: ({ body }, _res, fields) => store({ ...body as object, ...fields }) },
      second: { methods: ['POST'], route: '/second', input, output, handler: (_req, _res, fields) => store(fields) },
    } })
    app.use(notFound(), errorHandler({ log: () => undefined }))
    const { findings } = await checkApi(app, { callers, budget: 8, snapshot: () => rows })
    expect(new Set(findings.filter(({ kind }) => kind === 'field').map(({ route }) => route)))
      .toEqual(new Set(['POST /first']))
  })

  it('gives the listeners of the process back', async () => {
    const before = process.rawListeners('unhandledRejection')
    await checkApi(appWith(() => null), { callers, budget: 0.1 })
    expect(process.rawListeners('unhandledRejection')).toEqual(before)
  })

  it.each([
    [{ caller: {} }, 'caller'],
    [{ budget: 0 }, '`budget`'],
    [{ secrets: ['a'] }, '`secrets`'],
    [{ callers, tenants: ['boss', 'nobody'] }, 'nobody'],
    [{ callers, tenants: ['boss'] }, 'two callers'],
    [{ snapshot: {} }, '`snapshot`'],
  ])('refuses the options %j', async (options, words) => {
    await expect(checkApi(express(), options as object)).rejects.toMatchObject({
      code: 'check_options',
      message: expect.stringContaining(words) as string,
    })
  })

  it('refuses what is no app', async () => {
    await expect(checkApi({} as Express)).rejects.toMatchObject({ code: 'check_app' })
  })
})

describe('checkCases', () => {
  it('returns a test for each route, which fails with its findings', async () => {
    const [test, ...others] = checkCases(failing(), { callers, only: ['POST /greetings'] })
    expect([test?.name, others.length]).toEqual(['POST /greetings has no findings', 0])
    await expect(test?.run()).rejects.toThrow('POST /greetings (desk.greetings.greet): The reply is 500')
    await expect(checkCases(appWith(() => null), { callers })[0]?.run()).resolves.toBeUndefined()
  })
})
