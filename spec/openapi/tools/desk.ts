import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import express from 'express'
import { auth, errorHandler, issueToken, mountResource, mountRoutes, notFound, permission } from 'resourcery'
import { openapiRouter } from 'resourcery/openapi'
import { z } from 'zod'

/*
 * An app as behind a proxy that serves it below `/v1` and answers every other path itself. It prints the address of the
 * proxy, for the test of the documentation page in a browser: samples/admin-panel/spec/documents.spec.ts.
 */

const secret = 'a secret of at least thirty-two bytes'

const app = express()
const proxy = createServer((req, res) => {
  const { url = '' } = req
  if (!url.startsWith('/v1/')) res.writeHead(404, { 'Content-Type': 'text/html' }).end('<h1>Another application</h1>')
  else app(Object.assign(req, { url: url.slice('/v1'.length) }), res)
})
await once(proxy.listen(0, '127.0.0.1'), 'listening')
const origin = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
app.use(openapiRouter(app, { title: 'Desk', version: '1', servers: [`${origin}/v1`] }))
app.use(auth('desk', { secret }), permission('desk'))
const login = z.object({
  email: z.email(),
  password: z.string(),
  code: z.string().length(6).nullable().optional(),
  tenant: z.int().min(1),
})
mountRoutes(app, {
  app: 'desk',
  name: 'session',
  route: '',
  routes: {
    login: {
      methods: 'POST',
      route: '/login',
      auth: false,
      input: login,
      handler: async () => ({
        token: await issueToken('desk', { id: 1, permissions: ['*'] }, { secret, expiresIn: 60 }),
      }),
    },
  },
})
mountResource(app, { app: 'desk', route: '/items', name: 'items', handlers: { list: () => [] } })
app.use(notFound(), errorHandler())
console.log(origin)
