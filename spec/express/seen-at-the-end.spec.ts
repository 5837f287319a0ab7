import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import express, { type Express } from 'express'
import { describe, expect, it, onTestFinished } from 'vitest'
import { mountResource } from 'resourcery'
import { connection } from '../support/raw-connection.js'
import { served } from '../serve/served.js'

/*
 * What a logger sees when a response has ended, or its client has disconnected: the same as under `app.listen`.
 */

const SERVERS: Readonly<Record<string, (app: Express) => Promise<string>>> = {
  'serve': async (app) => (await served(app)).url,
  'serve without the fast path': async (app) => (await served(app, { fast: false })).url,
  'app.listen': async (app) => {
    const server = app.listen(0, '127.0.0.1')
    onTestFinished(() => void server.close())
    await once(server, 'listening')
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  },
}

describe.each(Object.entries(SERVERS))('with %s', (_name, start) => {
  it('emits no `finish` for a reply whose client has disconnected', async () => {
    const app = express()
    const events: string[] = []
    let replied = (): void => undefined
    const done = new Promise<void>((resolve) => void (replied = resolve))
    app.use((_req, res, next) => {
      for (const event of ['finish', 'close']) res.on(event, () => void events.push(event))
      next()
    })
    mountResource(app, {
      route: '/items',
      name: 'items',
      handlers: {
        list: async (_req, res) => {
          client.socket.destroy()
          await once(res, 'close')
          setTimeout(replied, 20)
          return ['tea']
        },
      },
    })
    const client = await connection(await start(app))
    client.write('GET /items HTTP/1.1\r\nHost: a\r\n\r\n')
    await done
    expect(events).toEqual(['close'])
  })

  it('leaves a request that no layer answers as Express does', async () => {
    const app = express().set('env', 'test')
    const other = express()
    const seen: unknown[] = []
    app.use((req, res, next) => {
      res.on('finish', () => void seen.push([req.url, req.baseUrl, req.app === other, res.app === other]))
      next()
    })
    app.use('/other', (req, res, next) => void other(req, res, next))
    const url = await start(app)
    for (const path of ['/nowhere', '/other/nowhere']) await (await fetch(`${url}${path}`)).text()
    expect(seen).toEqual([['/nowhere', undefined, false, false], ['/other/nowhere', undefined, true, true]])
  })
})
