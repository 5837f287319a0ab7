import { createServer, type Server } from 'node:http'
import express, { Router, type Express, type RequestHandler } from 'express'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { auth } from 'resourcery'
import { permission } from 'resourcery'
import { mountResource } from 'resourcery'
import { mountRoutes } from 'resourcery'
import { served } from '../serve/served.js'
import { appWith, SECRET } from '../support/guarded-app.js'
import { closed, serving } from '../support/http.js'

interface Warned {
  readonly message: string
  readonly code: unknown
}

/** Records the process warnings until the test ends. */
function warnings(): Warned[] {
  const seen: Warned[] = []
  const spy = vi.spyOn(process, 'emitWarning').mockImplementation((message, options) => {
    seen.push({ message: String(message), code: (options as { code?: unknown } | undefined)?.code })
  })
  onTestFinished(() => spy.mockRestore())
  return seen
}

/** Starts a server and stops it when the test ends. */
async function listening(server: Server): Promise<void> {
  onTestFinished(() => closed(server))
  if (!server.listening) await new Promise((resolve) => server.once('listening', resolve))
}

function posts(app?: string): Router {
  const router = Router()
  mountResource(router, { ...(app && { app }), route: '/posts', name: 'posts', handlers: { list: () => [] } })
  return router
}

const versions = (app?: string): Express =>
  appWith((root) => {
    root.use(auth('api', { verify: () => ({ id: 1, permissions: ['*'] }) }), permission('api'))
    root.use('/v1', posts(app)).use('/v2', posts(app))
  })

describe('two versions of an API with equal names', () => {
  it.each([undefined, 'api'])('are reported when `app.listen` listens, with the application %s', async (app) => {
    const seen = warnings()
    await listening(versions(app).listen(0))
    expect(seen).toHaveLength(1)
    expect(seen[0]).toMatchObject({ code: 'RESOURCERY_NAME_TAKEN' })
    expect(seen[0]?.message).toMatch(/posts\.list`.*in a second version of an API for example `v2\.posts`\.$/)
  })

  it.each([undefined, 'api'])('are reported once at the first request at the latest, with %s', async (app) => {
    const seen = warnings()
    const { get } = await serving((req, res) => void versioned(req, res))
    const versioned = versions(app)
    for (const version of ['v1', 'v2']) await get(`/${version}/posts`)
    expect(seen).toMatchObject([{ code: 'RESOURCERY_NAME_TAKEN' }])
  })

  it('are answered with an application, whose guards check each of them', async () => {
    warnings()
    const { get } = await serving(versions('api'))
    for (const version of ['v1', 'v2']) expect((await get(`/${version}/posts`)).status).toBe(200)
  })

  it('are refused by `serve`', async () => {
    await expect(served(versions())).rejects.toMatchObject({ code: 'name_taken' })
  })

  it('are accepted with the name that the message gives', async () => {
    const seen = warnings()
    const second = Router()
    mountResource(second, { app: 'api', route: '/posts', name: 'v2.posts', handlers: { list: () => [] } })
    await listening(express().use('/v1', posts('api')).use('/v2', second).listen(0))
    expect(seen).toEqual([])
  })

  it('are accepted if both are one Router', async () => {
    const seen = warnings()
    const both = posts('api')
    await listening(express().use('/v1', both).use('/v2', both).listen(0))
    expect(seen).toEqual([])
  })
})

describe('a function without a path in front of a public wildcard', () => {
  const unknown: RequestHandler = function answerAll(_req, _res, next) {
    next()
  }
  const opened = (middleware: RequestHandler, path = '/*path', first: RequestHandler[] = []): Express =>
    appWith((app) => {
      app.use(...first, auth('t', { secret: SECRET }), middleware)
      mountRoutes(app, {
        app: 't',
        route: '',
        name: 'pages',
        routes: { page: { methods: 'GET', route: path, auth: false, handler: () => 'page' } },
      })
    })

  it('is reported when `app.listen` listens', async () => {
    const seen = warnings()
    await listening(opened(unknown).listen(0))
    expect(seen).toEqual([{
      code: 'RESOURCERY_PUBLIC_FUNCTION',
      message: 'The function `answerAll` without a path is after `auth` and in front of the public route /*path: what '
        + 'it answers is public too. Mount it in front of `auth`, or with a path.',
    }])
  })

  it('is reported by `serve`', async () => {
    const seen = warnings()
    await served(opened((_req, _res, next) => next()))
    expect(seen.map(({ code }) => code)).toContain('RESOURCERY_PUBLIC_FUNCTION')
  })

  it('is reported at the first request behind a server of the application', async () => {
    const seen = warnings()
    const app = opened(unknown)
    const { get } = await serving((req, res) => void app(req, res))
    expect([(await get('/a')).status, seen.length]).toEqual([200, 1])
    await get('/b')
    expect(seen).toHaveLength(1)
  })

  const error: express.ErrorRequestHandler = (failure, _req, _res, next) => next(failure)
  it.each<[string, Express]>([
    ['of Express', opened(express.json())],
    ['of Express that serves files', opened(express.static('docs'))],
    ['of `permission`', opened(permission('t'))],
    ['that is a Router', opened(Router().use('/x', unknown))],
    ['that handles errors', opened(error as never)],
    ['in front of a path argument', opened(unknown, '/:page')],
    ['in front of `auth`', opened(express.json(), '/*path', [unknown])],
  ])('is not reported if it is one %s', async (_case, app) => {
    const seen = warnings()
    await listening(createServer(app).listen(0))
    expect(seen).toEqual([])
  })
})
