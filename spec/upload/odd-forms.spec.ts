import express from 'express'
import { describe, expect, it, vi, onTestFinished } from 'vitest'
import { errorHandler, localDisk, RequestParam, send, upload, type FileFields } from 'resourcery'
import multer from 'multer'
import { readdir } from 'node:fs/promises'
import { createConnection } from 'node:net'
import { once } from 'node:events'
import { serving } from '../support/http.js'
import { formOf, formRequest, type FormPart } from '../support/multipart.js'
import { scratchFolder, uploadApp } from './uploading.js'

const FIELDS: FileFields = { doc: { maxBytes: 1000 } }

/** Sends a form whose boundary and whose `Content-Type` are these. */
async function sendForm(boundary: string, type: string, ...parts: readonly FormPart[]) {
  const app = uploadApp(FIELDS, (req, res) => send(res, 'ok', { files: RequestParam.files(req, 'doc') }))
  const { url } = await serving(app)
  const form = formOf(...parts).toString('latin1').replaceAll('a-boundary-of-the-specs', boundary)
  const reply = await fetch(url, { method: 'POST', headers: { 'content-type': type },
    body: Buffer.from(form, 'latin1') })
  const { data, meta } = await reply.json() as { data: { files?: { name: string }[] } | null; meta: object }
  return [reply.status, data?.files?.length ?? meta]
}

const FILE: FormPart = { name: 'doc', filename: 'a.txt', type: 'text/plain', content: 'hello' }

describe('the boundary of a form', () => {
  const odd = '----=_Part_0:1/2'

  it.each([
    `multipart/form-data; boundary="${odd}"`,
    `multipart/form-data; boundary=${odd}`,
    `multipart/form-data; boundary="${odd}";`,
    `multipart/form-data;boundary=${odd} ; charset=utf-8`,
    `Multipart/Form-Data; charset=utf-8; Boundary="${odd}"`,
  ])('may be written as %s', async (type) => {
    expect(await sendForm(odd, type, FILE)).toEqual([200, 1])
  })

  it.each(['multipart/form-data', 'multipart/form-data; boundary=', 'multipart/form-data; boundary=""',
    'multipart/form-data; boundary="a', 'multipart/form-data; boundary=a"b'])('is missing in %s', async (type) => {
      expect(await sendForm('a', type, FILE)).toEqual([400, { reason: 'unreadable' }])
    })
})

describe('a file without a usable name', () => {
  const type = 'multipart/form-data; boundary=b'

  it.each(['..', '.', '/', 'dir/', '../../x.txt'])('complies with the rules of its field: %s', async (filename) => {
    expect(await sendForm('b', type, { ...FILE, filename })).toEqual([200, 1])
    expect(await sendForm('b', type, { ...FILE, name: 'other', filename })).toEqual([422, { reason: 'validation' }])
    expect(await sendForm('b', type, { ...FILE, filename, content: 'x'.repeat(1001) }))
      .toEqual([413, { reason: 'too_large' }])
  })

  it('gets a name without its path', async () => {
    const app = uploadApp(FIELDS, (req, res) => send(res, 'ok', RequestParam.file(req, 'doc')?.name))
    const { url } = await serving(app)
    const names = ['..', 'dir/', 'C:\\dir\\a.txt', '../../etc/passwd'].map(async (filename) => {
      const body = formOf({ ...FILE, filename })
      const headers = { 'content-type': 'multipart/form-data; boundary=a-boundary-of-the-specs' }
      return (await (await fetch(url, { method: 'POST', headers, body })).json() as { data: string }).data
    })
    expect(await Promise.all(names)).toEqual(['file', 'file', 'a.txt', 'passwd'])
  })

  it.each(['doc', 'other'])('is refused, unless it is the empty field of a browser: %s', async (name) => {
    const part = { name, filename: '', type: 'application/octet-stream' }
    expect(await sendForm('b', type, { ...part, content: '' })).toEqual([200, 0])
    expect(await sendForm('b', type, { ...part, content: 'lost' })).toEqual([400, { reason: 'unreadable' }])
    const text = { name, type: 'application/octet-stream', content: 'lost' }
    expect(await sendForm('b', type, text)).toEqual([400, { reason: 'unreadable' }])
  })
})

it('is not stored if the client disconnects before the handler asks for the file', async () => {
  const folder = await scratchFolder()
  const disk = localDisk(folder, { baseUrl: '/' })
  const app = express()
  const ended = new Promise<unknown>((resolve) => {
    app.post('/', multer().single('doc'), async (req, res) => {
      await once(res, 'close')
      const saving = (async () => RequestParam.file(req, 'doc')?.saveTo(disk))()
      resolve(await saving.then(() => 'saved', (error: unknown) => error))
    })
  })
  const { url } = await serving(app)
  const socket = createConnection(Number(new URL(url).port), '127.0.0.1')
  socket.write(formRequest('/', formOf(FILE)))
  setTimeout(() => socket.destroy(), 100)
  expect(await ended).toBeInstanceOf(Error)
  expect(await readdir(folder)).toEqual([])
})

it('is a logged 500 where it is saved to a path that no storage has, without a warning', async () => {
  const warn = vi.spyOn(process, 'emitWarning')
  onTestFinished(() => warn.mockRestore())
  const disk = localDisk(await scratchFolder(), { baseUrl: '/' })
  const logged: unknown[] = []
  const app = express().post('/', upload(FIELDS), async (req, res) => {
    send(res, 'ok', await RequestParam.file(req, 'doc')?.saveTo(disk, '../x'))
  })
  app.use(errorHandler({ log: (error) => void logged.push(error) }))
  const { url } = await serving(app)
  const headers = { 'content-type': 'multipart/form-data; boundary=a-boundary-of-the-specs' }
  expect((await fetch(url, { method: 'POST', headers, body: formOf(FILE) })).status).toBe(500)
  expect(logged).toMatchObject([{ code: 'storage_path' }])
  expect(warn).not.toHaveBeenCalled()
})
