import { tmpdir } from 'node:os'
import { join } from 'node:path'
import express, { type RequestHandler } from 'express'
import { describe, expect, it } from 'vitest'
import { auth, envelope, errorHandler, localDisk, notFound, permission, ready, upload } from 'resourcery'
import { serving } from './support/http.js'

const disk = localDisk(join(tmpdir(), 'uncalled-spec'), { baseUrl: '/files' })

describe('a function that makes middleware, mounted without being called', () => {
  it.each<readonly [string, unknown, string]>([
    ['auth', auth, "app.use(auth('admin', { secret }))"],
    ['permission', permission, "app.use(permission('admin'))"],
    ['envelope', envelope, 'app.use(envelope({ success, failure }))'],
    ['errorHandler', errorHandler, 'app.use(errorHandler())'],
    ['notFound', notFound, 'app.use(notFound())'],
    ['ready', ready, "app.get('/ready', ready())"],
    ['upload', upload, "app.use(upload({ avatar: { types: ['image/png'] } }))"],
    ['serve of a local disk', disk.serve.bind(disk), "app.use('/files', disk.serve())"],
  ])('is an error of each request, with the call to write: %s', async (_name, factory, call) => {
    const log: unknown[] = []
    const app = express().use(factory as RequestHandler, errorHandler({ log: (error) => log.push(error) }))
    const client = await serving(app)
    expect(await client.send('GET', '/')).toMatchObject({ status: 500 })
    expect(log).toMatchObject([{
      name: 'MisuseError',
      code: 'options_shape',
      message: expect.stringContaining(`write \`${call}\``) as string,
    }])
  })
})
