import express, { Router, type Request } from 'express'
import { describe, expect, it } from 'vitest'
import createError from 'http-errors'
import { auth, issueToken, mountResource, permission, UnauthorizedError } from 'resourcery'
import { openapi } from 'resourcery/openapi'
import { inject } from 'resourcery/testing'
import { appWith, SECRET } from '../support/guarded-app.js'

type Sources = Parameters<typeof auth>[1]
type Described = Parameters<typeof auth>[2]

const KEY = { type: 'apiKey', in: 'header', name: 'X-API-Key' } as const
const verify = (req: Request) => (req.get('X-API-Key') === 'key' ? { id: 1, permissions: ['*'] } : null)

/** An app whose route `/api/notes` needs the credentials of the application `api`. */
function guarded(sources: Sources, described?: Described) {
  return appWith((app) => {
    const router = Router()
    router.use(auth('api', sources as never, described), permission('api'))
    mountResource(router, { app: 'api', route: '/notes', name: 'notes', handlers: { list: () => [] } })
    app.use('/api', router)
  })
}

/** Returns the security of the route and the schemes of the document. */
function documented(app: object, options: object = {}) {
  const { components, paths } = openapi(app, { title: 'Notes', version: '1', ...options })
  return { schemes: components.securitySchemes, security: paths['/api/notes']?.get?.security }
}

async function challenge(app: Parameters<typeof inject>[0], headers: Record<string, string> = {}) {
  const { status, headers: sent } = await inject(app, { method: 'GET', path: '/api/notes', headers })
  return [status, sent.get('www-authenticate')]
}

describe('the scheme of `auth` in documents', () => {
  it.each<[string, Described, object]>([
    ['a key in a header', { scheme: KEY }, KEY],
    ['a key in the query', { scheme: { type: 'apiKey', in: 'query', name: 'api_key' } }, { in: 'query' }],
    ['a cookie', { scheme: { type: 'apiKey', in: 'cookie', name: 'sid', description: 'The session' } }, {
      type: 'apiKey',
      in: 'cookie',
      name: 'sid',
      description: 'The session',
    }],
    ['basic', { scheme: { type: 'basic' } }, { type: 'http', scheme: 'basic' }],
    ['basic in short', { scheme: 'basic' }, { type: 'http', scheme: 'basic' }],
    ['bearer', { scheme: { type: 'bearer', format: 'opaque' } }, { scheme: 'bearer', bearerFormat: 'opaque' }],
    ['the object of OpenAPI', { scheme: { type: 'http', scheme: 'bearer', bearerFormat: 'PASETO' } }, {
      type: 'http',
      scheme: 'bearer',
      bearerFormat: 'PASETO',
    }],
    ['basic as the object of OpenAPI', { scheme: { type: 'http', scheme: 'basic' } }, { scheme: 'basic' }],
    ['a parameter with a space in its name', { scheme: { ...KEY, in: 'query', name: 'api key' } }, { name: 'api key' }],
    ['a provider', { scheme: { type: 'openIdConnect', openIdConnectUrl: 'https://id.test/meta' } }, {
      type: 'openIdConnect',
      openIdConnectUrl: 'https://id.test/meta',
    }],
  ])('describes %s', (_what, described, scheme) => {
    const { schemes, security } = documented(guarded({ verify }, described))
    expect(Object.keys(schemes)).toEqual(['api'])
    expect(schemes.api).toMatchObject(scheme)
    expect(security).toEqual([{ api: [] }])
  })

  it('is a JWT for a secret, the metadata of the issuer for `jwks`, a bearer token for `verify`', () => {
    const jwks = (issuer: string) => ({ jwks: { keys: [] }, issuer, audience: 'api' })
    expect(documented(guarded({ secret: SECRET })).schemes.api).toMatchObject({ scheme: 'bearer', bearerFormat: 'JWT' })
    expect(documented(guarded(jwks('https://id.test/realms/a/'))).schemes.api).toMatchObject({
      type: 'openIdConnect',
      openIdConnectUrl: 'https://id.test/realms/a/.well-known/openid-configuration',
    })
    expect(documented(guarded(jwks('accounts'))).schemes.api).toMatchObject({ scheme: 'bearer', bearerFormat: 'JWT' })
    expect(documented(guarded({ verify })).schemes.api).toEqual({
      type: 'http',
      scheme: 'bearer',
      description: 'A token of the application `api`',
    })
  })

  it('has no format of a token that is not declared', () => {
    for (const scheme of ['bearer', { type: 'bearer' }, { type: 'http', scheme: 'bearer' }] as const) {
      expect(documented(guarded({ verify }, { scheme })).schemes.api).toEqual({
        type: 'http',
        scheme: 'bearer',
        description: 'Credentials of the application `api`',
      })
    }
  })

  it('is what is declared for a secret alone', () => {
    const { schemes } = documented(guarded({ secret: SECRET }, { scheme: { type: 'bearer', format: 'PASETO' } }))
    expect(schemes.api).toMatchObject({ bearerFormat: 'PASETO' })
  })

  it('makes alternatives of several strategies', () => {
    const { schemes, security } = documented(guarded([{ secret: SECRET }, { verify }], { scheme: KEY }))
    expect(schemes).toMatchObject({ 'api': { scheme: 'bearer' }, 'api.apiKey': KEY })
    expect(security).toEqual([{ api: [] }, { 'api.apiKey': [] }])
  })

  it('makes alternatives of several schemes of one strategy', () => {
    const query = { ...KEY, in: 'query', name: 'key' } as const
    const { schemes, security } = documented(guarded({ verify }, { scheme: [KEY, query, KEY] }))
    expect(schemes).toMatchObject({ 'api': KEY, 'api.apiKey': query })
    expect(security).toEqual([{ api: [] }, { 'api.apiKey': [] }])
  })

  it('is that of the guards in front of each route, and both applications are required where both guard', () => {
    const app = appWith((outer) => {
      const router = Router()
      router.use(auth('shop', { verify }, { scheme: [KEY, 'basic'] }))
      mountResource(router, { route: '/orders', name: 'orders', handlers: { list: () => [] } })
      mountResource(router, {
        app: 'api',
        guards: [auth('api', { secret: SECRET }), permission('api')],
        route: '/notes',
        name: 'notes',
        handlers: { list: () => [] },
      })
      outer.use('/api', auth('door', { secret: SECRET }), router)
    })
    const { components, paths } = openapi(app, { title: 'Notes', version: '1' })
    expect(Object.keys(components.securitySchemes)).toEqual(['api', 'door', 'shop', 'shop.basic'])
    expect(paths['/api/notes']?.get?.security).toEqual([{ api: [] }])
    expect(paths['/api/orders']?.get?.security).toEqual([{ door: [], shop: [] }, { 'door': [], 'shop.basic': [] }])
  })

  it('is replaced by name, and completed, by `securitySchemes`', () => {
    const flows = { clientCredentials: { tokenUrl: 'https://id.test/token', scopes: {} } }
    const securitySchemes = { api: { type: 'oauth2', flows }, other: KEY }
    expect(documented(guarded({ verify }), { securitySchemes }).schemes).toEqual(securitySchemes)
  })

  it.each<[string, Described]>([
    ['an unknown type', { scheme: { type: 'magic' } as never }],
    ['a key without a name', { scheme: { type: 'apiKey', in: 'header' } as never }],
    ['a key at no place', { scheme: { ...KEY, in: 'body' as never } }],
    ['a header that cannot be sent', { scheme: { ...KEY, name: 'my key' } }],
    ['an unknown HTTP scheme', { scheme: { type: 'http', scheme: 'digest' as never } }],
    ['a provider without an address', { scheme: { type: 'openIdConnect', openIdConnectUrl: 'id' } }],
    ['a provider at an address of no web server', {
      scheme: { type: 'openIdConnect', openIdConnectUrl: 'mailto:id@id.test' },
    }],
    ['a provider at half an address', { scheme: { type: 'openIdConnect', openIdConnectUrl: 'https://' } }],
    ['a provider at a list', { scheme: { type: 'openIdConnect', openIdConnectUrl: ['https://id.test'] as never } }],
    ['a type that every object has', { scheme: { type: 'toString' } as never }],
    ['no type', { scheme: {} as never }],
    ['a format that is no string', { scheme: { type: 'bearer', format: 5 as never } }],
    ['an empty parameter', { scheme: { ...KEY, in: 'query', name: '' } }],
    ['a name that is no string', { scheme: { ...KEY, name: 5 as never } }],
    ['nothing in a list', { scheme: [null as never] }],
    ['a number', { scheme: 5 as never }],
    ['an empty list', { scheme: [] }],
    ['nothing', { scheme: null as never }],
  ])('refuses %s', (_what, described) => {
    expect(() => auth('api', { verify }, described)).toThrow(expect.objectContaining({ code: 'auth_scheme' }))
  })

  it('says what a key needs', () => {
    const make = (place: 'header' | 'query' | 'cookie') => () =>
      auth('api', { verify }, { scheme: { type: 'apiKey', in: place, name: '' } })
    expect(make('query')).toThrow('needs the `name` of a parameter')
    expect(make('cookie')).toThrow('needs the `name` of a cookie')
    expect(() => auth('api', { verify }, { scheme: null as never })).toThrow('must be an object, not null')
  })

  it('refuses one scheme for several strategies of which none is `verify`', () => {
    const both = [{ secret: SECRET }, { jwks: { keys: [] }, issuer: 'https://id.test', audience: 'api' }]
    expect(() => auth('api', both, { scheme: 'bearer' })).toThrow(expect.objectContaining({ code: 'auth_scheme' }))
  })

  it('refuses misspelt options', () => {
    expect(() => auth('api', { verify }, { schema: KEY } as never)).toThrow('Did you mean `scheme`?')
    expect(() => auth('api', { verify }, { scheme: { ...KEY, nam: 'x' } as never })).toThrow('Did you mean `name`?')
  })
})

describe('the challenge of a 401', () => {
  it.each<[string, Sources, Described, string]>([
    ['a secret', { secret: SECRET }, undefined, 'Bearer realm="api"'],
    ['a key', { verify }, { scheme: KEY }, 'ApiKey realm="api"'],
    ['basic', { verify }, { scheme: 'basic' }, 'Basic realm="api", charset="UTF-8"'],
    ['several', [{ secret: SECRET }, { verify }], { scheme: KEY }, 'Bearer realm="api", ApiKey realm="api"'],
  ])('asks for the credentials of %s', async (_what, sources, described, expected) => {
    expect(await challenge(guarded(sources, described))).toEqual([401, expected])
  })

  it('tells of an invalid token to clients that send tokens', async () => {
    const headers = { authorization: 'Bearer x.y.z' }
    expect(await challenge(guarded([{ secret: SECRET }, { verify }], { scheme: KEY }), headers)).toEqual([
      401,
      'Bearer realm="api", error="invalid_token", ApiKey realm="api"',
    ])
    expect(await challenge(guarded({ verify }, { scheme: KEY }), headers)).toEqual([401, 'ApiKey realm="api"'])
    const wrong = () => 'no caller' as never
    expect(await challenge(guarded({ verify: wrong }, { scheme: 'basic' }))).toEqual([
      401,
      'Basic realm="api", charset="UTF-8"',
    ])
  })

  it.each<[string, () => Error]>([
    ['an UnauthorizedError', () => new UnauthorizedError('Wrong password', { reason: 'password.wrong' })],
    ['an error of http-errors', () => createError(401, 'Wrong password')],
  ])('is added to a 401 that `verify` throws: %s', async (_what, make) => {
    const verify = () => {
      throw make()
    }
    expect(await challenge(guarded({ verify }, { scheme: 'basic' })))
      .toEqual([401, 'Basic realm="api", charset="UTF-8"'])
    expect(await challenge(guarded({ verify }, { scheme: KEY }))).toEqual([401, 'ApiKey realm="api"'])
    expect(await challenge(guarded({ verify }))).toEqual([401, 'Bearer realm="api"'])
    const { json } = await inject(guarded({ verify }, { scheme: 'basic' }), { method: 'GET', path: '/api/notes' })
    expect(json).toMatchObject({ message: 'Wrong password' })
  })

  it('of the application stays as it is', async () => {
    const verify = () => {
      throw new UnauthorizedError('Sign in again', { challenge: 'Negotiate' })
    }
    expect(await challenge(guarded({ verify }, { scheme: 'basic' }))).toEqual([401, 'Negotiate'])
    const frozen = Object.freeze(new UnauthorizedError('Wrong password'))
    const reused = () => {
      throw frozen
    }
    expect(await challenge(guarded({ verify: reused }, { scheme: 'basic' }))).toEqual([401, 'Bearer'])
  })

  it('is in a 403 for bearer tokens only', async () => {
    const headers = { authorization: `Bearer ${await issueToken('api', { id: 1 }, { secret: SECRET })}` }
    expect(await challenge(guarded({ secret: SECRET }), headers)).toEqual([
      403,
      'Bearer realm="api", error="insufficient_scope"',
    ])
    const known = { verify: () => ({ id: 1 }) }
    expect(await challenge(guarded(known, { scheme: KEY }))).toEqual([403, null])
  })
})

describe('`transform` of a document', () => {
  it('returns the document to publish', () => {
    const app = guarded({ verify })
    const made = openapi(app, {
      title: 'A',
      version: '1',
      transform: (document) => ({ ...document, info: { ...document.info, title: 'B' } }),
    })
    expect([made.info.title, Object.keys(made.paths)]).toEqual(['B', ['/api/notes']])
  })

  it('may change its copy, which no other document shares', () => {
    const app = guarded({ verify })
    const drop = (document: { paths: object }): void => {
      for (const path of Object.values(document.paths)) Reflect.deleteProperty(path as object, 'get')
    }
    expect(openapi(app, { title: 'A', version: '1', transform: drop }).paths).toEqual({ '/api/notes': {} })
    expect(openapi(app, { title: 'A', version: '1' }).paths['/api/notes']?.get?.summary).toBe('List notes')
  })

  it('may change one operation, which shares nothing with another', () => {
    const app = express()
    for (const name of ['a', 'b']) mountResource(app, { route: `/${name}`, name, handlers: { list: () => [] } })
    const { paths } = openapi(app, {
      title: 'A',
      version: '1',
      transform: (document) => {
        const replies = document.paths['/a']?.get?.responses ?? {}
        for (const reply of Object.values(replies)) Object.assign(reply, { description: 'Only of a' })
      },
    })
    const described = (path: string) =>
      Object.values(paths[path]?.get?.responses ?? {}).map((reply) => 'description' in reply && reply.description)
    expect(described('/a').every((text) => text === 'Only of a')).toBe(true)
    expect(described('/b')).not.toContain('Only of a')
  })

  it.each<[object, string]>([
    [{ transform: 'x' }, '`transform`'],
    [{ transform: () => 'x' }, '`transform`'],
    [{ transform: () => Promise.resolve({}) }, '`transform`'],
    [{ securitySchemes: [] }, '`securitySchemes`'],
    [{ securitySchemes: { api: { type: 'bearer' } } }, '`type`'],
    [{ securitySchemes: { 'a b': KEY } }, 'names'],
  ])('and `securitySchemes` are checked: %o', (options, message) => {
    const make = (): unknown => openapi(guarded({ verify }), { title: 'A', version: '1', ...options })
    expect(make).toThrow(expect.objectContaining({ code: 'openapi_options' }))
    expect(make).toThrow(message)
  })
})
