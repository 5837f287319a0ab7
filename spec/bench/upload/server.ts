// The measured server, in a separate process, so that its memory, descriptors and event loop are not shared.
import { readdirSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { argv, memoryUsage } from 'node:process'
import { text } from 'node:stream/consumers'
import express from 'express'
import multer from 'multer'
import { BusinessError, errorHandler, findOrFail, localDisk, RequestParam, send, upload,
  type Storage } from 'resourcery'

const [, , folder = '', plain = ''] = argv
const storage = localDisk(folder, { baseUrl: '/files' })
const failing: Storage = {
  write: async (path, stream) => {
    await text(stream)
    throw new Error('full')
  },
  publicUrl: String,
  deleteFile: () => Promise.resolve(),
}
const hanging: Storage = { ...failing, write: () => new Promise(() => undefined) }

const FIELDS = { file: { maxBytes: 30_000_000, required: true } }
const app = express()
let peak = 0
setInterval(() => (peak = Math.max(peak, memoryUsage.rss())), 20).unref()

app.get('/', (_req, res) => void res.end('ok'))
app.get('/figures', (_req, res) => {
  res.json({ rss: memoryUsage.rss(), peak, descriptors: readdirSync('/proc/self/fd').length })
})
app.post('/save', upload(FIELDS), async (req, res) => {
  send(res, 'ok', await findOrFail(RequestParam.file(req, 'file')).saveTo(storage))
})
app.post('/refuse', upload(FIELDS), async (req) => {
  await findOrFail(RequestParam.file(req, 'file')).saveTo(storage)
  throw new BusinessError('No')
})
app.post('/failing', upload(FIELDS), (req) => findOrFail(RequestParam.file(req, 'file')).saveTo(failing))
app.post(
  '/hanging',
  upload(FIELDS, { storageTimeout: 1 }),
  (req) => findOrFail(RequestParam.file(req, 'file')).saveTo(hanging),
)
// For comparison, this route only writes to a temporary file.
app.post('/read', upload(FIELDS), (_req, res) => send(res, 'ok'))
app.post('/multer', multer({ dest: plain }).single('file'), (_req, res) => send(res, 'ok'))
app.use(errorHandler({ log: () => undefined }))

const server = app.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))
