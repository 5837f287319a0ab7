import { readdirSync, readFileSync } from 'node:fs'
import { buffer } from 'node:stream/consumers'
import express, { type Express, type RequestHandler } from 'express'
import multer, { type Multer, type StorageEngine } from 'multer'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { errorHandler } from 'resourcery'
import { findOrFail } from 'resourcery'
import { notFound } from 'resourcery'
import { RequestParam } from 'resourcery'
import { mountResource } from '../../lib/core/resource/mount-resource.js'
import { send } from 'resourcery'
import { localDisk } from 'resourcery'
import type { FileFields } from 'resourcery'
import { sniffCommon } from '../../lib/core/upload/signatures.js'
import { sniff } from '../../lib/core/upload/sniff.js'
import { fileOf, type FormPart } from '../support/multipart.js'
import { AVATAR, echo, scratchFolder, uploading } from './uploading.js'

const PNG: FormPart = { name: 'avatar', filename: 'a.png', content: fileOf('png'), type: 'image/png' }
const TEXT: FormPart = { name: 'avatar', filename: 'b.png', content: 'no image', type: 'image/png' }
const TITLE: FormPart = { name: 'title', content: 'Me' }

/** Makes an app with a multer of its own in front of a handler. */
function appWith(form: RequestHandler, handler: RequestHandler = echo, logged: unknown[] = []): Express {
  const app = express()
  app.post('/', form, handler)
  return app.use(notFound(), errorHandler({ log: (error) => logged.push(error) }))
}

const onDisk = async (): Promise<[string, Multer]> => {
  const folder = await scratchFolder()
  return [folder, multer({ storage: multer.diskStorage({ destination: folder }) })]
}

const storages: readonly (readonly [string, () => Promise<Multer>])[] = [
  ['memory', () => Promise.resolve(multer())],
  ['disk', async () => (await onDisk())[1]],
]

describe.each(storages)('a file behind the application’s own multer with %s storage', (_name, made) => {
  it.each([
    ['single', (own: Multer) => own.single('avatar')],
    ['array', (own: Multer) => own.array('avatar')],
    ['fields', (own: Multer) => own.fields([{ name: 'other' }, { name: 'avatar' }])],
    ['any', (own: Multer) => own.any()],
  ])('is returned with its type by content, behind %s', async (_way, form) => {
    const { post } = await uploading(appWith(form(await made())))
    const { body } = await post(TITLE, PNG)
    expect(body.data).toEqual({
      files: [{ name: 'a.png', type: 'image/png', clientType: 'image/png', size: 1000 }],
      body: { title: 'Me' },
    })
    expect((await post(TEXT)).body.data).toMatchObject({
      files: [{ name: 'b.png', type: 'text/plain', clientType: 'image/png', size: 8 }],
    })
    expect((await post(TITLE)).body.data).toEqual({ files: [], body: { title: 'Me' } })
  })

  it('is the first of its field, and the same object each time', async () => {
    const app = appWith((await made()).any(), (req, res) => {
      const [file, files] = [RequestParam.file(req, 'avatar'), RequestParam.files(req, 'avatar')]
      send(res, 'ok', [file === files[0], files.length, file?.name, RequestParam.file(req, 'other')])
    })
    const { post } = await uploading(app)
    expect((await post(PNG, { ...TEXT, name: 'avatar[]' })).body.data).toEqual([true, 2, 'a.png', null])
  })

  it('returns its bytes and streams repeatedly', async () => {
    const content = Buffer.concat([fileOf('png'), Buffer.alloc(200_000, 5)])
    const app = appWith((await made()).single('avatar'), async (req, res) => {
      const file = findOrFail(RequestParam.file(req, 'avatar'))
      ;(await file.bytes()).fill(0)
      const read = [await file.bytes(), await buffer(file.stream()), await buffer(file.stream())]
      send(res, 'ok', read.map((bytes) => bytes.equals(content)))
    })
    expect((await (await uploading(app)).post({ ...PNG, content })).body.data).toEqual([true, true, true])
  })

  it('is copied to a storage under a name by its content, and removed from it if the request fails', async () => {
    const folder = await scratchFolder()
    const storage = localDisk(folder, { baseUrl: '/files' })
    const app = appWith((await made()).single('avatar'), async (req, res) => {
      const { path } = await findOrFail(RequestParam.file(req, 'avatar')).saveTo(storage)
      send(res, 'ok', path, {}, RequestParam.body(req).fails === undefined ? 200 : 409)
    })
    const { post } = await uploading(app)
    const path = String((await post(PNG)).body.data)
    expect(path).toMatch(/^[0-9a-f-]{36}\.png$/)
    expect(readFileSync(`${folder}/${path}`)).toEqual(PNG.content)
    expect((await post(PNG, { name: 'fails', content: '' })).status).toBe(409)
    await expect.poll(() => readdirSync(folder)).toEqual([path])
  })

  it.each([
    ['../../x', 'x'],
    ['C:\\x', 'x'],
    ['naïve–日本.png', 'naïve–日本.png'],
    ['a\u202Egnp.exe', 'agnp.exe'],
    ['a%0D%0Ab.txt', 'ab.txt'],
  ])('named %j has the name %j', async (filename, name) => {
    const { post } = await uploading(appWith((await made()).single('avatar')))
    expect((await post({ ...PNG, filename })).body.data).toMatchObject({ files: [{ name }] })
  })
})

describe('a file of the application’s own multer', () => {
  it('has its name as multer read it, also with `defParamCharset`', async () => {
    for (const defParamCharset of ['utf8', 'latin1']) {
      const { post } = await uploading(appWith(multer({ defParamCharset }).any()))
      expect((await post({ ...PNG, filename: 'Zoë.png' })).body.data).toMatchObject({ files: [{ name: 'Zoë.png' }] })
    }
  })

  it('stays at its path on disk, whatever becomes of the request', async () => {
    const [folder, own] = await onDisk()
    const storage = localDisk(await scratchFolder(), { baseUrl: '/files' })
    const app = appWith(own.single('avatar'), async (req, res) => {
      await RequestParam.file(req, 'avatar')?.saveTo(storage)
      if (RequestParam.body(req).fails !== undefined) throw new Error('failed')
      send(res, 'ok')
    })
    const { post } = await uploading(app)
    await post(PNG)
    await post(PNG, { name: 'fails', content: '' })
    expect(readdirSync(folder)).toHaveLength(2)
  })

  it('causes a logged 500 where it is neither in memory nor at its path', async () => {
    const remote: StorageEngine = {
      _handleFile: (_req, { stream }, done) => void stream.resume().on('end', () => done(null, { size: 1 })),
      _removeFile: (_req, _file, done) => done(null),
    }
    const elsewhere: StorageEngine = {
      ...remote,
      _handleFile: (_req, { stream }, done) =>
        void stream.resume().on('end', () => done(null, { path: 'https://files.example/a', size: 1 })),
    }
    for (const storage of [remote, elsewhere]) {
      const logged: unknown[] = []
      const { post } = await uploading(appWith(multer({ storage }).single('avatar'), echo, logged))
      expect((await post(PNG)).status).toBe(500)
      expect(logged).toEqual([expect.objectContaining({ code: 'upload_storage' })])
    }
  })

  it('is read in a route of a resource, whose `input` takes the text fields', async () => {
    const app = express().use(multer().any())
    mountResource(app, {
      route: '/users',
      name: 'users',
      custom: {
        avatar: {
          methods: ['POST'],
          route: '/:id/avatar',
          input: z.object({ id: z.coerce.number(), title: z.string() }),
          handler: (req, _res, { id, title }) => ({ id, title, file: RequestParam.file(req, 'avatar') }),
        },
      },
    })
    const { post } = await uploading(app.use(notFound(), errorHandler({ log: () => undefined })), '/users/7/avatar')
    expect((await post(TITLE, PNG)).body.data).toMatchObject({ id: 7, title: 'Me', file: { type: 'image/png' } })
  })

  it('is no file of middleware that describes its files in another way', async () => {
    const other: RequestHandler = (req, _res, next) => {
      Object.assign(req, { files: { avatar: { name: 'a.png', data: Buffer.from('x'), mimetype: 'image/png' } } })
      req.body = {}
      req.resume().on('end', () => next())
    }
    const { post } = await uploading(appWith(other))
    expect((await post(PNG)).body.data).toMatchObject({ files: [] })
  })
})

describe('`files` of an action behind the application’s own multer', () => {
  function app(files: FileFields, form: RequestHandler = multer().any(), logged: unknown[] = []): Express {
    const made = express().use(form)
    mountResource(made, {
      route: '/users',
      name: 'users',
      custom: {
        avatar: {
          methods: ['POST'],
          route: '/avatar',
          files,
          input: z.object({ title: z.string().optional() }),
          handler: (req, _res, { title }) => ({ title, files: RequestParam.files(req, 'avatar') }),
        },
      },
    })
    return made.use(notFound(), errorHandler({ log: (error) => logged.push(error) }))
  }

  it.each(storages)('take its files in %s, with their types by content', async (_name, made) => {
    const { post } = await uploading(app(AVATAR, (await made()).any()), '/users/avatar')
    expect(await post(TITLE, PNG)).toMatchObject({
      status: 200,
      body: { data: { title: 'Me', files: [{ name: 'a.png', type: 'image/png', size: 1000 }] } },
    })
  })

  it('refuse what they refuse of a form that they read', async () => {
    const forms: readonly (readonly [number, readonly FormPart[]])[] = [
      [415, [TEXT]],
      [413, [{ ...PNG, content: fileOf('png', 2001) }]],
      [422, [PNG, PNG]],
      [422, [{ ...PNG, content: '' }]],
      [422, [PNG, { ...PNG, name: 'other' }]],
      [422, [TITLE]],
      [422, [PNG, { name: 'avatar', content: 'text' }]],
    ]
    const [own, behind] = [express(), app(AVATAR)]
    own.use(app(AVATAR, (_req, _res, next) => next()))
    const [first, second] = [await uploading(own, '/users/avatar'), await uploading(behind, '/users/avatar')]
    for (const [status, parts] of forms) {
      const reply = await first.post(...parts)
      expect(reply.status).toBe(status)
      expect((await second.post(...parts)).body).toMatchObject({ code: status, data: reply.body.data })
    }
  })

  it('cause a logged 500 behind other middleware that has read the form', async () => {
    const logged: unknown[] = []
    const other: RequestHandler = (req, _res, next) => {
      Object.assign(req, { files: { avatar: { name: 'a.png', data: Buffer.from('x') } } })
      req.body = {}
      req.resume().on('end', () => next())
    }
    const { post } = await uploading(app(AVATAR, other, logged), '/users/avatar')
    expect((await post(PNG)).status).toBe(500)
    expect(String(logged[0])).toContain('Mount upload() before')
  })
})

describe('the types that are known at once', () => {
  const bytes = (text: string): Buffer => Buffer.concat([Buffer.from(text, 'latin1'), Buffer.alloc(500, 7)])
  const zipped = (name: string, content = 'x'.repeat(20)): Buffer => {
    const head = Buffer.alloc(30)
    head.writeUInt32LE(0x04034B50, 0)
    head.writeUInt32LE(content.length, 18)
    head.writeUInt32LE(content.length, 22)
    head.writeUInt16LE(name.length, 26)
    return Buffer.concat([head, Buffer.from(name), Buffer.from(content)])
  }
  const office = (kind: string, folder: string): Buffer => {
    const types =
      `<Types><Override ContentType="application/vnd.openxmlformats-officedocument.${kind}.main+xml"/></Types>`
    return Buffer.concat([zipped('[Content_Types].xml', types), zipped(`${folder}/main.xml`)])
  }
  it.each([
    ...(['png', 'jpeg', 'gif', 'pdf', 'zip', 'html', 'svg'] as const).map((kind) => fileOf(kind)),
    ...[
      'RIFF\x10\0\0\0WEBPVP8 ',
      '\0\0\0\x1Cftypavif\0\0\0\0',
      '\0\0\0\x1Cftypheic\0\0\0\0',
      'BM',
      'II*\0\x08\0\0\0\0\0',
      '\0\0\x01\0',
      '%!PS-Adobe-3.0\n',
      '{\\rtf1',
      '<?xml version="1.0"?><a/>',
      '\x1F\x8B\x08\0\0\0\0\0\0\x03',
      '7z\xBC\xAF\x27\x1C',
      '\0\0\0\x14ftypisom',
      '\0\0\0\x14ftypqt  ',
      '\0\0\0\x14ftypM4A ',
      'RIFF\x10\0\0\0WAVEfmt ',
      'fLaC',
      'MZ',
      '\x7FELF',
      'wOF2\0\x01\0\0',
      'BEGIN:VCARD',
      '\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1',
    ].map(bytes),
    office('wordprocessingml.document', 'word'),
    office('spreadsheetml.sheet', 'xl'),
    office('presentationml.presentation', 'ppt'),
    zipped('a.txt'),
    Buffer.from('id;имя\r\n'),
    Buffer.alloc(0),
  ])('are those of `upload` (%#)', async (sample) => {
    expect(sniffCommon(sample)).toEqual(await sniff(sample))
  })
})
