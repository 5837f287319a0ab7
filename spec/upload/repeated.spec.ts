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

/** An app whose import keeps a copy of the file for each row. */
function importing(folder: string, partial: boolean): Express {
  const disk = localDisk(folder, { baseUrl: '/' })
  const app = express()
  mountResource(app, {
    route: '/rows',
    name: 'rows',
    ...crud(memoryStore<Attachment & { title: string }>({ key: 'id', unique: ['title'] }), {
      input: z.object({ title: z.string() }),
      output,
      import: { partial },
      before: {
        create: async (fields, { req }) => {
          if (fields.title === 'broken') throw new Error('The hook is broken')
          return { ...fields, path: (await findOrFail(RequestParam.file(req, 'file')).saveTo(disk)).path }
        },
      },
    }),
  })
  return app.use(errorHandler({ log: () => undefined }))
}

const csv = (...titles: readonly string[]): FormPart => ({
  name: 'file',
  filename: 'rows.csv',
  content: ['title', ...titles, ''].join('\n'),
})

it('keeps no file of a trial of an import, and none of a row that was refused', async () => {
  const [all, some] = [await scratchFolder(), await scratchFolder()]
  const trial = { name: 'dryRun', content: 'true' }
  const whole = await uploading(importing(all, false), '/rows/import')
  expect((await whole.post(csv('a', 'b'), trial)).status).toBe(200)
  expect(await readdir(all)).toEqual([])
  expect((await whole.post(csv('a', 'b'))).status).toBe(200)
  expect(await readdir(all)).toHaveLength(2)
  const partial = await uploading(importing(some, true), '/rows/import')
  expect((await partial.post(csv('a', 'b'), trial)).status).toBe(200)
  expect(await readdir(some)).toEqual([])
  expect((await partial.post(csv('a', 'a', 'b'))).body).toMatchObject({ data: { rows: 3, created: 2 } })
  expect(await readdir(some)).toHaveLength(2)
})

it('keeps the files of committed rows if the reply is an error', async () => {
  const [folder, other] = [await scratchFolder(), await scratchFolder()]
  const { post } = await uploading(importing(folder, true), '/rows/import')
  expect((await post(csv('a', 'b', 'broken'))).status).toBe(500)
  const disk = localDisk(other, { baseUrl: '/' })
  const { handlers: { create } } = crud(memoryStore<Attachment>({ key: 'id' }), { input: z.object({}), output, before: {
    create: async (_fields, { req }) => ({
      path: (await findOrFail(RequestParam.file(req, 'file')).saveTo(disk)).path,
    }),
  } })
  const app = express()
  mountResource(app, {
    route: '/files',
    name: 'files',
    handlers: {
      create: {
        ...create,
        files,
        handler: async (req, res, args) => {
          await create.handler(req, res, args)
          throw new Error('Something after the commit failed')
        },
      },
    },
  })
  const late = await uploading(app.use(errorHandler({ log: () => undefined })), '/files')
  expect((await late.post(PNG)).status).toBe(500)
  // The deletion of files of a failed request is not awaited by its reply.
  expect((await late.post({ ...PNG, filename: 'b.png' })).status).toBe(500)
  expect([await readdir(folder), await readdir(other)]).toEqual([
    [expect.any(String), expect.any(String)],
    [expect.any(String), expect.any(String)],
  ])
})
