import { createRequire } from 'node:module'
import type { Application, Express } from 'express'
import type * as Http from 'node:http'
import { mountResource, serve } from 'resourcery'

/*
 * Loaded by mocha before Express's tests: `http.createServer(app)`, which supertest and `app.listen` call, makes a
 * server of `serve`, and the app gets one resource before the routes of the test, and one after them.
 *
 * This file runs in a copy of a checkout of Express's, see run.ts.
 */

const http = createRequire(import.meta.url)('node:http') as typeof Http
const { createServer } = http
const listen: unknown = Reflect.get(http.Server.prototype, 'listen')

http.createServer = ((...args: Parameters<typeof createServer>) => {
  const [app] = args as unknown[]
  return args.length === 1 && isApp(app) ? servedBy(app) : createServer(...args)
}) as typeof createServer

function isApp(value: unknown): value is Application {
  return typeof value === 'function' && 'handle' in value && 'set' in value && 'router' in value
}

/** Returns the server that `serve` makes for an app; it listens when the test calls `listen`. */
function servedBy(app: Application): Http.Server {
  surround(app)
  const servers: Http.Server[] = []
  Reflect.set(http.Server.prototype, 'listen', function(this: Http.Server): Http.Server {
    servers.push(this)
    return this
  })
  try {
    serve(app, { port: 0, signals: false, deadline: false }).catch((error: unknown) => {
      // The test must notice a server that cannot listen.
      if (servers.length === 0) console.error(error)
    })
  } finally {
    Reflect.set(http.Server.prototype, 'listen', listen)
  }
  const [server] = servers
  if (server === undefined) throw new Error('serve() did not listen at once.')
  return server
}

const surrounded = new WeakSet<Application>()

/** Mounts one resource before all other layers and one after them. */
function surround(app: Application): void {
  if (surrounded.has(app)) return
  surrounded.add(app)
  const { stack } = app.router as unknown as { stack: unknown[] }
  const inFront = stack.length
  mount(app, 'front')
  stack.unshift(...stack.splice(inFront))
  mount(app, 'behind')
}

function mount(app: Application, name: string): void {
  mountResource(app, {
    name: `resourcery-${name}`,
    route: `/resourcery-${name}`,
    actions: ['list', 'show', 'create'],
    handlers: { list: () => name, show: () => name, create: () => name },
  })
}

/** Mounts the layers of a test between the two resources. */
export const mochaHooks = {
  async afterAll(): Promise<void> {
    const express = createRequire(import.meta.url)('express') as () => Express
    const app = express()
    app.use((_req, res, next) => {
      res.setHeader('x-between', 'yes')
      next()
    })
    const server = servedBy(app).listen(0)
    await new Promise((resolve) => server.once('listening', resolve))
    const address = server.address() as { port: number }
    for (const [name, between] of [['front', null], ['behind', 'yes']] as const) {
      const response = await fetch(`http://127.0.0.1:${address.port}/resourcery-${name}/1`)
      const { data } = await response.json() as { data: unknown }
      if (data !== name || response.headers.get('x-between') !== between) {
        throw new Error(`The resource ${name} is not where it should be.`)
      }
    }
    server.close()
    server.closeAllConnections()
  },
}
