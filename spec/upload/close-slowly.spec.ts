import express from 'express'
import { describe, expect, it, onTestFinished } from 'vitest'
import { errorHandler } from '../../lib/error-handler.js'
import { upload } from '../../lib/upload/upload.js'
import { chunk, sendWithoutEnd } from '../support/endless-sender.js'
import { raw, serving } from '../support/http.js'
import { BOUNDARY, fileOf, FORM_TYPE, formOf, formRequest } from '../support/multipart.js'
import { AVATAR, uploadApp } from './uploading.js'

const HEAD = `POST / HTTP/1.1\r\nHost: specs\r\nTransfer-Encoding: chunked\r\nContent-Type: ${FORM_TYPE}\r\n\r\n`
const PART = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="avatar"; filename="a.png"\r\n\r\n`

describe('a caller who is still sending', () => {
  it('receives the 413 at once, and the connection is closed however long it goes on', async () => {
    const { url } = await serving(uploadApp())
    const sender = sendWithoutEnd(url, `${HEAD}${chunk(PART)}${chunk(fileOf('png', 2001).toString('latin1'))}`)
    const reply = await sender.seen(/"too_large"\}\}$/)
    expect(reply).toMatch(/^HTTP\/1\.1 413 /)
    expect(reply).toMatch(/^connection: close\r$/im)
    await sender.closed
  })

  it('receives the refusal of a field it should not send', async () => {
    const { url } = await serving(uploadApp())
    const sender = sendWithoutEnd(url, `${HEAD}${chunk(PART.replace('avatar', 'other'))}`)
    expect(await sender.seen(/"validation"\}\}$/)).toMatch(/^HTTP\/1\.1 422 /)
    await sender.closed
  })

  it('receives the 413 before it has sent a byte of a body that announces too much', async () => {
    const { url } = await serving(uploadApp())
    const head = `POST / HTTP/1.1\r\nHost: specs\r\nContent-Length: 5000000000\r\nContent-Type: ${FORM_TYPE}\r\n\r\n`
    expect(await raw(url, head, (seen) => seen.endsWith('}}'))).toMatch(/^HTTP\/1\.1 413 /)
  })

  it('keeps its connection where the whole form has come', async () => {
    const { url } = await serving(uploadApp())
    const request = formRequest('/', formOf({ name: 'title', content: 'x' }))
    const replies = await raw(url, Buffer.concat([request, request]), (seen) => seen.split('"validation"').length === 3)
    expect(replies.match(/HTTP\/1\.1 422 /g)).toHaveLength(2)
  })

  it('is not in the way of a reply that was sent already', async () => {
    const app = express()
    app.use((_req, res, next) => {
      res.status(202).send('early')
      next()
    })
    app.post('/', upload(AVATAR))
    app.use(errorHandler({ log: () => undefined }))
    const { url } = await serving(app)
    const sender = sendWithoutEnd(url, `${HEAD}${chunk(PART.replace('avatar', 'other'))}`)
    expect(await sender.seen(/early/)).toMatch(/^HTTP\/1\.1 202 /)
    await sender.sent(30_000_000) // more than any buffer on the way takes: it is read and dropped
  })
})

describe('the names that hang a careless parser', () => {
  it.each([
    ['two indexes', [['a[4294967294]', '1'], ['a[x]', '1']]],
    ['a far index', [['a[9999999]', '1']]],
    ['thousands of brackets', [[`a${'[]'.repeat(5000)}`, '1']]],
    ['many lists', Array.from({ length: 100 }, (_, at) => [`a[${at}]`, '1'])],
  ])('%s: 400 or 413, while others are served', async (_what, fields) => {
    const client = await serving(uploadApp().get('/', (_req, res) => void res.end()))
    const longest = longestHold()
    const form = formOf(...fields.map(([name = '', content = '']) => ({ name, content })))
    const reply = raw(client.url, formRequest('/', form, ['Connection: close']))
    await Promise.all(Array.from({ length: 5 }, () => client.get('/')))
    expect(await reply).toMatch(/^HTTP\/1\.1 (400|413) /)
    expect(longest()).toBeLessThan(1000) // a hang is 25 seconds and more
  })
})

/** How long the event loop was held at most, in milliseconds. */
function longestHold(): () => number {
  let longest = 0
  let last = performance.now()
  const timer = setInterval(() => {
    longest = Math.max(longest, performance.now() - last)
    last = performance.now()
  }, 20)
  onTestFinished(() => clearInterval(timer))
  return () => longest
}
