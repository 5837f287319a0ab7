import { createServer } from 'node:http'
import express from 'express'
import { describe, expect, it } from 'vitest'
import { raw } from '../support/http.js'
import { connection, lastEnvelope } from '../support/raw-connection.js'
import { certificate } from './fixtures/certificate.js'
import { served } from './served.js'

const app = express().disable('x-powered-by')
app.get('/', (_req, res) => void res.send('fine'))
app.post('/', (req, res) => {
  req.on('end', () => res.send('read')).on('error', () => undefined).resume()
})
app.get('/begun', (_req, res) => void res.write('begun'))

function envelope(code: number, reason: string): object {
  return { code, message: expect.any(String) as string, data: null, meta: { reason } }
}

/** Returns the head and the body of the only response in raw bytes, and checks its length. */
function only(bytes: string): { status: number; head: string; body: unknown } {
  const [head = '', text = ''] = bytes.split('\r\n\r\n')
  expect(bytes.match(/HTTP\/1\.1 /g)).toHaveLength(1)
  expect(head).toContain(`\r\nContent-Length: ${Buffer.byteLength(text)}`)
  return { status: Number(head.split(' ')[1]), head, body: JSON.parse(text) }
}

describe('a request that Node’s parser refuses', () => {
  it.each([
    ['bytes other than HTTP', 'nonsense\r\n\r\n', 400, 'unreadable'],
    ['an unknown method', 'FETCH / HTTP/1.1\r\nHost: a\r\n\r\n', 400, 'unreadable'],
    ['a space in the path', 'GET /a b HTTP/1.1\r\nHost: a\r\n\r\n', 400, 'unreadable'],
    ['a header name with a space', 'GET / HTTP/1.1\r\nHost: a\r\nX Y: 1\r\n\r\n', 400, 'unreadable'],
    [
      'a length beside chunks',
      'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n',
      400,
      'unreadable',
    ],
    ['a length that is not a number', 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n', 400, 'unreadable'],
    [
      'a chunk without a size',
      'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
      400,
      'unreadable',
    ],
    [
      'an extension of a chunk without end',
      `POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1;${'e'.repeat(20_000)}`,
      413,
      'too_large',
    ],
    ['headers without end', `GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`, 431, 'too_large'],
    ['a path without end', `GET /${'x'.repeat(20_000)} HTTP/1.1\r\nHost: a\r\n\r\n`, 431, 'too_large'],
  ])('gets a reply in the envelope: %s', async (_name, bytes, status, reason) => {
    const { url } = await served(app)
    const reply = only(await raw(url, bytes))
    expect(reply.status).toBe(status)
    expect(reply.body).toEqual(envelope(status, reason))
    expect(reply.head).toContain('\r\nContent-Type: application/json; charset=utf-8')
    expect(reply.head).toContain('\r\nConnection: close')
    expect(reply.head).toMatch(/\r\nDate: \w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT/)
  })

  it('gets the same reply on a server of the user', async () => {
    const { url } = await served(app, { server: createServer() })
    expect(only(await raw(url, 'nonsense\r\n\r\n')).body).toEqual(envelope(400, 'unreadable'))
  })

  it('is handled by a `clientError` listener of the user', async () => {
    const server = createServer().on('clientError', (_error, socket) => socket.end('mine'))
    const { url } = await served(app, { server })
    expect(await raw(url, 'nonsense\r\n\r\n')).toBe('mine')
  })

  it('gets its reply after that of an earlier request on the connection', async () => {
    const { url } = await served(app)
    const { write, until, closed } = await connection(url)
    write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
    await until(/fine$/)
    write('nonsense\r\n\r\n')
    expect(lastEnvelope(await closed)).toEqual(envelope(400, 'unreadable'))
  })

  it('gets no reply before an earlier request has finished', async () => {
    let reply = (): unknown => undefined
    const slow = express().get('/', (_req, res) => {
      reply = () => res.send('first')
    })
    const { url, server } = await served(slow)
    const refused = new Promise((resolve) => server.once('clientError', resolve))
    const { write, closed } = await connection(url)
    write('GET / HTTP/1.1\r\nHost: a\r\n\r\nnonsense\r\n\r\n')
    await refused
    reply()
    const bytes = await closed
    expect(bytes).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]*\r\nConnection: close\r\n[^]*first$/)
  })

  it('does not break off the reply to an earlier request', async () => {
    let finish = (): unknown => undefined
    const slow = express().get('/', (_req, res) => {
      res.write('begun ')
      finish = () => res.end('and done')
    })
    const { url, server } = await served(slow)
    const refused = new Promise((resolve) => server.once('clientError', resolve))
    const { write, closed } = await connection(url)
    write('GET / HTTP/1.1\r\nHost: a\r\n\r\nnonsense\r\n\r\n')
    await refused
    for (let count = 0; count < 20; count++) {
      write('more nonsense')
      await new Promise((resolve) => server.once('clientError', resolve))
    }
    finish()
    const bytes = await closed
    expect(bytes).toMatch(/and done\r\n0\r\n\r\n$/)
    expect(bytes).not.toContain('400')
  })

  it('closes the connection after the replies to all earlier requests', async () => {
    const { url } = await served(app)
    const { write, closed } = await connection(url)
    write('GET / HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(3) + 'nonsense\r\n\r\n')
    const bytes = await closed
    expect(bytes.match(/\r\n\r\nfine/g)).toHaveLength(3)
    expect(bytes).not.toContain('400')
  })

  it('gets no second reply if its own reply has begun', async () => {
    const early = express().post('/', (_req, res) => void res.write('begun'))
    const { url } = await served(early)
    const { write, until, closed } = await connection(url)
    write('POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n')
    await until(/begun/)
    write('zz\r\n')
    const bytes = await closed
    expect(bytes.match(/HTTP\/1\.1/g)).toHaveLength(1)
    expect(bytes).not.toContain('unreadable')
  })

  it('is ignored if the client has disconnected', async () => {
    const { url, server } = await served(app)
    const errors: string[] = []
    const met = new Promise<void>((resolve) =>
      server.prependListener('clientError', (error: NodeJS.ErrnoException) => {
        errors.push(error.code ?? '')
        resolve()
      })
    )
    const { socket, write, until } = await connection(url)
    write('GET /begun HTTP/1.1\r\nHost: a\r\n\r\n')
    await until(/begun/)
    socket.resetAndDestroy()
    await met
    expect(errors).toEqual(['ECONNRESET'])
    expect(await (await fetch(url)).text()).toBe('fine')
  })

  it('closes a connection that does not use TLS', async () => {
    const { url } = await served(app, { https: certificate })
    expect(await raw(url, 'GET / HTTP/1.1\r\nHost: a\r\n\r\n')).not.toContain('HTTP/1.1 4')
  })
})

describe('a request that is too slow', () => {
  it.each([
    ['its headers', { headersTimeout: 0.05 }, 'GET / HTTP/1.1\r\nHost:'],
    ['its body', { requestTimeout: 0.05 }, 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nhalf'],
    ['its first byte', { headersTimeout: 0.05 }, ''],
  ])('gets 408 with %s', async (_name, timeouts, bytes) => {
    const { url } = await served(app, timeouts)
    expect(only(await raw(url, bytes)).body).toEqual(envelope(408, 'unreadable'))
  })

  it('gets 408 also if it sends byte after byte', async () => {
    const { url } = await served(app, { headersTimeout: 0.2 })
    const { socket, write, closed } = await connection(url)
    write('GET / HTTP/1.1\r\n')
    const drip = setInterval(() => write('X: y\r\n'), 20)
    socket.on('close', () => clearInterval(drip))
    expect(lastEnvelope(await closed)).toEqual(envelope(408, 'unreadable'))
  })
})

describe('a request that Node leaves to the server', () => {
  it('gets 400 without a Host header', async () => {
    const { url } = await served(app)
    const reply = only(await raw(url, 'GET / HTTP/1.1\r\n\r\n'))
    expect(reply.body).toEqual(envelope(400, 'unreadable'))
    expect(reply.head).toContain('\r\nConnection: close')
  })

  it('needs no Host header with HTTP/1.0', async () => {
    const { url } = await served(app)
    expect(await raw(url, 'GET / HTTP/1.0\r\n\r\n')).toMatch(/^HTTP\/1\.1 200 OK[^]*fine$/)
  })

  it('gets 417 for an unknown expectation', async () => {
    const { url } = await served(app)
    const reply = only(await raw(url, 'GET / HTTP/1.1\r\nHost: a\r\nExpect: tea\r\n\r\n'))
    expect(reply.status).toBe(417)
    expect(reply.body).toEqual(envelope(417, 'unreadable'))
  })

  it('is handled by a `checkExpectation` listener of the user', async () => {
    const server = createServer().on('checkExpectation', (_req, res) => void res.writeHead(204).end())
    const { url } = await served(app, { server })
    expect(await raw(url, 'GET / HTTP/1.1\r\nHost: a\r\nExpect: tea\r\nConnection: close\r\n\r\n')).toContain(
      'HTTP/1.1 204',
    )
  })

  it('gets 100 Continue before the body is sent', async () => {
    const { url } = await served(app)
    const { write, until } = await connection(url)
    write('POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 4\r\n\r\n')
    await until(/^HTTP\/1\.1 100 Continue\r\n\r\n$/)
    write('body')
    expect(await until(/read$/)).toContain('HTTP/1.1 200 OK')
  })
})
