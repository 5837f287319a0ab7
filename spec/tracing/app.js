/*
 * A program: mounts a route that answers and one that fails, requests each once under a tracer, and prints the records of the tracer.
 * `KIND=express` mounts the same plain routes, for comparison.
 */
import { createRequire } from 'node:module'

const { KIND, ON, BY, WHEN, TRACER } = process.env
const { auth, errorHandler, mountResource, permission, serve } = await import('../../dist/entries/index.js')
if (WHEN === 'late') await import(`./tracers/${TRACER}.js`)
const express = createRequire(import.meta.url)('express')

const app = express()
app.set('env', 'test')
const target = ON === 'router' ? express.Router() : app
if (ON === 'router') app.use('/api', target)
const prefix = ON === 'router' ? '' : '/api'
const fail = () => {
  throw new Error('It broke')
}
if (KIND === 'express') {
  target.get(`${prefix}/items/:id`, (req, res) => void res.json({ id: req.params.id }))
  target.get(`${prefix}/faults/:id`, fail)
} else {
  mountResource(target, {
    route: `${prefix}/items`,
    name: 'items',
    handlers: { show: (_req, _res, { id }) => ({ id }) },
  })
  mountResource(target, { route: `${prefix}/faults`, name: 'faults', handlers: { show: fail } })
}
// A public route behind guards, which must find their own layers even if a tracer has wrapped them.
const guarded = express.Router()
if (KIND === 'express') guarded.get('/items/:id', (_req, res) => void res.json({}))
else {mountResource(guarded, {
    app: 'guarded',
    route: '/items',
    name: 'items',
    auth: false,
    handlers: { show: () => 'open' },
  })}
const guards = KIND === 'express'
  ? [pass('first'), pass('second')]
  : [auth('guarded', { verify: () => null }), permission('guarded')]
app.use('/guarded', ...guards, express().use(guarded))
globalThis.tracer.setUp?.(app)
app.use(
  KIND === 'express'
    ? (error, _req, res, _next) => void res.status(500).json({ message: error.message })
    : errorHandler({ log: () => undefined }),
)

const { url, close } = BY === 'serve'
  ? await serve(app, { port: 0, host: '127.0.0.1', signals: false })
  : await listening()
const statuses = []
for (const path of ['/api/items/5', '/api/faults/5', '/guarded/items/5']) {
  statuses.push((await fetch(url + path)).status)
}
await close()
await recorded()
process.send(
  { statuses, names: globalThis.tracer.names().sort(), errors: globalThis.tracer.errors() },
  () => process.exit(),
)

/** Tracers record a request after its reply, some only what is flushed; some record nothing if they are loaded late. */
async function recorded() {
  const end = Date.now() + 3000
  do await globalThis.tracer.flush?.()
  while (
    globalThis.tracer.names().length < statuses.length && Date.now() < end
    && await new Promise((resolve) => setImmediate(resolve, true))
  )
}

function pass(name) {
  return { [name]: (_req, _res, next) => next() }[name]
}

function listening() {
  return new Promise((resolve) => {
    const server = app.listen(
      0,
      '127.0.0.1',
      () => resolve({ url: `http://127.0.0.1:${server.address().port}`, close: () => server.close() }),
    )
  })
}
