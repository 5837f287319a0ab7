import express, { type Express } from 'express'
import { createServer } from 'node:http'
import { describe, expect, it } from 'vitest'
import { mountResource } from 'resourcery'
import { raw } from '../support/http.js'
import { lastEnvelope } from '../support/raw-connection.js'
import { served } from './served.js'

function hostApp(): Express {
  const app = express()
  mountResource(app, {
    name: 'hosts',
    route: '/hosts',
    actions: ['list'],
    handlers: { list: (req) => req.headers.host ?? 'none' },
  })
  return app
}

async function asked(lines: readonly string[], target = '/hosts', version = '1.1', url?: string): Promise<string> {
  return raw(
    url ?? (await served(hostApp())).url,
    [`GET ${target} HTTP/${version}`, ...lines, 'Connection: close', '', ''].join('\r\n'),
  )
}

describe('the Host header of a request', () => {
  it.each([
    ['missing', []],
    ['sent twice', ['Host: a', 'Host: b']],
    ['sent twice with the same value', ['Host: a', 'host: a']],
    ['empty', ['Host:']],
    ['a space', ['Host: a b']],
    ['a path', ['Host: a/b']],
    ['a user', ['Host: user@a']],
    ['a port that is not a number', ['Host: a:b']],
    ['two ports', ['Host: a:1:2']],
    ['a port alone', ['Host: :80']],
    ['a scheme and a path', ['Host: http://a/b']],
    ['half an address', ['Host: [::1']],
    ['a broken escape', ['Host: a%zz']],
    ['two hosts', ['Host: a, b']],
    ['another alphabet', ['Host: b\u00fccher.test']],
    ['a quote', ['Host: "a"']],
    ['an angle bracket', ['Host: <a>']],
    ['a backslash', ['Host: a\\b']],
    ['a question mark', ['Host: a?b']],
  ])('is refused with 400 if it is %s', async (_what, lines) => {
    for (const target of ['/hosts', 'http://a.test/hosts']) {
      const reply = await asked(lines, target)
      expect(reply).toMatch(/^HTTP\/1\.1 400 /)
      expect(reply).toMatch(/^connection: close\r$/im)
      expect(lastEnvelope(reply)).toMatchObject({ code: 400, data: null, meta: { reason: 'unreadable' } })
    }
  })

  it.each([
    'a',
    'A.test',
    'a:80',
    'a:',
    '127.0.0.1:3000',
    '[::1]',
    '[::1]:80',
    '[v1.a:b]',
    'xn--bcher-kva.test',
    'a_b.test',
    'a%20b',
    '%41',
    'a.test.',
    'http://a.test',
  ])('is accepted as %s', async (host) => {
    expect(lastEnvelope(await asked([`Host: ${host}`]))).toMatchObject({ code: 200, data: host })
  })

  it('is refused with 400 for HEAD and for conditional requests too', async () => {
    const { url } = await served(hostApp())
    const lines = ['Host: a b', 'Connection: close', '', '']
    expect(await raw(url, ['HEAD /hosts HTTP/1.1', ...lines].join('\r\n'))).toMatch(/^HTTP\/1\.1 400 /)
    const conditional = ['GET /hosts HTTP/1.1', 'If-None-Match: *', ...lines].join('\r\n')
    expect(lastEnvelope(await raw(url, conditional))).toMatchObject({ code: 400, meta: { reason: 'unreadable' } })
  })

  it('is optional in HTTP/1.0, but must be valid and single', async () => {
    expect(lastEnvelope(await asked([], '/hosts', '1.0'))).toMatchObject({ code: 200, data: 'none' })
    expect(await asked(['Host: a b'], '/hosts', '1.0')).toMatch(/^HTTP\/1\.1 400 /)
    expect(await asked(['Host: a', 'Host: a'], '/hosts', '1.0')).toMatch(/^HTTP\/1\.1 400 /)
  })

  it('is overridden by the host of an absolute target', async () => {
    expect(lastEnvelope(await asked(['Host: other.test'], 'http://a.test:81/hosts'))).toMatchObject({
      code: 200,
      data: 'a.test:81',
    })
    expect(lastEnvelope(await asked([], 'http://a.test/hosts', '1.0'))).toMatchObject({ code: 200, data: 'a.test' })
  })

  it.each(['http://user@a.test/hosts', 'http://a:b/hosts', 'http:///hosts'])(
    'is refused in the target %s',
    async (target) => {
      expect(await asked(['Host: a'], target)).toMatch(/^HTTP\/1\.1 400 /)
    },
  )

  it('is checked on a server of the user', async () => {
    const { url } = await served(hostApp(), { server: createServer() })
    expect(lastEnvelope(await asked(['Host: a', 'Host: b'], '/hosts', '1.1', url))).toMatchObject({ code: 400 })
  })
})
