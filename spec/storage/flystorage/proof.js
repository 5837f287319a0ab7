// Uploads into flystorage's own adapters, as they are: the local one, and that for S3 against a server on this machine.
// Not part of the main install: `npm ci && npm run proof` in this folder, after `npm ci` at the top.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { after, before, describe, it } from 'node:test'
import { ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3'
import S3rver from '@20minutes/s3rver'
import { AwsS3StorageAdapter } from '@flystorage/aws-s3'
import { FileStorage } from '@flystorage/file-storage'
import { LocalStorageAdapter } from '@flystorage/local-fs'
import express from 'express'
import { errorHandler, RequestParam, send, upload } from '../../../lib/entries/index.ts'

const BUCKET = 'avatars'
const PNG = Buffer.from('89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de', 'hex')

const scratch = await mkdtemp(join(tmpdir(), 'flystorage-proof-'))
let s3rver
let client
let endpoint
const storages = {}

before(async () => {
  s3rver = new S3rver({
    port: 0,
    address: '127.0.0.1',
    silent: true,
    vhostBuckets: false,
    allowMismatchedSignatures: true,
    directory: join(scratch, 's3'),
    configureBuckets: [{ name: BUCKET }],
  })
  const { port } = await s3rver.run()
  endpoint = `http://127.0.0.1:${port}`
  client = new S3Client({
    endpoint,
    region: 'us-east-1',
    forcePathStyle: true,
    credentials: { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' },
    requestChecksumCalculation: 'WHEN_REQUIRED',
  })
  storages.local = {
    storage: new FileStorage(
      new LocalStorageAdapter(join(scratch, 'local'), { publicUrlOptions: { baseUrl: 'http://files.example.test' } }),
    ),
    names: () => readdir(join(scratch, 'local')).catch(() => []),
  }
  storages.s3 = {
    storage: new FileStorage(
      new AwsS3StorageAdapter(client, { bucket: BUCKET, publicUrlOptions: { forcePathStyle: true } }),
    ),
    names: async () =>
      ((await client.send(new ListObjectsV2Command({ Bucket: BUCKET }))).Contents ?? []).map(({ Key }) => Key),
  }
})

after(async () => {
  client.destroy()
  await s3rver.close()
  await rm(scratch, { recursive: true, force: true })
})

for (const kind of ['local', 's3']) {
  describe(`flystorage's ${kind} adapter`, () => {
    for (const size of [1000, 3_000_000, 12_000_000]) {
      it(`takes ${size} bytes, gives back the same, and deletes`, async () => {
        const { storage, names } = storages[kind]
        const content = Buffer.concat([PNG, randomBytes(size)])
        const { status, body } = await post(handlerFor(storage), content)
        assert.equal(status, 200)
        assert.match(body.data.url, new RegExp(`/${body.data.path}$`))
        assert.deepEqual(await names(), [body.data.path])
        assert.equal(hash(Buffer.from(await storage.readToUint8Array(body.data.path))), hash(content))
        assert.equal(await storage.mimeType(body.data.path), 'image/png')
        await storage.deleteFile(body.data.path)
        assert.deepEqual(await names(), [])
      })
    }

    it('keeps nothing of a request that fails after storing', async () => {
      const { storage, names } = storages[kind]
      const { status } = await post(handlerFor(storage, () => {
        throw new Error('bug')
      }), PNG)
      assert.equal(status, 500)
      await until(async () => (await names()).length === 0)
    })

    it('keeps nothing when the source fails half-way, and the process goes on', async () => {
      const { storage, names } = storages[kind]
      const broken = (req, res, next) => {
        const file = RequestParam.file(req, 'avatar')
        file.stream = () =>
          Readable.from((function*() {
            yield randomBytes(100_000)
            throw new Error('the source has failed')
          })())
        return handlerFor(storage)(req, res, next)
      }
      const { status, body } = await post(broken, PNG)
      assert.deepEqual([status, body.meta.reason], [503, 'unavailable'])
      await until(async () => (await names()).length === 0)
    })

    it('keeps nothing when the caller goes while it is written', async () => {
      const { storage, names } = storages[kind]
      const begun = Promise.withResolvers?.() ?? resolvers()
      const slow = (req, res, next) => {
        const file = RequestParam.file(req, 'avatar')
        file.stream = () =>
          Readable.from((async function*() {
            yield PNG
            begun.resolve()
            await once(res, 'close')
            yield randomBytes(1000)
          })())
        return handlerFor(storage)(req, res, next)
      }
      const { url, close } = await serving(slow)
      const { head, form } = requestOf(PNG)
      const socket = connect(Number(new URL(url).port))
      socket.write(head + form.toString('latin1'), 'latin1')
      await begun.promise
      socket.destroy()
      await until(async () => (await names()).length === 0)
      await close()
    })
  })
}

describe('samples/upload.ts', () => {
  it('keeps its pictures in S3', async () => {
    const top = new URL('../../../', import.meta.url)
    const env = {
      ...process.env,
      PORT: '0',
      STORAGE: new URL('s3-storage.js', import.meta.url).href,
      S3_ENDPOINT: endpoint,
      S3_BUCKET: BUCKET,
    }
    const sample = spawn(process.execPath, ['--import', 'tsx', 'samples/upload.ts'], { cwd: top, env })
    let output = ''
    sample.stdout.on('data', (chunk) => (output += chunk))
    await until(() => output.includes('curl'))
    const form = new FormData()
    form.append('title', 'Me')
    form.append('picture', new Blob([PNG]), 'me.png')
    const reply = await fetch(`${/^listening on (.*)$/m.exec(output)[1]}/pictures`, { method: 'POST', body: form })
    const { data } = await reply.json()
    assert.equal(reply.status, 201)
    const path = data.url.slice(data.url.lastIndexOf('/') + 1)
    assert.deepEqual(await storages.s3.names(), [path])
    assert.equal(hash(Buffer.from(await storages.s3.storage.readToUint8Array(path))), hash(PNG))
    sample.kill()
    await once(sample, 'exit')
  })
})

function handlerFor(storage, then = () => undefined) {
  return async (req, res) => {
    const stored = await RequestParam.file(req, 'avatar').saveTo(storage)
    then()
    send(res, 'Stored', stored)
  }
}

function requestOf(content) {
  const form = Buffer.concat([
    Buffer.from('--b\r\nContent-Disposition: form-data; name="avatar"; filename="a.png"\r\n\r\n'),
    content,
    Buffer.from('\r\n--b--\r\n'),
  ])
  const head =
    `POST / HTTP/1.1\r\nHost: proof\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: ${form.length}\r\n\r\n`
  return { head, form }
}

async function post(handler, content) {
  const { url, close } = await serving(handler)
  const { form } = requestOf(content)
  const reply = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'multipart/form-data; boundary=b' },
    body: form,
  })
  const body = await reply.json()
  await close()
  return { status: reply.status, body }
}

async function serving(handler) {
  const app = express()
  app.post(
    '/',
    upload({ avatar: { types: ['image/png'], maxBytes: 20_000_000, required: true } }, { storageTimeout: 5 }),
    handler,
  )
  app.use(errorHandler({ log: (error) => process.env.DEBUG && console.error(error) }))
  const server = app.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const close = async () => {
    server.close()
    server.closeAllConnections()
    await once(server, 'close')
  }
  return { url: `http://127.0.0.1:${server.address().port}`, close }
}

async function until(holds) {
  const end = Date.now() + 10_000
  while (!(await holds())) {
    assert.ok(Date.now() < end, 'did not come true within 10 seconds')
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

function resolvers() {
  let resolve
  const promise = new Promise((done) => (resolve = done))
  return { promise, resolve }
}

function hash(bytes) {
  return createHash('sha256').update(bytes).digest('hex')
}
