import express, { Router, type Express, type RequestHandler } from 'express'
import { describe, expect, it } from 'vitest'
import { errorHandler } from 'resourcery'
import { notFound } from 'resourcery'
import { raw, serving, type Client, type Reply } from './support/http.js'

const answer: RequestHandler = (_req, res) => void res.end('reached')
const pass: RequestHandler = (_req, _res, next) => next()

function ending(app: Express): Promise<Client> {
  app.use(notFound(), errorHandler({ log: () => undefined }))
  return serving((req, res) => void app(req, res))
}

function outcome({ status, headers, body }: Reply): readonly unknown[] {
  return [status, headers.get('allow'), body.meta.reason]
}

describe('notFound without its parentheses', () => {
  it('is an error of each request, which would have no reply otherwise', async () => {
    const log: unknown[] = []
    const app = express().use(notFound as unknown as RequestHandler, errorHandler({ log: (error) => log.push(error) }))
    const client = await serving((req, res) => void app(req, res))
    expect(await client.send('GET', '/nowhere')).toMatchObject({ status: 500 })
    expect(log).toMatchObject([{ code: 'options_shape',
      message: expect.stringContaining('app.use(notFound())') as string }])
  })
})

describe('an unknown path', () => {
  it.each(['GET', 'POST', 'OPTIONS', 'PROPFIND'])('replies 404 to %s', async (method) => {
    const client = await ending(express().get('/users', answer).use('/api', Router().get('/', answer)))
    for (const path of ['/', '/user', '/users/5', '/apis', '/api/users']) {
      const reply = await client.send(method, path)
      expect(outcome(reply)).toEqual([404, null, 'not_found'])
      expect(Object.keys(reply.body)).toEqual(['code', 'message', 'data', 'meta'])
    }
  })

  it('replies 404 outside an app too', async () => {
    const router = Router().get('/users', answer).use(notFound())
    const client = await serving((req, res) =>
      router(req as never, res as never, (error: unknown) => res.end(String(error)))
    )
    expect((await client.post('/users')).text).toBe('NotFoundError: Not found')
  })
})

describe('a known path', () => {
  const table = (): Express => {
    const api = Router().get('/:id', answer).use('/users', Router().patch('/', answer))
    return express()
      .get('/users', answer).post('/users', answer)
      .use('/', Router().delete(['/x', '/users'], answer))
      .use(['/v1', '/v2'], api, Router().put(/^\/users$/, answer), express().propfind('/users', answer))
      .head('/health', answer)
  }

  it.each([
    ['PUT', '/users', 'DELETE, GET, HEAD, POST'],
    ['PUT', '/Users/', 'DELETE, GET, HEAD, POST'],
    ['PATCH', '/x?page=1', 'DELETE'],
    ['POST', '/v1/users', 'GET, HEAD, PATCH, PROPFIND, PUT'],
    ['POST', '/V2/users', 'GET, HEAD, PATCH, PROPFIND, PUT'],
    ['POST', '/v2/us%65rs', 'GET, HEAD'],
    ['POST', '/v2/a%2Fb', 'GET, HEAD'],
    ['GET', '/health', 'HEAD'],
    ['HEAD', '/x', 'DELETE'],
  ])('replies 405 to %s %s with the allowed methods', async (method, path, allow) => {
    const client = await ending(table())
    const reply = await client.send(method, path)
    expect([reply.status, reply.headers.get('allow')]).toEqual([405, allow])
    if (method !== 'HEAD') {
      expect(reply.body).toEqual({
        code: 405,
        message: 'This method is not allowed here',
        data: null,
        meta: { reason: 'method' },
      })
    }
  })

  it('replies to OPTIONS with its methods only', async () => {
    const { url } = await ending(express().get('/users', answer).post('/users', answer).delete('/:any', answer))
    const reply = await raw(url, 'OPTIONS /users HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
    expect(reply).toMatch(/^HTTP\/1\.1 204 /)
    expect(reply).toContain('\r\nAllow: DELETE, GET, HEAD, POST\r\n')
    expect(reply).toMatch(/\r\n\r\n$/)
  })

  it('is matched by the strictness of its routers', async () => {
    const strict = Router({ strict: true, caseSensitive: true }).get('/users', answer)
    const client = await ending(express().use('/api', strict))
    expect(outcome(await client.post('/API/users'))).toEqual([405, 'GET, HEAD', 'method'])
    for (const path of ['/api/users/', '/api/Users']) {
      expect(outcome(await client.post(path))).toEqual([404, null, 'not_found'])
    }
  })

  it('is recognised in an absolute target', async () => {
    const { url } = await ending(table())
    const reply = await raw(url, 'PUT http://host/v1/users/5 HTTP/1.1\r\nHost: host\r\nConnection: close\r\n\r\n')
    expect(reply).toMatch(/^HTTP\/1\.1 404 /)
    expect(await raw(url, 'POST http://host/v1/users HTTP/1.1\r\nHost: host\r\nConnection: close\r\n\r\n')).toContain(
      '\r\nAllow: GET, HEAD, PATCH, PROPFIND, PUT\r\n',
    )
  })

  it('includes later routes of the app if `notFound` is mounted on a router', async () => {
    const router = Router().get('/users', answer).use(notFound())
    const app = express().use('/api', router).post('/api/users', answer)
    const client = await ending(app)
    expect(outcome(await client.send('PUT', '/api/users'))).toEqual([405, 'GET, HEAD, POST', 'method'])
  })

  it('is recognised in an app to which a route for all methods of another one passes requests', async () => {
    const inner = express().get('/desk/users', answer).use(notFound(), errorHandler({ log: () => undefined }))
    const client = await serving(express().all('/desk/*path', (req, res) => void inner(req, res)))
    expect(outcome(await client.post('/desk/users'))).toEqual([405, 'GET, HEAD', 'method'])
  })

  it('is recognised in an app that is also mounted in another one, whichever the server has', async () => {
    const inner = express().get('/users', answer).use(notFound(), errorHandler({ log: () => undefined }))
    const [own, mounted] = [await serving(inner), await serving(express().use('/api', inner))]
    expect(outcome(await own.post('/users'))).toEqual([405, 'GET, HEAD', 'method'])
    expect(outcome(await mounted.post('/api/users'))).toEqual([405, 'GET, HEAD', 'method'])
  })
})

describe('a route whose handler calls next', () => {
  it.each([
    ['GET', '/passed'],
    ['HEAD', '/passed'],
    ['PUT', '/all'],
    ['OPTIONS', '/all'],
    ['OPTIONS', '/options'],
  ])('gets 404 for %s %s, not 405', async (method, path) => {
    const app = express().get('/passed', pass).post('/passed', answer).all('/all', pass).get('/all', pass).options(
      '/options',
      pass,
    )
    const reply = await (await ending(app)).send(method, path)
    expect([reply.status, reply.headers.get('allow')]).toEqual([404, null])
  })
})

describe('a path that cannot be decoded', () => {
  it.each(['/%', '/%zz', '/%E0%A4%A', '/users/%80', '/api/%c0%af'])('(%s) gets 400, known or not', async (path) => {
    const client = await ending(express().get('/users/:id', answer).use('/api', Router().get('/fixed', answer)))
    for (const method of ['GET', 'POST', 'OPTIONS']) {
      expect(outcome(await client.send(method, path))).toEqual([400, null, 'unreadable'])
    }
  })
})
