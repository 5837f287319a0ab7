import express, { type ErrorRequestHandler } from 'express'
import { describe, expect, it } from 'vitest'
import { fromParserError } from '../../lib/core/request/errors.js'
import { HttpError } from 'resourcery'
import { serving } from '../support/http.js'

describe('fromParserError', () => {
  it.each([
    ['entity.parse.failed', 400, 'unreadable'],
    ['querystring.parse.rangeError', 400, 'unreadable'],
    ['request.aborted', 400, 'unreadable'],
    ['request.size.invalid', 400, 'unreadable'],
    ['entity.too.large', 413, 'too_large'],
    ['parameters.too.many', 413, 'too_large'],
    ['charset.unsupported', 415, 'media_type'],
    ['encoding.unsupported', 415, 'media_type'],
  ])('converts %s', (type, status, reason) => {
    const cause = Object.assign(new Error('what the caller sent'), { type })
    const error = fromParserError(cause)
    expect(error).toBeInstanceOf(HttpError)
    expect(error).toMatchObject({ status, reason, cause })
    expect(error?.message).not.toContain('caller')
  })

  it.each([
    ['an error', new Error('mine')],
    ['undefined', undefined],
    ['a string', 'entity.parse.failed'],
    ['an object', { type: 'entity.parse.failed' }],
    ['a type of the application', Object.assign(new Error('no'), { type: 'entity.verify.failed', status: 403 })],
    ['the name of a property of Object', Object.assign(new Error('no'), { type: 'constructor' })],
    ['a URIError of the application', new URIError('mine')],
    ['a zlib error of the application', Object.assign(new Error('mine'), { code: 'Z_DATA_ERROR' })],
    [
      'a 400 of another service, by the code of axios',
      Object.assign(new Error('mine'), { status: 400, code: 'ERR_BAD_REQUEST' }),
    ],
    ['another 400', Object.assign(new Error('mine'), { status: 400, code: 'EMINE' })],
  ])('returns undefined for %s', (_name, error) => {
    expect(fromParserError(error)).toBeUndefined()
  })

  it('converts errors of parsers in front and of the router of Express', async () => {
    const app = express()
    app.use(express.json({ limit: 10 }), express.urlencoded({ extended: true, limit: 1000 }))
    app.post('/:id', (_req, res) => {
      res.end()
    })
    const answer: ErrorRequestHandler = (error: unknown, _req, res, _next) => {
      const known = fromParserError(error)
      res.status(known?.status ?? 500).json({ reason: known?.reason ?? String(error), message: known?.message })
    }
    app.use(answer)
    const client = await serving(app)
    const json = { headers: { 'content-type': 'application/json' } }
    const form = { headers: { 'content-type': 'application/x-www-form-urlencoded' } }
    expect((await client.post('/1', '{', json)).body).toMatchObject({ reason: 'unreadable' })
    expect((await client.post('/1', '{"longer":true}', json)).body).toMatchObject({ reason: 'too_large' })
    expect((await client.post('/1', `a${'[b]'.repeat(34)}=1`, form)).body).toMatchObject({ reason: 'unreadable' })
    expect((await client.post('/1', '{}', { headers: { ...json.headers, 'content-encoding': 'gzip' } })).body)
      .toMatchObject({ reason: 'unreadable' })
    expect((await client.post('/%E0%A4%A')).body).toEqual({
      reason: 'unreadable',
      message: 'The path cannot be decoded',
    })
  })
})
