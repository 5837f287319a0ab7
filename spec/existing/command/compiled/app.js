'use strict'
Object.defineProperty(exports, '__esModule', { value: true })
const express = require('express')
const { auth, errorHandler, mountResource, notFound, permission } = require('resourcery')
const { z } = require('zod')

const app = express()
app.use(auth('site', { secret: process.env.SECRET ?? 'k9Vd2Lq8Zt5Xw1Rn7Bm4Hs6Yc3Pf0JgU' }),
  permission('site', { roles: { user: ['site.notes.list'] } }))
mountResource(app, {
  app: 'site',
  route: '/notes',
  name: 'notes',
  handlers: { list: { output: z.array(z.string()), handler: () => ['Milk'] },
    create: { input: z.object({ title: z.string() }), handler: () => 'Saved' } },
})
app.use(notFound(), errorHandler())

exports.default = app
