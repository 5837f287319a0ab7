import express from 'express'
import multer from 'multer'
import { describe, expect, it } from 'vitest'
import { errorHandler } from 'resourcery'
import { fromMulterError } from '../../lib/core/upload/multer-error.js'
import { serving } from '../support/http.js'
import { uploading } from './uploading.js'

describe('fromMulterError', () => {
  it.each(
    [
      ['LIMIT_FILE_SIZE', 413],
      ['LIMIT_PART_COUNT', 413],
      ['LIMIT_FILE_COUNT', 413],
      ['LIMIT_FIELD_KEY', 413],
      ['LIMIT_FIELD_VALUE', 413],
      ['LIMIT_FIELD_COUNT', 413],
      ['LIMIT_UNEXPECTED_FILE', 422],
      ['MISSING_FIELD_NAME', 400],
    ] as const,
  )('converts %s to a %i', (code, status) => {
    expect(fromMulterError(new multer.MulterError(code))?.status).toBe(status)
    expect(fromMulterError(new multer.MulterError(code, 'avatar'))?.status).toBe(status)
  })

  it.each(['LIMIT_FIELD_NESTING', 'LIMIT_FIELD_ARRAY_INDEX', 'INVALID_FIELD_NAME', 'STREAM_DESTROYED'])(
    'converts %s to a 400',
    (code) => {
      expect(fromMulterError(new multer.MulterError(code as 'LIMIT_FIELD_KEY', 'x'))).toMatchObject({
        status: 400,
        reason: 'unreadable',
      })
    },
  )

  it.each([
    new Error('LIMIT_FILE_SIZE'),
    { name: 'MulterError', code: 'LIMIT_FILE_SIZE' },
    null,
    Object.assign(new Error('x'), { name: 'MulterError', code: 'new' }),
  ])(
    'returns undefined for %o',
    (error) => expect(fromMulterError(error)).toBeUndefined(),
  )

  it('converts errors of a multer of the application', async () => {
    const app = express()
    app.post('/', multer({ limits: { fileSize: 10 } }).single('avatar'), errorHandler({ log: () => undefined }))
    const { post } = await uploading(app)
    expect(await post({ name: 'avatar', filename: 'a', content: 'x'.repeat(11) })).toMatchObject(
      { status: 413, body: { message: 'avatar is too large', meta: { reason: 'too_large' } } },
    )
    expect(await post({ name: 'other', filename: 'a', content: 'x' })).toMatchObject({
      status: 422,
      body: { data: { other: [expect.any(String)] } },
    })
  })
  it.each([
    ['is cut short', 'multipart/form-data; boundary=x', '--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n1',
      400],
    ['has no boundary', 'multipart/form-data', 'x', 400],
    ['has a malformed header of a part', 'multipart/form-data; boundary=x', '--x\r\n: \r\n\r\n1\r\n--x--', 400],
    ['is of another multipart type', 'multipart/mixed; boundary=x', '--x--', 415],
  ])('refuses a form that %s, behind a multer of the application', async (_name, type, body, status) => {
    const logged: unknown[] = []
    const app = express()
    app.post('/', multer().single('avatar'), errorHandler({ log: (error) => logged.push(error) }))
    const { post } = await serving(app)
    const reply = await post('/', body, { headers: { 'content-type': type } })
    expect(reply).toMatchObject({ status, body: { code: status, data: null } })
    expect(logged).toEqual([])
  })
})
