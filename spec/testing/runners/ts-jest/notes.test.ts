import express from 'express'
import { errorHandler, findOrFail, mountResource, param } from 'resourcery'
import { inject } from 'resourcery/testing'
import { z } from 'zod'

/* A test of an application in TypeScript that compiles to CommonJS, with the settings of `tsc --init` up to 5.8. */
const notes = [{ id: 1, title: 'Milk' }]
const app = express()
mountResource(app, {
  route: '/notes',
  name: 'notes',
  handlers: {
    show: {
      input: z.object({ id: param.int() }),
      output: z.object({ id: z.int(), title: z.string() }),
      handler: (_req, _res, { id }) => findOrFail(notes.find((note) => note.id === id)),
    },
  },
})
app.use(errorHandler())

test('serves a resource with types', async () => {
  expect((await inject(app, { method: 'GET', path: '/notes/1' })).json).toMatchObject({ data: { title: 'Milk' } })
  expect((await inject(app, { method: 'GET', path: '/notes/2' })).status).toBe(404)
})
