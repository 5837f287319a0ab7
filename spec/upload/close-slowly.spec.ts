import express from 'express'
import { describe, expect, it, onTestFinished } from 'vitest'
import { errorHandler } from 'resourcery'
import { upload } from 'resourcery'
import { chunk, sendWithoutEnd } from '../support/endless-sender.js'
import { raw, serving } from '../support/http.js'
import { BOUNDARY, fileOf, FORM_TYPE, formOf, formRequest } from '../support/multipart.js'
import { AVATAR, uploadApp } from './uploading.js'

const HEAD = `POST / HTTP/1.1\r\nHost: specs\r\nTransfer-Encoding: chunked\r\nContent-Type: ${FORM_TYPE}\r\n\r\n`
const PART = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="avatar"; filename="a.png"\r\n\r\n`

describe('a client that is still sending', () => {
  it('receives 413 at once, and then the connection is closed', async () => {
    const { url } = await serving(uploadApp())
    const sender = sendWithoutEnd(url, `${HEAD}${chunk(PART)}${chunk(fileOf('png', 2001).toString('latin1'))}`)
    const reply = await sender.seen(/"too_large"\}\}$/)
    expect(reply).toMatch(/^HTTP\/1\.1 413 /)
    expect(reply).toMatch(/^connection: close\r$/im)
    await sender.closed
  })

  it('receives the refusal of an undeclared field', async () => {
    const { url } = await serving(uploadApp())
    const sender = sendWithoutEnd(url, `${HEAD}${chunk(PART.replace('avatar', 'other'))}`)
    expect(await sender.seen(/"validation"\}\}$/)).toMatch(/^HTTP\/1\.1 422 /)
    await sender.closed
  })

  it('receives 413 before it sends a body whose length is too large', async () => {
    const { url } = await serving(uploadApp())
    const head = `POST / HTTP/1.1\r\nHost: specs\r\nContent-Length: 5000000000\r\nContent-Type: ${FORM_TYPE}\r\n\r\n`
    expect(await raw(url, head, (seen) => seen.endsWith('}}'))).toMatch(/^HTTP\/1\.1 413 /)
  })

  it('keeps its connection if the whole form has arrived', async () => {
    const { url } = await serving(uploadApp())
    const request = formRequest('/', formOf({ name: 'title', content: 'x' }))
    const replies = await raw(url, Buffer.concat([request, request]), (seen) => seen.split('"validation"').length === 3)
    expect(replies.match(/HTTP\/1\.1 422 /g)).toHaveLength(2)
  })

  it('does not disturb a reply that was already sent', async () => {
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
    await sender.sent(30_000_000) // larger than all buffers: the rest is read and discarded
  })
})

describe('field names that block a careless parser', () => {
  it.each([
    ['two indexes', [['a[4294967294]', '1'], ['a[x]', '1']]],
    ['a far index', [['a[9999999]', '1']]],
    ['thousands of brackets', [[`a${'[]'.repeat(5000)}`, '1']]],
    ['many lists', Array.from({ length: 100 }, (_, at) => [`a[${at}]`, '1'])],
  ])('get 400 or 413 without blocking other requests: %s', async (_what, fields) => {
    const client = await serving(uploadApp().get('/', (_req, res) => void res.end()))
    const longest = longestHold()
    const form = formOf(...fields.map(([name = '', content = '']) => ({ name, content })))
    const reply = raw(client.url, formRequest('/', form, ['Connection: close']))
    await Promise.all(Array.from({ length: 5 }, () => client.get('/')))
    expect(await reply).toMatch(/^HTTP\/1\.1 (400|413) /)
    expect(longest()).toBeLessThan(1000) // a blocked loop takes 25 seconds or more
  })
})

/** Measures how long the event loop was blocked at most, in milliseconds. */
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
