import { Readable } from 'node:stream'
import { readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import express, { type RequestHandler } from 'express'
import { describe, expect, it, onTestFinished } from 'vitest'
import { errorHandler } from 'resourcery'
import { notFound } from 'resourcery'
import { param } from 'resourcery'
import { mountResource } from 'resourcery'
import { localDisk, type LocalDisk } from 'resourcery'
import type { ServeFilesOptions } from '../../lib/core/storage/serve-options.js'
import { z } from 'zod'
import { raw, serving, type Client } from '../support/http.js'
import { fileOf } from '../support/multipart.js'
import { scratchFolder } from '../upload/uploading.js'

const rows = [{ id: 1, path: 'a.txt' }, { id: 2, path: '../secret' }, { id: 3, path: 'gone.txt' }, { id: 4, path: '' },
  { id: 5, path: '2026/ä b#.png' }, { id: 6, path: '2026' }, { id: 7, path: '/etc/passwd' }, { id: 8, path: 'a\0.txt' }]

/** Paths through symbolic links that lead out of the folder, to a hidden file in it, to a folder and to nothing. */
const LINKED = ['secret.txt', 'out', 'out/secret.txt', '2026/up/secret.txt', 'hidden.txt', 'inside', 'dangling.txt']

async function storageWith(files: Readonly<Record<string, string | Buffer>>): Promise<[LocalDisk, string]> {
  const folder = await scratchFolder()
  const storage = localDisk(folder, { baseUrl: '/files' })
  for (const [path, content] of Object.entries(files)) await storage.write(path, Readable.from([Buffer.from(content)]))
  return [storage, folder]
}

/** Serves the files of a storage at `/files`, behind a handler of a resource and behind a plain one. */
async function served(storage: LocalDisk, options?: ServeFilesOptions, before?: RequestHandler): Promise<Client> {
  const app = express()
  if (before !== undefined) app.use(before)
  app.use('/files', storage.serve(options))
  mountResource(app, {
    route: '/documents',
    name: 'documents',
    custom: {
      file: {
        methods: ['GET', 'HEAD'],
        route: '/:id/file',
        input: z.object({ id: param.int() }),
        handler: (req, res, { id }) => storage.send(req, res, rows.find((row) => row.id === id)?.path ?? '', options),
      },
    },
  })
  app.get('/plain/:id', async (req, res) => {
    await storage.send(req, res, rows.find(({ id }) => id === Number(req.params.id))?.path ?? 'none', options)
  })
  return serving(app.use(notFound(), errorHandler({ log: () => undefined })))
}

let beside = ''

/** The names and contents of the folder to which the links of `linkedStorage` lead. */
async function outside(): Promise<string[]> {
  const names = await readdir(beside, { recursive: true })
  return [...names, ...await Promise.all(names.map(async (name) => readFile(join(beside, name), 'utf8')))]
}

/** Makes a storage whose folder is a link, with links of every kind in it. */
async function linkedStorage(): Promise<LocalDisk> {
  const [storage, real] = await storageWith({ '2026/b.txt': 'own' })
  beside = await scratchFolder()
  await storage.write('kept.txt', Readable.from(['own']))
  await writeFile(join(beside, 'secret.txt'), 'secret')
  await writeFile(join(real, '.hidden'), 'secret')
  const links = {
    'secret.txt': join(beside, 'secret.txt'),
    out: beside,
    '2026/up': `../../${basename(beside)}`,
    'hidden.txt': '.hidden',
    inside: '2026',
    'dangling.txt': 'none',
    'same.txt': 'kept.txt',
  }
  for (const [name, target] of Object.entries(links)) await symlink(target, join(real, name))
  const folder = join(await scratchFolder(), 'uploads')
  await symlink(real, folder)
  return localDisk(folder, { baseUrl: '/files' })
}

const PATHS = ['/files/a.txt', '/documents/1/file', '/plain/1']

describe('the files of a storage', () => {
  it.each(PATHS)('are private, and asked for again: %s', async (path) => {
    const client = await served((await storageWith({ 'a.txt': 'abcdef' }))[0])
    const first = await client.get(path)
    expect(first).toMatchObject({ status: 200, text: 'abcdef' })
    expect(first.headers.get('cache-control')).toBe('private, no-cache')
    const tag = first.headers.get('etag') ?? ''
    expect(tag).toMatch(/^"[\w-]+"$/)
    for (const known of [tag, `W/${tag}`, `"other", ${tag}`, '*']) {
      const again = await client.get(path, { headers: { 'if-none-match': known } })
      expect([known, again.status, again.text]).toEqual([known, 304, ''])
      expect([again.headers.get('etag'), again.headers.get('cache-control')]).toEqual([tag, 'private, no-cache'])
    }
    expect((await client.get(path, { headers: { 'if-none-match': '"other"' } })).status).toBe(200)
  })

  it.each(PATHS)('are sent in parts, and without a body for HEAD: %s', async (path) => {
    const client = await served((await storageWith({ 'a.txt': 'abcdef' }))[0])
    const tag = (await client.get(path)).headers.get('etag') ?? ''
    const part = await client.get(path, { headers: { range: 'bytes=1-2', 'if-range': tag } })
    expect(part).toMatchObject({ status: 206, text: 'bc' })
    expect([part.headers.get('content-range'), part.headers.get('etag')]).toEqual(['bytes 1-2/6', tag])
    expect(await client.get(path, { headers: { range: 'bytes=1-2', 'if-range': '"old"' } }))
      .toMatchObject({ status: 200, text: 'abcdef' })
    const beyond = await client.get(path, { headers: { range: 'bytes=9-' } })
    expect(beyond).toMatchObject({ status: 416, body: { code: 416, data: null } })
    expect(beyond.headers.get('cache-control')).toBeNull()
    const head = await client.send('HEAD', path)
    expect([head.status, head.text, head.headers.get('content-length'), head.headers.get('etag')])
      .toEqual([200, '', '6', tag])
    expect((await client.send('HEAD', path, { headers: { 'if-none-match': tag } })).status).toBe(304)
  })

  it.each(PATHS)('get another tag with each write, also of the same length: %s', async (path) => {
    const [storage] = await storageWith({ 'a.txt': 'first' })
    const client = await served(storage)
    const before = (await client.get(path)).headers.get('etag') ?? ''
    await storage.write('a.txt', Readable.from([Buffer.from('other')]))
    const after = await client.get(path, { headers: { 'if-none-match': before } })
    expect(after).toMatchObject({ status: 200, text: 'other' })
  })

  it.each(PATHS)('may be public, for a year: %s', async (path) => {
    const [storage] = await storageWith({ 'a.txt': 'abc' })
    const controls = [
      [{ cache: 'public' }, 'public, max-age=31536000, immutable'],
      [{ cache: 'public', maxAge: 60 }, 'public, max-age=60, immutable'],
      [{ cache: 'private' }, 'private, no-cache'],
      [{ maxAge: 60 }, 'private, max-age=60'],
    ] as const
    for (const [options, control] of controls) {
      expect((await (await served(storage, options)).get(path)).headers.get('cache-control')).toBe(control)
    }
  })

  it('keep a Cache-Control that the application has set', async () => {
    const [storage] = await storageWith({ 'a.txt': 'abc' })
    const client = await served(storage, {}, (_req, res, next) => {
      res.set('Cache-Control', 'no-store')
      next()
    })
    for (const path of PATHS) expect((await client.get(path)).headers.get('cache-control')).toBe('no-store')
  })

  it.each(['/documents/:id/file', '/plain/:id'])('are 404 where there is no file, behind %s', async (path) => {
    const [storage] = await storageWith({ 'a.txt': 'abc', '2026/b.txt': 'x' })
    const client = await served(storage)
    for (const { id } of rows.filter((row) => ![1, 5].includes(row.id))) {
      const reply = await client.get(path.replace(':id', String(id)))
      expect([id, reply.status, reply.body]).toEqual([id, 404, expect.objectContaining({ data: null })])
      expect([reply.headers.get('etag'), reply.headers.get('cache-control')]).not.toContain('private, no-cache')
    }
    expect((await client.get(path.replace(':id', '99'))).status).toBe(404)
  })

  it.each(LINKED)('are 404 where a link leads to anything but a file of the folder: %s', async (path) => {
    const storage = await linkedStorage()
    const app = express().use('/files', storage.serve())
    app.get('/sent', async (req, res) => storage.send(req, res, path))
    const client = await serving(app.use(notFound(), errorHandler({ log: () => undefined })))
    for (const asked of [`/files/${path}`, '/sent']) {
      for (const method of ['GET', 'HEAD']) {
        const reply = await client.send(method, asked)
        expect([asked, method, reply.status, reply.headers.get('etag')]).toEqual([asked, method, 404, null])
        expect(reply.text).not.toContain('secret')
      }
    }
  })

  it('may be links to files of the folder, and the folder may be a link', async () => {
    const storage = await linkedStorage()
    const app = express().use('/files', storage.serve())
    app.get('/sent', async (req, res) => storage.send(req, res, 'same.txt'))
    const client = await serving(app)
    for (const asked of ['/files/same.txt', '/files/inside/b.txt', '/sent']) {
      expect(await client.get(asked)).toMatchObject({ status: 200, text: 'own' })
    }
  })

  it.each(['out/new.txt', 'out/deep/new.txt', '2026/up/secret.txt'])(
    'are neither written nor deleted where a link leads out: %s',
    async (path) => {
      const storage = await linkedStorage()
      const before = await outside()
      await expect(storage.write(path, Readable.from(['x']))).rejects.toMatchObject({ code: 'storage_path' })
      await expect(storage.deleteFile(path)).rejects.toMatchObject({ code: 'storage_path' })
      expect(await outside()).toEqual(before)
    },
  )

  it('replace and delete a link instead of the file to which it leads', async () => {
    const storage = await linkedStorage()
    await storage.write('secret.txt', Readable.from(['own']))
    await storage.deleteFile('out')
    await storage.write('inside/c.txt', Readable.from(['own']))
    expect(await outside()).toEqual(['secret.txt', 'secret'])
    const client = await serving(express().use('/files', storage.serve()))
    expect((await client.get('/files/secret.txt')).text).toBe('own')
    expect((await client.get('/files/2026/c.txt')).text).toBe('own')
  })

  it('are sent by a handler with the type of their content, and cannot run as a page', async () => {
    const [storage] = await storageWith({ '2026/ä b#.png': fileOf('png'), 'a.txt': '<script>alert(1)</script>' })
    const client = await served(storage)
    const names = ['content-type', 'content-disposition', 'x-content-type-options', 'content-security-policy']
    const shown = async (path: string) => (await client.get(path)).headers
    const image = await shown('/plain/5')
    expect(names.map((name) => image.get(name)))
      .toEqual(['image/png', 'inline', 'nosniff', "default-src 'none'; sandbox"])
    const text = await shown('/plain/1')
    expect(names.map((name) => text.get(name)))
      .toEqual(['text/plain; charset=utf-8', 'attachment', 'nosniff', "default-src 'none'; sandbox"])
  })

  it('have options that are checked', async () => {
    const [storage] = await storageWith({})
    for (const [options, code] of [
      [{ cache: 'shared' }, 'storage_invalid'],
      [{ maxAge: '60' }, 'option_seconds'],
      [{ maxAge: -1 }, 'option_seconds'],
      [{ inline: 'image/png' }, 'storage_invalid'],
      [{ caches: 'public' }, 'option_unknown'],
    ] as const) {
      expect(() => storage.serve(options as never)).toThrow(expect.objectContaining({ code }) as Error)
      await expect(storage.send({} as never, {} as never, 'a', options as never)).rejects.toMatchObject({ code })
    }
  })
})

describe('a mount path that differs from the base URL', () => {
  /** Mounts a disk, sends two requests, and returns the warnings. */
  async function warningsOf(baseUrl: string, mount: string, router = ''): Promise<string[]> {
    const found: (Error & { code?: string })[] = []
    const listen = (warning: Error): void => void found.push(warning)
    process.on('warning', listen)
    onTestFinished(() => void process.off('warning', listen))
    const disk = localDisk(await scratchFolder(), { baseUrl })
    const [app, inner] = [express(), express.Router()]
    inner.use(mount, disk.serve())
    if (router === '') app.use(mount, disk.serve())
    else app.use(router, inner)
    const { get } = await serving(app)
    for (const name of ['a', 'b']) await get(`${router}${mount}/${name}.txt`)
    await new Promise(setImmediate)
    return found.filter(({ code }) => code === 'RESOURCERY_BASE_URL').map(({ message }) => message)
  }

  it('is logged with the first request, and names the right value', async () => {
    expect(await warningsOf('/uploads', '/files')).toEqual([expect.stringContaining('{ baseUrl: "/files" }')])
    expect(await warningsOf('/files', '/files', '/api')).toEqual([expect.stringContaining('{ baseUrl: "/api/files" }')])
    expect(await warningsOf('/files', '/')).toEqual([expect.stringContaining('{ baseUrl: "/" }')])
  })

  it('is logged with the first request to the host of the URLs, after those to another', async () => {
    const found: (Error & { code?: string })[] = []
    const listen = (warning: Error): void => void found.push(warning)
    process.on('warning', listen)
    onTestFinished(() => void process.off('warning', listen))
    const disk = localDisk(await scratchFolder(), { baseUrl: 'http://api.test/uploads' })
    const { url } = await serving(express().use('/files', disk.serve()))
    for (const host of ['10.0.0.5', 'api.test', 'api.test']) {
      await raw(url, `GET /files/a.txt HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)
    }
    await new Promise(setImmediate)
    expect(found.filter(({ code }) => code === 'RESOURCERY_BASE_URL').map(({ message }) => message))
      .toEqual([expect.stringContaining('{ baseUrl: "http://api.test/files" }')])
  })

  it('is no mistake where both are the same, or where the URLs are those of another host', async () => {
    expect(await warningsOf('/files', '/files')).toEqual([])
    expect(await warningsOf('/files/', '/files/')).toEqual([])
    expect(await warningsOf('/api/files', '/files', '/api')).toEqual([])
    expect(await warningsOf('https://files.example.com/u', '/files')).toEqual([])
    expect(await warningsOf('/', '/')).toEqual([])
  })
})
