import express from 'express'
import { mountResource } from 'resourcery'

/** An app for the command, with two resources and an undeclared route. */
export const app = express()
mountResource(app, {
  app: 'admin',
  route: '/users',
  name: 'users',
  handlers: { list: () => [], show: () => null },
  custom: { health: { methods: ['GET'], route: '/health', auth: false, handler: () => 'well' } },
})
mountResource(app, { route: '/notes', name: 'notes', auth: 'optional', handlers: { create: () => null } })
mountResource(app, {
  app: 'shop',
  route: '/orders',
  name: 'orders',
  auth: 'optional',
  can: false,
  handlers: { list: () => [] },
})
app.get('/by-hand', (_req, res) => res.end())
app.all('/any', (_req, res) => res.end())
