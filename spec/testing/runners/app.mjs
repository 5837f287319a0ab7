import express from 'express'
import { auth, errorHandler, mountResource, notFound, permission } from '../../../dist/entries/index.js'

/** The app of docs/testing.md, as a module that does not listen. */
export const app = express()
app.use(
  auth('desk', { secret: 'at least 32 bytes that nobody can guess' }),
  permission('desk', { roles: { editor: ['desk.notes.*'], reader: ['desk.notes.list'] } }),
)
mountResource(app, {
  app: 'desk',
  route: '/notes',
  name: 'notes',
  handlers: { list: () => [{ id: 1, title: 'Milk' }], create: (req) => ({ by: req.auth?.id }) },
})
app.use(notFound(), errorHandler())
