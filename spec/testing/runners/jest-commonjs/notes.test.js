/* A test of an Express application in CommonJS, with Jest as it comes: no configuration, Babel included. */
const express = require('express')
const { auth, errorHandler, HttpError, mountResource, mountRoutes, notFound, permission, RequestParam } = require(
  'resourcery',
)
const { inject } = require('resourcery/testing')

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

const app = express()
app.use(
  auth('desk', { secret: 'at least 32 bytes that nobody can guess' }),
  permission('desk', { roles: { editor: ['desk.*'] } }),
)
mountResource(app, {
  app: 'desk',
  route: '/notes',
  name: 'notes',
  handlers: { list: () => [{ id: 1, title: 'Milk' }], create: (req) => ({ by: req.auth.id }) },
})
mountRoutes(app, {
  app: 'desk',
  route: '/photo',
  name: 'photo',
  routes: {
    add: {
      methods: 'POST',
      route: '',
      files: { photo: { types: ['image/png'], required: true } },
      handler: (req) => ({ type: RequestParam.file(req, 'photo').type }),
    },
  },
})
app.use(notFound(), errorHandler({ log: () => undefined }))
const as = { id: 1, role: 'editor' }

test('serves a resource to a caller, and refuses an anonymous one', async () => {
  const created = await inject(app, { method: 'POST', path: '/notes', body: {}, as })
  expect([created.status, created.json.data]).toEqual([201, { by: 1 }])
  expect((await inject(app, { method: 'GET', path: '/notes' })).status).toBe(401)
})

test('reads an upload and its type', async () => {
  const body = new FormData()
  body.set('photo', new Blob([PNG], { type: 'image/png' }), 'a.png')
  const { json } = await inject(app, { method: 'POST', path: '/photo', body, as })
  expect(json.data).toEqual({ type: 'image/png' })
})

test('gets a copy of its own after a reset of the modules', async () => {
  jest.resetModules()
  const again = require('resourcery')
  expect(again.HttpError).not.toBe(HttpError)
  expect(new again.HttpError(418, 'Teapot')).toBeInstanceOf(HttpError)
  expect((await inject(app, { method: 'GET', path: '/notes', as })).status).toBe(200)
})
