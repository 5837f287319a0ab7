import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import type fs from 'node:fs/promises'
import { mkdir, open, readdir, readFile, utimes, writeFile, type FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import express, { type Express } from 'express'
import { describe, expect, it, vi } from 'vitest'
import { errorHandler } from 'resourcery'
import { notFound } from 'resourcery'
import { localDisk, type LocalDisk } from 'resourcery'
import type { ServeFilesOptions } from '../../lib/core/storage/serve-options.js'
import { unfinishedName } from '../../lib/core/storage/folder.js'
import { serving } from '../support/http.js'
import { fileOf } from '../support/multipart.js'
import { scratchFolder } from '../upload/uploading.js'

vi.mock('node:fs/promises', { spy: true })

const streamOf = (...pieces: (string | Buffer)[]): Readable => Readable.from(pieces.map((piece) => Buffer.from(piece)))

describe('localDisk', () => {
  it('creates folders, and writes, locates and deletes files', async () => {
    const folder = join(await scratchFolder(), 'new')
    const storage = localDisk(folder, { baseUrl: 'https://files.example.com/u/' })
    await storage.write('2026/a b#.txt', streamOf('a', 'bc'))
    expect(await readFile(join(folder, '2026/a b#.txt'), 'utf8')).toBe('abc')
    expect(storage.publicUrl('2026/a b#.txt')).toBe('https://files.example.com/u/2026/a%20b%23.txt')
    await storage.deleteFile('2026/a b#.txt')
    await storage.deleteFile('2026/a b#.txt')
    expect(await readdir(folder, { recursive: true })).toEqual(['2026'])
  })

  it('keeps the previous file if the source fails', async () => {
    const folder = await scratchFolder()
    const storage = localDisk(folder, { baseUrl: '/' })
    await storage.write('a.txt', streamOf('old'))
    const source = Readable.from((function*() {
      yield Buffer.from('new')
      throw new Error('cut')
    })())
    await expect(storage.write('a.txt', source)).rejects.toThrow('cut')
    expect(await readdir(folder)).toEqual(['a.txt'])
    expect(await readFile(join(folder, 'a.txt'), 'utf8')).toBe('old')
  })

  it('never contains a partial file during concurrent writes', async () => {
    const folder = await scratchFolder()
    const storage = localDisk(folder, { baseUrl: '/' })
    const contents = Array.from({ length: 20 }, (_, at) => String.fromCharCode(97 + at).repeat(300_000))
    await Promise.all(
      contents.map((content) => storage.write('a.txt', streamOf(content.slice(0, 100_000), content.slice(100_000)))),
    )
    expect(await readdir(folder)).toEqual(['a.txt'])
    expect(contents).toContain(await readFile(join(folder, 'a.txt'), 'utf8'))
  })

  it('continues after a partial write of the system', async () => {
    const folder = await scratchFolder()
    vi.mocked(open).mockImplementationOnce(async (...args) =>
      takingHalves(await (await vi.importActual<typeof fs>('node:fs/promises')).open(...args))
    )
    await localDisk(folder, { baseUrl: '/' }).write('a.txt', streamOf('abcdefgh'))
    expect(await readFile(join(folder, 'a.txt'), 'utf8')).toBe('abcdefgh')
  })

  it.each([
    '../a',
    'a/../../b',
    '/etc/passwd',
    'a//b',
    '',
    '.',
    '.htaccess',
    'a/.hidden/b',
    'a\\b',
    'C:x',
    'a\0b',
    'a\nb',
    'a/',
    'x'.repeat(256),
    'a/'.repeat(600) + 'a',
    'a. ',
    'a?b',
  ])('refuses the path %j', async (path) => {
    const storage = localDisk(await scratchFolder(), { baseUrl: '/' })
    await expect(storage.write(path, streamOf('x'))).rejects.toMatchObject({ code: 'storage_path' })
    await expect(storage.deleteFile(path)).rejects.toMatchObject({ code: 'storage_path' })
    expect(() => storage.publicUrl(path)).toThrow(expect.objectContaining({ code: 'storage_path' }))
  })

  it('passes on an error of a deletion', async () => {
    const folder = await scratchFolder()
    await mkdir(join(folder, 'a'))
    await expect(localDisk(folder, { baseUrl: '/' }).deleteFile('a')).rejects.toThrow()
  })

  it.each([['', '/'], [undefined, '/'], ['x', undefined]] as unknown as [string, string][])(
    'requires a folder and a base URL: %j %j',
    (dir, baseUrl) => {
      expect(() => localDisk(dir, { baseUrl })).toThrow(expect.objectContaining({ code: 'storage_invalid' }))
    },
  )
})

describe('localDisk after a crash', () => {
  it('deletes unfinished files of dead processes, and keeps those of living ones', async () => {
    const folder = await scratchFolder()
    const [mine, of] = [
      unfinishedName(),
      (pid: number, began: number) => unfinishedName().replace(/-\d+-\d+-/, `-${pid}-${began}-`),
    ]
    const dead = of(spawnSync(process.execPath, ['-e', '']).pid, 1)
    const sameNumber = of(process.pid, 1)
    const parent = of(process.ppid, 1)
    const fresh = unfinishedName().replace(/^\.[0-9a-f]{8}/, '.00000000')
    const old = unfinishedName().replace(/^\.[0-9a-f]{8}/, '.00000000')
    for (const name of [mine, dead, sameNumber, parent, fresh, old, 'a.part']) await writeFile(join(folder, name), '')
    await utimes(join(folder, old), 1, 1)
    localDisk(folder, { baseUrl: '/' })
    await expect.poll(async () => (await readdir(folder)).sort()).toEqual([mine, parent, fresh, 'a.part'].sort())
  })

  it('keeps unfinished files of a process of another user', async () => {
    const folder = await scratchFolder()
    const kill = vi.spyOn(process, 'kill').mockImplementation(() => {
      throw Object.assign(new Error('no'), { code: 'EPERM' })
    })
    const name = unfinishedName().replace(/-\d+-\d+-/, '-1-1-')
    await writeFile(join(folder, name), '')
    localDisk(folder, { baseUrl: '/' })
    await expect.poll(() => kill.mock.calls.length).toBe(1)
    kill.mockRestore()
    expect(existsSync(join(folder, name))).toBe(true)
  })
})

describe('the served files', () => {
  async function served(files: Record<string, Buffer | string>, options?: ServeFilesOptions) {
    const folder = await scratchFolder()
    const storage = localDisk(folder, { baseUrl: '/files' })
    for (const [path, content] of Object.entries(files)) await storage.write(path, streamOf(content))
    return serving(appOf(storage, options))
  }

  it('have the type of their content, and cannot run as a page', async () => {
    const client = await served({
      'a.html': fileOf('png'),
      'b.png': '<script>alert(1)</script>',
      'c.pdf': fileOf('pdf'),
    })
    expect(figures(await client.get('/files/a.html'))).toEqual([
      200,
      'image/png',
      'inline',
      'nosniff',
      "default-src 'none'; sandbox",
    ])
    expect(figures(await client.get('/files/b.png'))).toEqual([
      200,
      'text/plain; charset=utf-8',
      'attachment',
      'nosniff',
      "default-src 'none'; sandbox",
    ])
    expect(figures(await client.get('/files/c.pdf')).slice(0, 3)).toEqual([200, 'application/pdf', 'attachment'])
  })

  it('are displayed inline if their type is listed', async () => {
    const client = await served({ 'a.pdf': fileOf('pdf'), 'a.png': fileOf('png') }, {
      inline: ['application/pdf'],
      maxAge: 60,
    })
    const reply = await client.get('/files/a.pdf')
    expect(figures(reply)[2]).toBe('inline')
    expect(reply.headers.get('cache-control')).toBe('private, max-age=60')
    expect(figures(await client.get('/files/a.png'))[2]).toBe('attachment')
  })

  it('support ranges and conditional requests', async () => {
    const client = await served({ 'a.txt': 'abcdef' })
    expect(await client.get('/files/a.txt', { headers: { range: 'bytes=1-2' } })).toMatchObject({
      status: 206,
      text: 'bc',
    })
    const beyond = await client.get('/files/a.txt', { headers: { range: 'bytes=9-' } })
    expect(beyond).toMatchObject({ status: 416, body: { code: 416, data: null } })
    expect(beyond.headers.get('content-range')).toBe('bytes */6')
    const { headers } = await client.get('/files/a.txt')
    expect(
      (await client.get('/files/a.txt', {
        headers: { 'if-none-match': headers.get('etag') ?? '', 'cache-control': 'max-age=0' },
      }))
        .status,
    )
      .toBe(304)
    expect(await client.send('HEAD', '/files/a.txt')).toMatchObject({ status: 200, text: '' })
  })

  it.each([
    '/files/',
    '/files/none',
    '/files/folder',
    '/files/folder/',
    '/files/.part',
    '/files/..%2fsecret',
    '/files/%2e%2e/secret',
    '/files/a%00',
  ])(
    'are the only paths: %s is 404',
    async (path) => {
      const client = await served({ 'folder/a.txt': 'x' })
      expect((await client.get(path)).status).toBe(404)
    },
  )

  it('reply 400 to a path that cannot be decoded', async () => {
    const client = await served({})
    expect((await client.get('/files/%ZZ')).status).toBe(400)
  })

  it('support GET and HEAD only', async () => {
    const client = await served({ 'a.txt': 'x' })
    expect((await client.send('DELETE', '/files/a.txt')).status).toBe(404)
  })

  it('reply 404 if they are deleted during the request', async () => {
    const folder = await scratchFolder()
    await writeFile(join(folder, 'a.txt'), 'x')
    const app = express()
    app.use((_req, res, next) => {
      const sendFile = res.sendFile.bind(res)
      res.sendFile =
        ((path: string, options: object, done: () => void) =>
          sendFile(`gone-${path}`, options, done)) as typeof sendFile
      next()
    })
    app.use(appOf(localDisk(folder, { baseUrl: '/files' })).router)
    const client = await serving(app)
    expect(await client.get('/files/a.txt')).toMatchObject({ status: 404, body: { meta: { reason: 'not_found' } } })
  })
})

function appOf(storage: LocalDisk, options?: ServeFilesOptions): Express {
  const app = express()
  app.use('/files', storage.serve(options))
  return app.use(notFound(), errorHandler({ log: () => undefined }))
}

function figures({ status, headers }: { status: number; headers: Headers }): unknown[] {
  return [
    status,
    ...['content-type', 'content-disposition', 'x-content-type-options', 'content-security-policy'].map((name) =>
      headers.get(name)
    ),
  ]
}

/** Returns a file that writes only half of each buffer. */
function takingHalves(file: FileHandle): FileHandle {
  vi.spyOn(file, 'writev').mockImplementation(async (chunks) => {
    const all = Buffer.concat(chunks as Buffer[])
    const { bytesWritten } = await file.write(all.subarray(0, Math.ceil(all.length / 2)))
    return { bytesWritten, buffers: chunks }
  })
  return file
}
