import express from 'express'
import { z } from 'zod'
import { auth, errorHandler, localDisk, mountResource, notFound, param, permission, RequestParam, serve,
  type Storage } from 'resourcery'
import { crud, memoryStore, type Store } from 'resourcery/crud'
import { setClock } from './clock.js'
import { answerMeasurements } from './measured.js'
import { Faults, type ClockOrder, type Order } from './parts.js'

/*
 * Serves notes whose parts fail when the parent process tells it to, with time-outs of a second; the identity provider
 * at JWKS is the parent. Files are in FOLDER.
 */

interface Note {
  id: number
  title: string
}

const { JWKS = '', FOLDER = '' } = process.env
const faults = new Faults()
const behind =
  <Args extends unknown[], R>(call: (...args: Args) => R | Promise<R>) => async (...args: Args): Promise<R> => {
    await faults.pass('store')
    return call(...args)
  }

function failing(inner: Store<Note, undefined>): Store<Note, undefined> {
  return {
    key: inner.key,
    db: undefined,
    list: (query) => {
      const rows = inner.list(query)
      return { slice: behind((from, to) => rows.slice(from, to)), count: behind(() => rows.count?.() ?? 0) }
    },
    find: behind((keys, where) => inner.find(keys, where)),
    create: behind((fields) => inner.create(fields)),
    update: behind((key, changes) => inner.update(key, changes)),
    delete: behind((keys) => inner.delete(keys)),
    transaction: (work) => inner.transaction((inside) => work(failing(inside))),
  }
}

const disk = localDisk(FOLDER, { baseUrl: '/files' })
const storage: Storage = {
  ...disk,
  write: async (path, content, options) => {
    await faults.pass('storage')
    await disk.write(path, content, options)
  },
}

const Title = z.object({ title: z.string() })
const app = express()
app.use(
  auth('api', {
    jwks: JWKS,
    issuer: 'https://idp.example.test',
    audience: 'notes',
    timeout: 1,
    load: { run: (claims) => faults.pass('load').then(() => claims), timeout: 1 },
  }),
  permission('api', { allows: () => faults.pass('allows').then(() => true), timeout: 1 }),
)
mountResource(app, {
  app: 'api',
  route: '/notes',
  name: 'notes',
  ...crud(failing(memoryStore<Note>({ key: 'id', rows: [{ id: 1, title: 'first' }] })), {
    input: Title,
    output: Title.extend({ id: z.int() }),
    deadline: 1,
  }),
  custom: {
    attach: {
      methods: ['POST'],
      route: '/:id/file',
      input: z.object({ id: param.int() }),
      files: { file: { required: true } },
      handler: async (req) => {
        const file = RequestParam.file(req, 'file')
        await file?.saveTo(storage)
        return { size: file?.size }
      },
    },
  },
})
app.use(notFound(), errorHandler({ log: () => undefined }))
process.on('message', (message) => {
  if (typeof message !== 'object' || message === null) return
  if ('clock' in message) setClock((message as ClockOrder).clock)
  else faults.set(message as Order)
  process.send?.('done')
})
const { url, server } = await serve(app, { port: 0, host: '127.0.0.1', deadline: 3, log: () => undefined })
answerMeasurements(server)
process.send?.(url)
