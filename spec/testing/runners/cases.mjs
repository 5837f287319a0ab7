import { strict as assert } from 'node:assert'
import { once } from 'node:events'
import { serve } from '../../../dist/entries/index.js'
import { inject } from '../../../dist/entries/testing.js'
import request from 'supertest'
import { app } from './app.mjs'

/** The tests that every runner runs, by their names. */
export const cases = {
  'lets an editor write': async () => {
    const reply = await inject(app, {
      method: 'POST',
      path: '/notes',
      body: { title: 'Tea' },
      as: { id: 1, role: 'editor' },
    })
    assert.equal(reply.status, 201)
    assert.deepEqual(reply.json.data, { by: 1 })
  },
  'refuses a reader who writes, and an anonymous caller': async () => {
    assert.equal(
      (await inject(app, { method: 'POST', path: '/notes', body: {}, as: { id: 2, role: 'reader' } })).status,
      403,
    )
    assert.equal((await inject(app, { method: 'GET', path: '/notes' })).status, 401)
  },
  'rejects a caller whom nobody signs in': async () => {
    await assert.rejects(inject(app, { method: 'GET', path: '/notes', as: { app: 'shop', id: 1 } }), {
      code: 'inject_as',
    })
  },
  'sends a form': async () => {
    const body = new FormData()
    body.set('title', 'Tea')
    assert.equal(
      (await inject(app, { method: 'POST', path: '/notes', body, as: { id: 1, role: 'editor' } })).status,
      415,
    )
  },
  'replies over HTTP, by `app.listen` and by `serve`': async () => {
    const statusOf = async (url) => (await fetch(`${url}/notes`)).status
    const listening = app.listen(0)
    await once(listening, 'listening')
    assert.equal(await statusOf(`http://localhost:${listening.address().port}`), 401)
    listening.close()
    const { url, close } = await serve(app, { port: 0, signals: false })
    assert.equal(await statusOf(url), 401)
    await close()
  },
  'leaves supertest as it is': async () => {
    assert.equal((await request(app).get('/notes')).status, 401)
  },
}
