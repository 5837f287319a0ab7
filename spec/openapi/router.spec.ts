import { once } from 'node:events'
import { Script } from 'node:vm'
import express, { Router, type Express, type RequestHandler } from 'express'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { z } from 'zod'
import { auth, errorHandler, mountRoutes, permission } from 'resourcery'
import { notFound } from 'resourcery'
import { openapi, openapiRouter, type OpenApiRouterOptions } from 'resourcery/openapi'
import { swaggerUiFolder } from '../../lib/tools/openapi/page.js'
import { mountResource } from 'resourcery'
import { serve } from 'resourcery'
import { SECRET } from '../support/guarded-app.js'
import { serving, type Client } from '../support/http.js'

const info = { title: 'The <"API">', version: '1.0.0' }

function appWithDocuments(options: Partial<OpenApiRouterOptions> = {}): Express {
  const app = express()
  app.use(openapiRouter(app, { ...info, ...options }))
  mountResource(app, { app: 'admin', route: '/users', name: 'users', handlers: { list: () => [] } })
  mountResource(app, { app: 'shop', route: '/orders', name: 'orders', handlers: { list: () => [] } })
  app.use(notFound(), errorHandler())
  return app
}

async function pathsAt(client: Client, path: string): Promise<string[]> {
  const { status, body } = await client.get(path)
  expect(status).toBe(200)
  return Object.keys((body as unknown as { paths: object }).paths)
}

describe('openapiRouter, mounted without being called', () => {
  it('is an error of each request, with the call to write', async () => {
    const log: unknown[] = []
    const app = express().use(openapiRouter as unknown as RequestHandler,
      errorHandler({ log: (error) => log.push(error) }))
    expect(await (await serving(app)).get('/')).toMatchObject({ status: 500 })
    expect(log).toMatchObject([{
      code: 'options_shape',
      message: expect.stringContaining('write `app.use(openapiRouter(app, { title, version }))`') as string,
    }])
  })
})

describe('the documents of openapiRouter', () => {
  it('cover the whole app, and each domain', async () => {
    const client = await serving(appWithDocuments({ domains: ['admin', 'shop'] }))
    expect(await pathsAt(client, '/openapi.json')).toEqual(['/orders', '/users'])
    expect(await pathsAt(client, '/openapi/admin.json')).toEqual(['/users'])
    expect(await pathsAt(client, '/openapi/shop.json')).toEqual(['/orders'])
    expect((await client.get('/openapi/other.json')).status).toBe(404)
  })

  it('are generated once, and again after new routes were mounted', async () => {
    const app = appWithDocuments()
    const client = await serving(app)
    const first = await client.get('/openapi.json')
    const etag = String(first.headers.get('etag'))
    expect(first.headers.get('content-type')).toBe('application/json; charset=utf-8')
    const fresh = { headers: { 'if-none-match': etag, 'cache-control': 'max-age=0' } }
    expect((await client.get('/openapi.json', fresh)).status).toBe(304)
    const late = Router()
    mountResource(late, { route: '/late', name: 'late', handlers: { list: () => [] } })
    app.use('/very', late)
    expect((await client.get('/openapi.json', fresh)).status).toBe(200)
    expect(await pathsAt(client, '/openapi.json')).toContain('/very/late')
  })

  it('are served at the given path, without a page if disabled', async () => {
    const app = express().use('/meta', openapiRouter(Router(), { ...info, path: '/api.json', page: false }))
    const client = await serving(app)
    expect(await pathsAt(client, '/meta/api.json')).toEqual([])
    expect((await client.get('/meta/docs')).status).toBe(404)
  })
})

describe('a schema that cannot be documented', () => {
  it('is reported when the app is served', async () => {
    const app = appWithDocuments()
    mountResource(app, {
      route: '/odd',
      name: 'odd',
      handlers: { list: { output: z.map(z.string(), z.bigint()), handler: () => new Map() } },
    })
    const warned = once(process, 'warning') as Promise<[Error & { code?: string }]>
    const { close } = await serve(app, { port: 0, host: '127.0.0.1', signals: false })
    const [warning] = await warned
    expect([warning.code, warning.message]).toEqual([
      'RESOURCERY_NOT_DOCUMENTED',
      expect.stringContaining('odd.list (GET /odd)'),
    ])
    await close()
  })

  it('is reported like a domain that no route has, with the domains that there are', async () => {
    const emitted = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined)
    onTestFinished(() => emitted.mockRestore())
    const texts = (): unknown[] => emitted.mock.calls.splice(0).map(([text]) => text)
    const app = express()
    openapi(app, { ...info, doc: 'admn' })
    expect(texts()).toEqual([])
    const handlers = { list: () => [] }
    mountResource(app, { route: '/plain', name: 'plain', handlers })
    openapi(app, { ...info, doc: 'admn' })
    expect(texts()).toEqual(['No route belongs to the documentation domain `admn`: no route has one.'])
    mountResource(app, { route: '/staff', name: 'staff', doc: ['admin', 'finance'], handlers })
    mountResource(app, { route: '/hidden', name: 'hidden', app: 'inner', doc: false,
      guards: [auth('inner', { verify: () => null })], handlers })
    app.use(openapiRouter(app, { ...info, page: false, domains: ['admin', 'inner', 'shp'] }))
    const { close } = await serve(app, { port: 0, host: '127.0.0.1', signals: false })
    await close()
    expect(texts().filter((text) => String(text).includes('documentation domain'))).toEqual([
      'No route belongs to the documentation domain `shp`: there are admin, finance, inner.',
    ])
  })

  it('prevents serving if two schemas share an id', async () => {
    const app = appWithDocuments()
    const schema = (): z.ZodType => z.object({ [`a${Math.random()}`]: z.string() }).meta({ id: 'Same' })
    for (const name of ['one', 'two']) {
      mountResource(app, { route: `/${name}`, name, handlers: { list: { output: schema(), handler: () => ({}) } } })
    }
    await expect(serve(app, { port: 0, host: '127.0.0.1', signals: false })).rejects.toMatchObject({
      code: 'component_conflict',
    })
  })
})

describe('the page of openapiRouter', () => {
  it('is served locally under a strict content security policy', async () => {
    const client = await serving(express().use('/meta', appWithDocuments({ page: '/help/docs' })))
    const { headers, text } = await client.get('/meta/help/docs')
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(headers.get('content-security-policy')).toContain(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'",
    )
    expect(text).toContain('<title>The &#60;&#34;API&#34;&#62;</title>')
    expect(text).not.toMatch(/https?:|<script>|style=/)
    const files = [...text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, file = '']) => file)
    expect(files).toHaveLength(6)
    for (const file of files) {
      const asset = await client.get(`/meta/help/${file}`)
      expect([file, asset.status, asset.headers.get('x-content-type-options')]).toEqual([file, 200, 'nosniff'])
    }
    expect((await client.get('/meta/help/docs/package.json')).status).toBe(404)
    // It is redirected to the canonical address.
    expect(await (await fetch(`${client.url}/meta/help/docs/`)).text()).toBe(text)
  })

  it('links its documents by relative URLs', async () => {
    const one = await serving(appWithDocuments({ page: '/help/docs' }))
    expect((await one.get('/help/docs/start.js')).text).toContain('"url":"../openapi.json"')
    const several = await serving(appWithDocuments({ domains: ['admin'] }))
    const { text } = await several.get('/docs/start.js')
    expect(text).toContain('"urls":[{"name":"all","url":"openapi.json"},{"name":"admin","url":"openapi/admin.json"}]')
    expect(text).toContain('"persistAuthorization":true')
  })
})

describe('the sign-in of the page', () => {
  const guards = (app: string) => [auth(app, { secret: SECRET }), permission(app)]
  const handler = () => ({ token: '' })

  /** Returns the logins that the page shows for two applications. */
  async function logins(option?: unknown, paths = { admin: '/login', shop: '/sign-in' }) {
    const app = express()
    for (const [name, path] of Object.entries(paths)) {
      const router = Router()
      app.use(`/${name}`, router)
      mountRoutes(router, {
        route: '/',
        app: name,
        guards: guards(name),
        routes: {
          login: { methods: 'POST', route: path, auth: false, handler },
          refresh: { methods: 'POST', route: '/token', handler },
        },
      })
    }
    app.use(openapiRouter(app, { ...info, login: option as string }))
    const { text } = await (await serving(app)).get('/docs/start.js')
    return JSON.parse(/^const logins = (.*)$/m.exec(text)?.[1] ?? '') as unknown
  }

  it('is found: the public POST route of each application that is called so', async () => {
    expect(await logins()).toEqual([{ app: 'admin', path: '/admin/login' }, { app: 'shop', path: '/shop/sign-in' }])
    expect(await logins(undefined, { admin: '/login', shop: '/enter' })).toEqual([{ app: 'admin',
      path: '/admin/login' }])
  })

  it('is the route that the option names, also an undeclared one, or none', async () => {
    expect(await logins('/shop/sign-in')).toEqual([{ app: 'shop', path: '/shop/sign-in' }])
    expect(await logins({ admin: '/enter' })).toEqual([{ app: 'admin', path: '/enter' }])
    expect(await logins('/enter')).toEqual([{ app: 'admin', path: '/enter' }, { app: 'shop', path: '/enter' }])
    expect(await logins(false)).toEqual([])
  })

  it('is on the host of the page', () => {
    for (const login of ['//evil.test/login', 'https://evil.test', '/\\evil.test', 'login', true, { admin: 7 }]) {
      expect(() => openapiRouter(Router(), { ...info, login: login as string })).toThrow(
        expect.objectContaining({ code: 'openapi_options' }),
      )
    }
  })

  it('starts Swagger UI by a script that a browser can read', async () => {
    const { text } = await (await serving(appWithDocuments())).get('/docs/start.js')
    expect(() => new Script(text)).not.toThrow()
    expect(text).toContain('"filter":true')
  })
})

describe('protect', () => {
  it('guards documents, page and files', async () => {
    const client = await serving(
      appWithDocuments({ domains: ['admin'], protect: (_req, res) => void res.status(401).end() }),
    )
    for (
      const path of [
        '/openapi.json',
        '/openapi/admin.json',
        '/docs',
        '/docs/',
        '/docs/start.js',
        '/docs/swagger-ui.css',
      ]
    ) {
      expect([path, (await client.get(path)).status]).toEqual([path, 401])
    }
    expect((await client.get('/elsewhere')).status).toBe(404)
  })
})

describe('invalid options of openapiRouter', () => {
  it.each([[{ path: 'openapi.json' }], [{ page: '/docs/' }], [{ page: '/:any' }], [{ domains: ['a/b'] }], [{
    titel: '',
  }], [{ title: '' }], [{ servers: 'https://api.example.test' }], [{ servers: [null] }], [{ servers: null }], [{
    summarize: 'List',
  }]])('throw a MisuseError: %j', (options) => {
    expect(() => openapiRouter(Router(), { ...info, ...options } as typeof info)).toThrow(
      expect.objectContaining({ code: expect.stringMatching(/^(openapi_options|options_shape)$/) as string }),
    )
  })

  it.each([[{ domains: 'admin' }], [{ domains: [5] }], [{ doc: 5 }], [{ doc: [null] }], [{ protect: 'admin' }], [{
    protect: [{}],
  }], [{
    description: 5,
  }]])('name a value of the wrong type: %j', (options) => {
    const [name = ''] = Object.keys(options)
    expect(() => openapiRouter(Router(), { ...info, page: false, ...options } as never)).toThrow(
      expect.objectContaining({ code: 'openapi_options', message: expect.stringContaining(`\`${name}\``) as string }),
    )
  })

  it('include a `protect` with four parameters, which Express would skip', () => {
    const skipped = (_error: unknown, _req: unknown, _res: unknown, next: () => void): void => next()
    expect(() => openapiRouter(Router(), { ...info, page: false, protect: [skipped as never] })).toThrow(
      expect.objectContaining({ code: 'openapi_options',
        message: expect.stringContaining('(req, res, next)') as string }),
    )
  })

  it('include a missing package, which is named', () => {
    const resolve = (): never => {
      throw new Error('Cannot find module')
    }
    expect(() => swaggerUiFolder(resolve)).toThrow(expect.objectContaining({ code: 'swagger_ui_missing' }))
  })
})
