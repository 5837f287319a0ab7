/*
 * A program: express-openapi-validator with `validateResponses` in front of resources sees every reply, accepts a valid one and refuses
 * one that does not fit the document.
 */
import { createRequire } from 'node:module'
import { equal } from 'node:assert/strict'

const require = createRequire(import.meta.url)
const express = require('express')
const { middleware } = require('express-openapi-validator')
const { errorHandler, mountResource, serve } = await import('../../dist/entries/index.js')

const envelope = {
  type: 'object',
  required: ['code', 'message', 'data', 'meta'],
  properties: {
    code: { type: 'integer' },
    message: { type: 'string' },
    data: { type: 'object', required: ['id'], properties: { id: { type: 'integer' } } },
    meta: { type: 'object' },
  },
}
const operation = {
  parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'integer' } }],
  responses: { 200: { description: 'An item', content: { 'application/json': { schema: envelope } } } },
}
const apiSpec = {
  openapi: '3.0.3',
  info: { title: 'Items', version: '1' },
  paths: { '/items/{id}': { get: operation } },
}

for (const fast of [true, false]) {
  const app = express()
  const seen = []
  app.use(middleware({
    apiSpec,
    validateResponses: {
      onError: ({ message }) => {
        seen.push(message)
        throw new Error(message)
      },
    },
  }))
  mountResource(app, {
    route: '/items',
    name: 'items',
    handlers: { show: (req, _res, { id }) => (id === '5' || id === 5 ? { id: 5 } : { name: 'no id' }) },
  })
  app.use(errorHandler({ log: () => undefined }))
  const { url, close } = await serve(app, { port: 0, host: '127.0.0.1', signals: false, fast })
  equal((await fetch(`${url}/items/5`)).status, 200)
  equal((await fetch(`${url}/items/6`)).status, 500)
  equal(seen.length, 1)
  equal((await fetch(`${url}/items/none`)).status, 400)
  await close()
}
console.log('express-openapi-validator sees the replies of resources.')
