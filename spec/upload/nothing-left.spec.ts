import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import express, { type RequestHandler } from 'express'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { errorHandler } from 'resourcery'
import { BusinessError, findOrFail } from 'resourcery'
import { RequestParam } from 'resourcery'
import { send } from 'resourcery'
import { localDisk } from 'resourcery'
import type { Storage } from 'resourcery'
import { memoryHeld } from '../../lib/core/upload/spool.js'
import { fileOf, formOf, formRequest, type FormPart } from '../support/multipart.js'
import { serving } from '../support/http.js'
import { openTemporaryFiles, TELLS_DESCRIPTORS } from './descriptors.js'
import { scratchFolder, temporaryNames, uploadApp, uploading } from './uploading.js'

const FIELDS = { avatar: { maxBytes: 1_000_000 } }
const LARGE: FormPart = { name: 'avatar', filename: 'a.png', content: fileOf('png', 600_000) }
const SMALL: FormPart = { name: 'avatar', filename: 'a.png', content: fileOf('png', 1000) }

/** Expects that the request has left nothing in memory, in the temporary folder or among the descriptors. */
async function expectNothingTemporary(): Promise<void> {
  await expect.poll(() => [memoryHeld(), temporaryNames(), TELLS_DESCRIPTORS ? openTemporaryFiles() : []]).toEqual([
    0,
    [],
    [],
  ])
}

/** Stores the file, then runs another handler. */
function storing(storage: Storage, then: RequestHandler = (_req, res) => send(res, 'ok')): RequestHandler {
  return async (req, res, next) => {
    await findOrFail(RequestParam.file(req, 'avatar')).saveTo(storage)
    return then(req, res, next)
  }
}

describe.each([['small', SMALL], ['large', LARGE]])('the upload of a %s file', (_size, file) => {
  it('leaves only the stored file after success', async () => {
    const folder = await scratchFolder()
    const { post } = await uploading(uploadApp(FIELDS, storing(localDisk(folder, { baseUrl: '/' }))))
    expect((await post(file)).status).toBe(200)
    await expectNothingTemporary()
    expect(await readdir(folder)).toHaveLength(1)
  })

  it.each<[string, RequestHandler]>([
    ['throws', () => {
      throw new Error('bug')
    }],
    ['refuses', () => {
      throw new BusinessError('No')
    }],
    ['replies an error itself', (_req, res) => send(res, 'no', null, {}, 409)],
    ['destroys the connection', (_req, res) => void res.destroy()],
  ])('leaves nothing if the handler %s after storing the file', async (_what, then) => {
    const folder = await scratchFolder()
    const { post } = await uploading(uploadApp(FIELDS, storing(localDisk(folder, { baseUrl: '/' }), then)))
    await post(file).catch(() => undefined)
    await expect.poll(() => readdir(folder)).toEqual([])
    await expectNothingTemporary()
  })

  it('leaves nothing if a later part is refused', async () => {
    const { post } = await uploading(uploadApp(FIELDS))
    expect((await post(file, { name: 'a[x]', content: '' })).status).toBe(400)
    await expectNothingTemporary()
  })

  it.each([0, 0.01, 0.5, 0.99])('leaves nothing if the client disconnects after %f of it', async (part) => {
    const reached = vi.fn()
    const { url } = await serving(uploadApp(FIELDS, reached))
    const request = formRequest('/', formOf(file))
    const socket = connect(Number(new URL(url).port))
    await new Promise<void>((resolve) =>
      socket.write(request.subarray(0, 200 + Math.floor((request.length - 200) * part)), () => resolve())
    )
    socket.destroy()
    await once(socket, 'close')
    await expectNothingTemporary()
    expect(reached).not.toHaveBeenCalled()
  })
})

describe('a storage', () => {
  const deleted = vi.fn(() => Promise.resolve())
  const failing = (write: Storage['write'], publicUrl: Storage['publicUrl'] = (path) => path): Storage => ({ write,
    publicUrl, deleteFile: deleted.mockClear() })

  it.each<[string, Storage['write']]>([
    ['fails at once', () => {
      throw new Error('down')
    }],
    ['fails in its promise', () => Promise.reject(new Error('down'))],
    [
      'fails half-way',
      (_path, stream) => new Promise((_resolve, reject) => stream.once('data', () => reject(new Error('full')))),
    ],
    [
      'destroys its source',
      (_path, stream) =>
        new Promise((_resolve, reject) => stream.once('close', () => reject(new Error('x'))).destroy()),
    ],
  ])('causes a 503 if it %s, and the partial file is deleted', async (_what, write) => {
    const { post } = await uploading(uploadApp(FIELDS, storing(failing(write))))
    expect(await post(LARGE)).toMatchObject({
      status: 503,
      body: { message: 'This is not available right now', meta: { reason: 'unavailable' } },
    })
    expect(deleted).toHaveBeenCalled()
    await expectNothingTemporary()
  })

  it('can refuse with an error for the caller', async () => {
    const { post } = await uploading(uploadApp(
      FIELDS,
      storing(failing(() => {
        throw new BusinessError('Full', 409)
      })),
    ))
    expect(await post(LARGE)).toMatchObject({ status: 409, body: { message: 'Full' } })
  })

  it('deletes the file if it cannot return a public URL', async () => {
    const storage = failing((_path, stream) => text(stream), () => {
      throw new Error('no URL')
    })
    const { post } = await uploading(uploadApp(FIELDS, storing(storage)))
    expect((await post(LARGE)).status).toBe(503)
    expect(deleted).toHaveBeenCalled()
  })

  it('is abandoned after the timeout, deletion included', async () => {
    const forever = (): Promise<never> => new Promise(() => undefined)
    const storage = { write: forever, publicUrl: (path: string) => path, deleteFile: forever }
    const { post } = await uploading(uploadApp(FIELDS, storing(storage), { storageTimeout: 1 }))
    expect((await post(LARGE)).status).toBe(503)
    await expectNothingTemporary()
  })

  it('deletes the file of a write that finishes after the timeout', async () => {
    let finish: () => void = () => undefined
    const write = (): Promise<void> => new Promise((resolve) => (finish = resolve))
    const { post } = await uploading(uploadApp(FIELDS, storing(failing(write)), { storageTimeout: 1 }))
    await post(LARGE)
    deleted.mockClear()
    finish()
    await expect.poll(() => deleted.mock.calls.length).toBe(1)
  })

  it('is stopped if the client disconnects during a write', async () => {
    let stopped: Promise<unknown> | undefined
    let begun: () => void = () => undefined
    const writing = new Promise<void>((resolve) => (begun = resolve))
    const storage = failing((_path, stream) => {
      stopped = once(stream, 'close')
      begun()
      return new Promise(() => undefined)
    })
    const { url } = await serving(uploadApp(FIELDS, storing(storage)))
    const socket = connect(Number(new URL(url).port))
    socket.write(formRequest('/', formOf(LARGE)))
    await writing
    socket.destroy()
    await stopped
    await expectNothingTemporary()
    expect(deleted).toHaveBeenCalled()
  })

  it('causes a warning if the deletion fails too', async () => {
    const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined)
    onTestFinished(() => warn.mockRestore())
    const storage = {
      write: () => Promise.reject(new Error('down')),
      publicUrl: String,
      deleteFile: () => Promise.reject(new Error('down')),
    }
    const { post } = await uploading(uploadApp(FIELDS, storing(storage)))
    await post(SMALL)
    expect(warn).toHaveBeenCalledWith(expect.stringContaining('could not be deleted'), { code: 'RESOURCERY_FILE_LEFT' })
  })

  it('warns if a file was not awaited, and the process goes on', async () => {
    const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined)
    onTestFinished(() => warn.mockRestore())
    const rejected = vi.fn()
    process.on('unhandledRejection', rejected)
    onTestFinished(() => void process.off('unhandledRejection', rejected))
    const deleteFile = vi.fn(() => Promise.resolve())
    const never = { write: () => new Promise<never>(() => undefined), publicUrl: String, deleteFile }
    const { post } = await uploading(uploadApp(FIELDS, (req, res) => {
      void findOrFail(RequestParam.file(req, 'avatar')).saveTo(never)
      send(res, 'ok')
    }))
    expect((await post(SMALL)).status).toBe(200)
    await expect.poll(() => deleteFile.mock.calls).toHaveLength(1)
    expect(warn).toHaveBeenCalledWith(expect.stringContaining('await `saveTo`'), { code: 'RESOURCERY_FILE_LOST' })
    await expectNothingTemporary()
    expect(rejected).not.toHaveBeenCalled()
  })

  it('is not called after the request has ended', async () => {
    const write = vi.fn(() => Promise.resolve())
    let late: Promise<unknown> = Promise.resolve()
    const app = uploadApp(FIELDS, (req, res) => {
      const file = findOrFail(RequestParam.file(req, 'avatar'))
      res.once('close', () => {
        late = file.saveTo(failing(write)).catch(String)
      })
      send(res, 'ok')
    })
    const { post } = await uploading(app)
    await post(SMALL)
    await expect.poll(() => late).toContain('The request has ended')
    expect(write).not.toHaveBeenCalled()
  })
})

describe('a request whose client disconnects before it is read', () => {
  it('is not awaited', async () => {
    const errors: unknown[] = []
    const app = express()
    app.use((req, _res, next) => void req.once('close', () => next()).destroy())
    app.use(uploadApp(FIELDS).router)
    app.use(errorHandler({ log: (error) => errors.push(error) }))
    const { post } = await uploading(app)
    await expect(post(SMALL)).rejects.toThrow()
    await expectNothingTemporary()
  })
})
