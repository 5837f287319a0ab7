import express from 'express'
import { describe, expect, it } from 'vitest'
import { auth, errorHandler, mountResource, notFound, permission } from 'resourcery'
import { serving } from '../support/http.js'
import { foreign } from './foreign.js'

describe.each(foreign)('%s', (_what, make) => {
  it('is called as Express calls it, and ends no process', async () => {
    const app = express().use('/old', make())
    mountResource(app, { route: '/u', name: 'u', handlers: { list: () => [] } })
    app.use(notFound(), errorHandler({ log: () => undefined }))
    const { get, send } = await serving(app)
    expect((await get('/old/x')).text).toBe('inside')
    for (const path of ['/old/zz', '/zz']) expect((await get(path)).status).toBe(404)
    expect((await send('PUT', '/u')).status).toBe(405)
    expect((await get('/u')).status).toBe(200)
    await new Promise(setImmediate)
  })

  it('is undeclared: it needs a sign-in, and a permission where that is asked for', async () => {
    const app = express()
    const guards = [auth('api', { verify: (req) => (req.get('x-id') === undefined ? null : { id: 1 }) }),
      permission('api', { undeclared: 'deny' })]
    app.use(guards).use('/old', make())
    mountResource(app, { route: '/*path', name: 'pages', auth: false, handlers: { list: () => 'page' } })
    app.use(notFound(), errorHandler({ log: () => undefined }))
    const { get } = await serving(app)
    expect((await get('/old/x')).status).toBe(401)
    expect((await get('/old/x', { headers: { 'x-id': '' } })).status).toBe(403)
    expect((await get('/other')).status).toBe(200)
  })
})
