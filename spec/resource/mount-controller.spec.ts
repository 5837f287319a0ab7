import express, { Router } from 'express'
import { describe, expect, it } from 'vitest'
import { mountController, notFound } from 'resourcery'
import { permissionsOf, routesOf } from 'resourcery'
import { serving } from '../support/http.js'
import { appWith, guardsOf, tokenFor } from '../support/guarded-app.js'

class Base {
  inherited(): string {
    return 'inherited'
  }
}

class Jobs extends Base {
  readonly queue = ['a', 'b']
  readonly own = (): string => 'own'
  list(): readonly string[] {
    return this.queue
  }
  run(_req: unknown, _res: unknown, { id }: { id?: string }): string {
    return `${this.queue.length} ${id ?? 'all'}`
  }
  remove(): string {
    return 'removed'
  }
  _hidden(): string {
    return 'hidden'
  }
  get accessor(): () => string {
    return () => 'accessor'
  }
}

describe('a mounted controller', () => {
  it('calls its own functions and the methods of its class, with any HTTP method and an id', async () => {
    const client = await serving(appWith((root) => mountController(root, '/jobs', new Jobs())))
    const data = async (method: string, path: string): Promise<unknown> => (await client.send(method, path)).body.data
    expect(await data('GET', '/jobs')).toEqual(['a', 'b'])
    expect(await data('POST', '/jobs/list')).toEqual(['a', 'b'])
    expect(await data('PUT', '/jobs/run/5')).toBe('2 5')
    expect(await data('PATCH', '/jobs/run')).toBe('2 all')
    expect(await data('DELETE', '/jobs/own')).toBe('own')
  })

  it.each([
    'inherited',
    '_hidden',
    'accessor',
    'constructor',
    'queue',
    'toString',
    '__proto__',
    'hasOwnProperty',
    'nothing',
  ])('does not expose %s', async (name) => {
    const client = await serving(appWith((root) => mountController(root, '/jobs', new Jobs())))
    expect((await client.get(`/jobs/${name}`)).status).toBe(404)
  })

  it('may be a plain object, without its inherited properties', async () => {
    const controller = Object.assign(Object.create({ inherited: () => 'no' }) as object, {
      sum: () => 3,
      '$odd': () => 4,
    })
    const client = await serving(appWith((root) => mountController(root, '/math', controller)))
    expect((await client.get('/math/sum')).body.data).toBe(3)
    for (const path of ['/math', '/math/inherited', '/math/$odd', '/math/toString']) {
      expect((await client.get(path)).status)
        .toBe(404)
    }
  })

  it('gives each function a permission, and restricts its methods if declared', async () => {
    const app = appWith((root) =>
      mountController(root, '/jobs', new Jobs(), {
        app: 'admin',
        guards: guardsOf('admin'),
        methods: { remove: ['POST', 'DELETE'], run: 'POST' },
      })
    )
    expect(permissionsOf(app)[0]?.children.map(({ name }) => name)).toEqual([
      'admin.jobs.list',
      'admin.jobs.run',
      'admin.jobs.remove',
      'admin.jobs.own',
    ])
    expect(routesOf(app).every(({ doc }) => doc === false)).toBe(true)
    const client = await serving(app)
    const token = await tokenFor('admin', ['admin.jobs.remove'])
    expect((await client.post('/jobs/remove', undefined, { token })).body.data).toBe('removed')
    expect((await client.post('/jobs/run', undefined, { token })).status).toBe(403)
    expect((await client.post('/jobs/run')).status).toBe(401)
    const narrowed = await client.get('/jobs/remove/1', { token })
    expect([narrowed.status, narrowed.headers.get('allow')]).toEqual([405, 'DELETE, POST'])
  })

  it('refuses an unknown function in `methods`, a function with four parameters, and an invalid name', () => {
    expect(() => mountController(Router(), '/jobs', new Jobs(), { methods: { inherited: 'GET' } })).toThrow(
      expect.objectContaining({ code: 'methods_invalid' }),
    )
    expect(() => mountController(Router(), '/x', { bad: (_a: 1, _b: 2, _c: 3, _d: 4) => 1 })).toThrow(
      expect.objectContaining({ code: 'handler_arity' }),
    )
    expect(() => mountController(Router(), '/a b', { ok: () => 1 })).toThrow(
      expect.objectContaining({ code: 'name_invalid' }),
    )
  })

  it('refuses a controller without functions, such as a class in place of its instance', () => {
    const refused = (message: RegExp): object => ({
      code: 'handler_missing',
      message: expect.stringMatching(message) as string,
    })
    for (const controller of [Jobs, Base]) {
      expect(() => mountController(Router(), '/jobs', controller)).toThrow(
        expect.objectContaining(refused(/`\/jobs` has no functions to mount.*`new Jobs\(\)`/)),
      )
    }
    expect(() => mountController(Router(), '/jobs', {})).toThrow(
      expect.objectContaining(refused(/has no functions to mount\.$/)),
    )
  })

  it('mounts the functions of a class itself, without those of every function', async () => {
    class Tools extends Base {
      static run(): string {
        return 'done'
      }
    }
    const app = express()
    mountController(app, '/tools', Tools)
    app.use(notFound())
    const { get } = await serving((req, res) => void app(req, res))
    expect((await get('/tools/run')).body.data).toBe('done')
    for (const inherited of ['call', 'apply', 'bind']) expect((await get(`/tools/${inherited}`)).status).toBe(404)
  })

  it('refuses a controller that is missing, and a route that is no string', () => {
    expect(() => mountController(Router(), '/jobs', undefined as never)).toThrow(
      expect.objectContaining({ code: 'options_shape' }),
    )
    expect(() => mountController(Router(), undefined as never, new Jobs())).toThrow(
      expect.objectContaining({ code: 'route_invalid' }),
    )
  })
})
