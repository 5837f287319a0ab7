import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { describe, expect, it, vi } from 'vitest'
import { endInOneWrite } from '../lib/core/base/node-http.js'
import { raw, serving } from './support/http.js'

function answer(res: ServerResponse, text: string): void {
  const bytes = Buffer.byteLength(text)
  res.writeHead(200, { 'Content-Length': bytes })
  endInOneWrite(res, text, bytes)
}

/** The internal method of a stream that writes a chunk. */
interface Writing {
  _write: (...args: unknown[]) => void
}

const TEXTS = ['short', '', 'Grüße \u{1F418} \u2028', 'x'.repeat(20_000), 'é'.repeat(5_000_000), 'y'.repeat(5_000_000)]

describe('endInOneWrite', () => {
  it.each(TEXTS.map((text) => [text.slice(0, 10), text]))('sends the whole text (%s)', async (_name, text) => {
    const client = await serving((_req, res) => answer(res, text))
    expect((await client.get('/')).text === text).toBe(true)
  })

  it('writes once to the connection, and emits `finish` afterwards', async () => {
    const written: unknown[] = []
    const finished: boolean[] = []
    const client = await serving((req, res) => {
      const write = vi.spyOn(Socket.prototype as unknown as Writing, '_write')
      res.on('finish', () => finished.push(res.writableEnded, res.writableFinished))
      answer(res, 'in one piece')
      written.push(...write.mock.contexts.filter((socket: unknown) => socket === req.socket))
      write.mockRestore()
    })
    await client.get('/')
    expect([written.length, finished]).toEqual([1, [true, true]])
  })

  it('keeps the order of pipelined replies', async () => {
    const waiting: ServerResponse[] = []
    const client = await serving((_req, res) => {
      waiting.push(res)
      if (waiting.length === 3) { for (const [at, one] of [...waiting.entries()].reverse()) answer(one, `reply ${at}`) }
    })
    const seen = await raw(
      client.url,
      'GET / HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(2) + 'GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
    )
    expect(seen.match(/reply \d/g)).toEqual(['reply 0', 'reply 1', 'reply 2'])
  })

  it('falls back to `end` if Node has other internals', () => {
    const end = vi.fn()
    endInOneWrite({ end } as unknown as ServerResponse, 'fine', 4)
    expect(end).toHaveBeenCalledExactlyOnceWith('fine', 'utf8')
  })

  it('emits `finish` only after a long text was sent', async () => {
    const done: Promise<unknown>[] = []
    const client = await serving((_req, res) => {
      done.push(once(res, 'finish'))
      answer(res, 'z'.repeat(3_000_000))
    })
    expect((await client.get('/')).text).toHaveLength(3_000_000)
    await Promise.all(done)
  })
})
