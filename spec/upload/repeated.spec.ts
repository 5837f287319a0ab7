import { readdir } from 'node:fs/promises'
import express, { type Express } from 'express'
import multer from 'multer'
import { expect, it } from 'vitest'
import { errorHandler, findOrFail, localDisk, mountResource, RequestParam } from 'resourcery'
import { crud, idempotent, memoryStore, type IdempotencyKey, type Store } from 'resourcery/crud'
import { z } from 'zod'
import { fileOf, type FormPart } from '../support/multipart.js'
import { scratchFolder, uploading } from './uploading.js'

const PNG: FormPart = { name: 'file', filename: 'a.png', content: fileOf('png', 500) }

interface Attachment {
  id: number
  path: string
}

/** Returns a store whose transactions meet a deadlock once, at their first write, and run again. */
function deadlocking(): Store<Attachment> {
  const store = memoryStore<Attachment>({ key: 'id' })
  const undone = new Error('undone')
  return {
    ...store,
    transaction: async (work) => {
      const create = async () => Promise.reject(undone)
      const attempt = store.transaction(async (inside) => work({ ...inside, create }))
      await attempt.catch((error: unknown) => expect(error).toBe(undone))
      return store.transaction(work)
    },
  }
}

const keys = memoryStore<IdempotencyKey>({ key: 'id' })
const idempotency = { keys: () => keys, identity: () => 'all' }
const output = z.object({ id: z.int(), path: z.string() })
const files = { file: { maxBytes: 2000, required: true } }

function attachmentsApp(folder: string, path?: string): Express {
  const store = deadlocking()
  const disk = localDisk(folder, { baseUrl: '/' })
  const save = async (req: express.Request) => findOrFail(RequestParam.file(req, 'file')).saveTo(disk, path)
  const { handlers: { create } } = crud(store, {
    input: z.object({}),
    output,
    idempotency,
    before: { create: async (_fields, { req }) => ({ path: (await save(req)).path }) },
  })
  const app = express()
  mountResource(app, { route: '/files', name: 'files', handlers: { create: { ...create, files } } })
  app.use('/own', multer({ storage: multer.memoryStorage() }).any())
  mountResource(app, { route: '/own', name: 'own', handlers: { create } })
  mountResource(app, {
    route: '/idempotent',
    name: 'idempotent',
    custom: {
      add: {
        methods: ['POST'],
        route: '/',
        ...idempotent({ store, ...idempotency }, {
          files,
          output,
          handler: async (req, _res, _args, inside) => inside.create({ path: (await save(req)).path }),
        }),
      },
    },
  })
  return app.use(errorHandler({ log: () => undefined }))
}

const KEY = { 'idempotency-key': 'one' }

it.each<[string, string, Record<string, string>, string | undefined]>([
  ['a creation', '/files', {}, undefined],
  ['a creation under one path', '/files', {}, 'a.png'],
  ['a creation with a key', '/files', KEY, undefined],
  ['a creation after a multer of the application', '/own', {}, undefined],
  ['an idempotent action', '/idempotent', {}, undefined],
  ['an idempotent action with a key', '/idempotent', KEY, undefined],
])('keeps one file if the transaction of %s is repeated', async (_what, route, headers, path) => {
  const folder = await scratchFolder()
  const { post } = await uploading(attachmentsApp(folder, path), route, headers)
  const { body } = await post(PNG)
  expect(body).toMatchObject({ data: { path: expect.any(String) } })
  expect(await readdir(folder)).toEqual([(body.data as Attachment).path])
})
