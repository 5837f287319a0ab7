import express from 'express'
import { describe, expect, it, vi } from 'vitest'
import { auth, errorHandler, issueToken, localDisk, upload } from 'resourcery'
import { serving } from './support/http.js'
import { FORM_TYPE, formOf } from './support/multipart.js'

const broken = vi.hoisted(() => () => {
  throw new Error('half an installation')
})
vi.mock('jose', broken)
vi.mock('multer', broken)
vi.mock('file-type', broken)

const secret = 'a secret of more than 32 characters'

describe('a package that cannot be loaded', () => {
  it('causes an error only when it is needed', async () => {
    const app = express()
    app.use('/signed', auth('admin', { secret }))
    app.use('/provided', auth('admin', { jwks: { keys: [] }, issuer: 'https://id.example.test', audience: 'admin' }))
    app.use('/upload', upload({ file: {} }))
    app.use('/files', localDisk('spec/support', { baseUrl: '/files' }).serve())
    const logged: unknown[] = []
    app.use(errorHandler({ log: (error) => void logged.push(error) }))
    const client = await serving(app)

    const claims = (more: object): string =>
      [{ alg: 'HS256', ...more }, { iss: 'https://id.example.test' }]
        .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
        .join('.')
    expect((await client.send('GET', '/signed', { token: `${claims({})}.c2ln` })).status).toBe(500)
    expect((await client.send('GET', '/provided', { token: `${claims({ alg: 'RS256' })}.c2ln` })).status).toBe(500)
    expect((await client.send('GET', '/files/http.ts')).status).toBe(500)
    const form = await fetch(`${client.url}/upload`, {
      method: 'POST',
      headers: { 'content-type': FORM_TYPE },
      body: new Uint8Array(formOf({ name: 'file', filename: 'a', content: 'a' })),
    })
    expect(form.status).toBe(500)
    expect(logged).toHaveLength(4)
    await expect(issueToken('admin', { id: 1 }, { secret })).rejects.toThrow()
  })
})
