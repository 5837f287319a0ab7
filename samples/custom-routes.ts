import express, { type Request, type Response } from 'express'
import { errorHandler, mountController, mountResource, mountRoutes, notFound, param, reply, routesOf, send,
  serve } from 'resourcery'
import { z } from 'zod'

// Routes that are none of the seven: beside them, in a group of their own, or as the methods of a class.
const Period = z.object({ from: param.date(), to: param.date() }).refine(({ from, to }) => from <= to,
  'A period begins before it ends')

class Jobs {
  #running = new Set<string>()

  list() {
    return [...this.#running]
  }
  start(req: Request, res: Response, { id }: { id: string }) {
    return reply('Started', this.#running.add(id).size)
  }
}

const app = express()

mountResource(app, {
  route: '/orders',
  name: 'orders',
  handlers: { show: (req, res, { id }) => ({ id }) },
  custom: {
    count: { methods: ['GET'], route: '/count', handler: () => 7 }, // never taken for an order whose id is `count`
    cancel: { methods: ['POST'], route: '/:id/cancel', status: 202, message: 'Will be cancelled',
      handler: (req, res, { id }) => ({ id }) },
  },
})
mountRoutes(app, {
  route: '/reports',
  tags: ['Reports'],
  routes: {
    sales: { route: '/sales', input: Period,
      handler: (req, res, { from, to }) => ({ days: (+to - +from) / 86_400_000 }) },
  },
})
mountController(app, '/jobs', new Jobs(), { methods: { start: 'POST' } })

app.get('/routes',
  (req, res) => send(res, 'ok', routesOf(app).map(({ method, path, name }) => `${method} ${path} ${name}`)))
app.use(notFound(), errorHandler())

const { url } = await serve(app, { port: Number(process.env.PORT ?? 3000), host: '127.0.0.1' })
console.log(`listening on ${url}`)
console.log(`  curl '${url}/reports/sales?from=2026-11-01&to=2026-11-21'`)
