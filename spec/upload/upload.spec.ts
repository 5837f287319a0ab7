import express from 'express'
import { AsyncLocalStorage } from 'node:async_hooks'
import { describe, expect, it } from 'vitest'
import { errorHandler } from 'resourcery'
import { RequestParam } from 'resourcery'
import { send } from 'resourcery'
import { upload } from 'resourcery'
import { serving } from '../support/http.js'
import { BOUNDARY, fileOf, FORM_TYPE, formOf, type FormPart } from '../support/multipart.js'
import { AVATAR, uploadApp, uploading } from './uploading.js'

const png = (name = 'avatar', content = fileOf('png')): FormPart => ({
  name,
  content,
  filename: 'me.png',
  type: 'image/png',
})

describe('an uploaded form', () => {
  it('passes its files and fields to the handler', async () => {
    const { post } = await uploading(uploadApp())
    const reply = await post({ name: 'tags[]', content: 'a' }, { name: 'tags[]', content: 'b' }, {
      name: 'title',
      content: 'Ä',
    }, png())
    expect(reply).toMatchObject({
      status: 200,
      body: {
        data: {
          files: [{ name: 'me.png', type: 'image/png', clientType: 'image/png', size: 1000 }],
          body: { tags: ['a', 'b'], title: 'Ä' },
        },
      },
    })
  })

  it('shows name, types and size of a file in JSON', async () => {
    const { post } = await uploading(uploadApp())
    const { body } = await post(png())
    expect(Object.keys((body.data as { files: object[] }).files[0] ?? {})).toEqual([
      'name',
      'type',
      'clientType',
      'size',
    ])
  })

  it('can contain several files in a field, in order', async () => {
    const app = uploadApp({ avatar: { maxCount: 3 } }, undefined, { memoryBytes: 0 })
    const { post } = await uploading(app)
    const reply = await post(
      png('avatar', fileOf('png', 400_000)),
      png('avatar', fileOf('jpeg', 20)),
      png('avatar[]', fileOf('gif', 30)),
    )
    expect((reply.body.data as { files: { size: number }[] }).files.map(({ size }) => size)).toEqual([400_000, 20, 39])
  })

  it('needs neither a file nor a body if none is required', async () => {
    const { post, url } = await uploading(uploadApp({ avatar: {} }))
    expect(await post({ name: 'title', content: 'x' })).toMatchObject({
      status: 200,
      body: { data: { files: [], body: { title: 'x' } } },
    })
    expect((await fetch(url, { method: 'POST' })).status).toBe(200)
  })

  it('treats a file input without a choice as missing', async () => {
    const { post } = await uploading(uploadApp())
    const reply = await post({ name: 'avatar', filename: '', type: 'application/octet-stream', content: '' })
    expect(reply).toMatchObject({
      status: 422,
      body: { data: { avatar: ['A file is required'] }, meta: { reason: 'validation' } },
    })
  })

  it('has null for a missing or unread file', async () => {
    const app = express()
    app.post('/', (req, res) => send(res, 'ok', [RequestParam.file(req, 'avatar'), RequestParam.files(req, 'avatar')]))
    const { post } = await uploading(app)
    expect((await post(png())).body.data).toEqual([null, []])
  })

  it('keeps the async context of the request', async () => {
    const context = new AsyncLocalStorage<string>()
    const app = express()
    app.use((_req, _res, next) => context.run('mine', next))
    app.post('/', upload(AVATAR), (_req, res) => send(res, 'ok', context.getStore()))
    const { post } = await uploading(app)
    expect((await post(png())).body.data).toBe('mine')
  })
})

describe('a refused form', () => {
  it.each<[string, number, string, readonly FormPart[]]>([
    ['a required file that is missing', 422, 'avatar', [{ name: 'title', content: 'x' }]],
    ['a field that is not declared', 422, 'picture', [png('picture')]],
    ['a string in a file field', 422, 'avatar', [{ name: 'avatar', content: 'text' }]],
    ['a string in a list named like a file field', 422, 'avatar', [{ name: 'avatar[]', content: 'text' }]],
    ['one file too many', 422, 'avatar', [png(), png()]],
    ['an empty file', 422, 'avatar', [png('avatar', Buffer.alloc(0))]],
    ['a field called __proto__', 422, '__proto__', [png('__proto__')]],
  ])('names the field of %s', async (_what, status, field, parts) => {
    const { post } = await uploading(uploadApp())
    const { status: code, body } = await post(...parts)
    expect([code, body.meta]).toEqual([status, { reason: 'validation' }])
    expect(Object.keys(body.data)).toEqual([field])
  })

  it.each<[string, number, string, readonly FormPart[]]>([
    ['a file over its limit', 413, 'too_large', [png('avatar', fileOf('png', 2001))]],
    ['fields over their limit', 413, 'too_large', [{ name: 'a', content: 'x'.repeat(60_000) }, {
      name: 'b',
      content: 'x'.repeat(60_000),
    }]],
    ['one field over the limit', 413, 'too_large', [{ name: 'a', content: 'x'.repeat(100_100) }]],
    ['too many fields', 413, 'too_large', Array.from({ length: 101 }, (_, at) => ({ name: `f${at}`, content: '' }))],
    ['a name that is too long', 413, 'too_large', [{ name: 'n'.repeat(101), content: '' }]],
    ['more than the whole form may have', 413, 'too_large', [png('avatar', fileOf('png', 300_000))]],
    ['an index', 400, 'unreadable', [{ name: 'a[4294967294]', content: '1' }, { name: 'a[x]', content: '1' }]],
    ['an index that is far out', 400, 'unreadable', [{ name: 'a[9999999]', content: '1' }]],
    ['a key', 400, 'unreadable', [{ name: 'a[x]', content: '1' }]],
    ['a nested name', 400, 'unreadable', [{ name: 'a[][b]', content: '1' }]],
    ['a nested name of a file', 400, 'unreadable', [png('avatar[x]')]],
    ['a name that is text and list', 400, 'unreadable', [{ name: 'a', content: '1' }, { name: 'a[b', content: '1' }]],
    ['a part without a name', 400, 'unreadable', [{ name: '', content: '1' }]],
    ['HTML as an image', 415, 'media_type', [png('avatar', fileOf('html'))]],
    ['SVG as an image', 415, 'media_type', [png('avatar', fileOf('svg'))]],
    ['a GIF with a script in it', 415, 'media_type', [png('avatar', fileOf('gif'))]],
    ['a PDF as an image', 415, 'media_type', [png('avatar', fileOf('pdf'))]],
    ['a zip as an image', 415, 'media_type', [png('avatar', fileOf('zip'))]],
    ['an oversize file of a wrong type, for its size', 413, 'too_large', [png('avatar', Buffer.alloc(2001))]],
  ])('with %s gets %i', async (_what, status, reason, parts) => {
    const { post } = await uploading(uploadApp())
    expect(await post(...parts)).toMatchObject({ status, body: { code: status, data: null, meta: { reason } } })
  })

  it('gets the type of each file from its content, whatever the client declares', async () => {
    const { post } = await uploading(uploadApp())
    const reply = await post({ name: 'avatar', filename: 'x.txt', type: 'text/plain', content: fileOf('jpeg') })
    expect(reply).toMatchObject({
      status: 200,
      body: { data: { files: [{ type: 'image/jpeg', clientType: 'text/plain' }] } },
    })
  })

  it.each([
    ['JSON', 415, 'application/json', '{}'],
    ['another kind of form', 415, 'multipart/mixed; boundary=b', '--b--'],
    ['no Content-Type', 415, '', 'x'],
    ['no boundary', 400, 'multipart/form-data', '--b--'],
    [
      'the end missing',
      400,
      'multipart/form-data; boundary=b',
      '--b\r\nContent-Disposition: form-data; name="a"\r\n\r\nx',
    ],
    ['a broken part header', 400, 'multipart/form-data; boundary=b', '--b\r\n\0\r\n\r\nx\r\n--b--'],
    ['a file cut short', 400, FORM_TYPE, formOf(png()).subarray(0, 500).toString('latin1')],
  ])('in a body with %s gets %i', async (_what, status, type, body) => {
    const client = await serving(uploadApp())
    expect((await client.send('POST', '/', { headers: { 'content-type': type }, body })).status).toBe(status)
  })

  it.each([
    ['has at most the bytes of `textBytes` in names and texts', 'x'.repeat(92), 200],
    ['gets 413 for a byte more', 'x'.repeat(93), 413],
    ['gets 413 for a byte more in a character of two', `${'x'.repeat(91)}é`, 413],
  ])('%s', async (_what, content, status) => {
    const { post } = await uploading(uploadApp({}, undefined, { textBytes: 100 }))
    expect(await post({ name: 'note', content: 'abc' }, { name: 'b', content })).toMatchObject({ status })
  })

  it('gets 415 if it is compressed', async () => {
    const client = await serving(uploadApp())
    const headers = { 'content-type': FORM_TYPE, 'content-encoding': 'gzip' }
    expect((await client.send('POST', '/', { headers, body: 'x' })).status).toBe(415)
  })

  it('names every missing file', async () => {
    const { post } = await uploading(uploadApp({ one: { required: true }, two: { required: true } }))
    expect((await post({ name: 'x', content: '' })).body.data).toEqual({
      one: ['A file is required'],
      two: ['A file is required'],
    })
  })

  it('gets 422 for NUL in a field', async () => {
    const { post } = await uploading(uploadApp({ avatar: {} }))
    expect((await post({ name: 'title', content: 'a\0' })).status).toBe(422)
  })

  it('gets 415 for JSON that a parser in front has read', async () => {
    const app = express().use(express.json())
    app.post('/', upload(AVATAR), errorHandler({ log: (error) => expect.unreachable(String(error)) }))
    const reply = await (await serving(app)).post('/', { title: 'Me' })
    expect(reply).toMatchObject({ status: 415, body: { message: 'The body must be multipart/form-data' } })
  })

  it('causes a logged 500 if the middleware is mounted twice', async () => {
    const app = express()
    const logged: unknown[] = []
    app.post('/', upload(AVATAR), upload(AVATAR), errorHandler({ log: (error) => logged.push(error) }))
    const { post } = await uploading(app)
    expect((await post(png())).status).toBe(500)
    expect(String(logged[0])).toContain('Mount upload() before')
  })
})

describe('a form as a whole', () => {
  it('has a limit that includes the bytes around its parts', async () => {
    const client = await serving(uploadApp({}))
    const form = Buffer.concat([formOf({ name: 'a', content: 'x' }), Buffer.alloc(400_000, 120)]).toString()
    const stream = new Blob([form]).stream()
    const { url } = await uploading(uploadApp({}))
    const reply = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': FORM_TYPE },
      body: stream,
      duplex: 'half',
    })
    expect(reply.status).toBe(413)
    expect((await client.send('POST', '/', { headers: { 'content-type': FORM_TYPE }, body: `--${BOUNDARY}--` })).status)
      .toBe(200)
  })
})

describe('the options of upload', () => {
  it.each([
    [{ 'a[]': {} }, {}],
    [{ a: { types: ['image/*'] } }, {}],
    [{ a: { types: [] } }, {}],
    [{ a: { types: ['png'] } }, {}],
    [{ a: { types: 'image/png' as unknown as string[] } }, {}],
    [{ a: { types: [5 as unknown as string] } }, {}],
    [{ a: { required: 'false' as unknown as boolean } }, {}],
    [{ a: { maxBytes: 0 } }, {}],
    [{ a: { maxCount: 1.5 } }, {}],
    [{ a: { maxbytes: 5 } as object }, {}],
    [{ ['x'.repeat(101)]: {} }, {}],
    [{}, { textBytes: -1 }],
    [{}, { memoryBytes: NaN }],
    [{}, { storageTimeout: 0 }],
    [undefined as unknown as Parameters<typeof upload>[0], {}],
    [null as unknown as Parameters<typeof upload>[0], {}],
    [['avatar'] as unknown as Parameters<typeof upload>[0], {}],
    ['avatar' as unknown as Parameters<typeof upload>[0], {}],
  ])('are refused if invalid: %j %j', (fields, options) => {
    expect(() => upload(fields, options)).toThrow(expect.objectContaining({ code: 'upload_invalid' }))
  })
})
