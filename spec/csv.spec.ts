import { request, type IncomingMessage } from 'node:http'
import express, { type Response } from 'express'
import { describe, expect, it } from 'vitest'
import { sendCsv, type CsvOptions } from 'resourcery/csv'
import { errorHandler } from 'resourcery'
import { MisuseError } from 'resourcery'
import { raw, serving, type Reply } from './support/http.js'

interface Note {
  id: number
  title: string | null
}

const NOTES: readonly Note[] = [{ id: 1, title: 'Milk, and "tea"' }, { id: -2, title: null }, { id: 3, title: '=1+1' }]

describe('sendCsv', () => {
  it('sends rows as a file in the format of RFC 4180', async () => {
    const reply = await sent(NOTES, { columns: ['id', 'title'], fileName: 'notes.csv' })
    expect(reply.status).toBe(200)
    expect(reply.text).toBe('id,title\r\n1,"Milk, and ""tea"""\r\n-2,\r\n3,\'=1+1\r\n')
    expect(reply.headers.get('content-type')).toBe('text/csv; charset=utf-8; header=present')
    expect(reply.headers.get('content-disposition')).toBe('attachment; filename=notes.csv')
    expect(reply.headers.get('x-content-type-options')).toBe('nosniff')
  })

  it('writes the given columns in order under their headings', async () => {
    expect((await sent(NOTES, { columns: { title: 'What; when', id: '=No' } })).text).toMatch(
      /^"What; when",'=No\r\n"Milk, and ""tea""",1\r\n/,
    )
  })

  it('writes a byte order mark and semicolons if configured', async () => {
    const rows = Array.from({ length: 199 }, (_, index) => ({ id: index, title: 'a;b,c\td' }))
    const { text } = await sent(rows, { columns: ['id', 'title'], bom: true, delimiter: ';' }, { keepMark: true })
    expect(text).toBe(`\uFEFFid;title\r\n${rows.map(({ id }) => `${id};"a;b,c\td"\r\n`).join('')}`)
  })

  it('writes the headings if there are no rows', async () => {
    expect((await sent([], { columns: ['id', 'title'] })).text).toBe('id,title\r\n')
  })

  it('omits inherited properties of a row', async () => {
    expect((await sent([Object.create({ id: 1 }) as Note], { columns: ['id', 'title'] })).text).toBe(
      'id,title\r\n,\r\n',
    )
  })

  it.each([
    ['../../etc/pass"wd.csv', 'attachment; filename="pass\\"wd.csv"'],
    ['a\r\nSet-Cookie: b.csv', 'attachment; filename="aSet-Cookie: b.csv"'],
    ['Übersicht €.csv', 'attachment; filename="?bersicht ?.csv"; filename*=UTF-8\'\'%C3%9Cbersicht%20%E2%82%AC.csv'],
  ])('sends the file name %j safely', async (fileName, disposition) => {
    const { headers } = await sent([], { columns: ['id'], fileName })
    expect(headers.get('content-disposition')).toBe(disposition)
  })

  it('reads no row for HEAD', async () => {
    const { rows, asked } = endless()
    const reply = await sent(rows, { columns: ['id'], fileName: 'notes.csv' }, { method: 'HEAD' })
    expect([reply.status, reply.headers.get('content-disposition'), asked()]).toEqual([
      200,
      'attachment; filename=notes.csv',
      0,
    ])
  })

  it.each(['', '"', '\n', 'ab', '\t'])('refuses the delimiter %j', async (delimiter) => {
    const failures: unknown[] = []
    await sent(NOTES, { columns: ['id'], delimiter: delimiter as ';' }, { failures })
    expect(failures).toEqual([expect.objectContaining({ code: 'csv_columns' })])
  })

  it.each<[CsvOptions<Note>['columns']]>([[[]], [['id', 'id']], [{ id: 'x', title: 'x' }], [{ id: ' ' }], [
    { id: 5 } as never,
  ], [undefined as never], [5 as never]])(
    'refuses the columns %j',
    async (columns) => {
      const failures: unknown[] = []
      await sent(NOTES, { columns }, { failures })
      expect(failures).toEqual([expect.objectContaining({ code: 'csv_columns' })])
      expect(failures[0]).toBeInstanceOf(MisuseError)
    },
  )

  it('replies in the envelope to an error before the first rows', async () => {
    const failures: unknown[] = []
    const reply = await sent(failingAfter(5), { columns: ['id'], fileName: 'notes.csv' }, { failures })
    expect([reply.status, reply.body.meta]).toEqual([500, { reason: 'internal' }])
    expect(reply.headers.has('content-disposition')).toBe(false)
    expect(failures).toEqual([new Error('Row 5 cannot be read')])
  })

  it('closes the connection in the middle of the body if a later row fails, and passes the error on', async () => {
    const failures: unknown[] = []
    let arrive = (): void => undefined
    const arrived = new Promise<void>((resolve) => (arrive = resolve))
    const { url } = await app(failingAfter(500, arrived), { columns: ['id'] }, failures)
    const seen = await raw(url, 'GET / HTTP/1.1\r\nHost: specs\r\n\r\n', (text) => {
      if (text.includes('\r\n398\r\n')) arrive()
      return false
    })
    expect(seen).toContain('Transfer-Encoding: chunked')
    expect(seen.endsWith('\r\n0\r\n\r\n')).toBe(false)
    expect(failures).toEqual([new Error('Row 500 cannot be read')])
  })

  it('stops reading rows while the client does not read, and once it disconnects', async () => {
    const failures: unknown[] = []
    const { rows, asked, over } = endless()
    const { url, server } = await app(rows, { columns: ['id', 'title'] }, failures)
    const answered = new Promise<Response>((resolve) => server.once('request', (_req, res: Response) => resolve(res)))
    const response = await responseTo(url)
    const res = await answered
    await full(res, asked)
    const before = asked()
    response.destroy()
    await over
    expect(asked()).toBe(before)
    expect(failures).toEqual([])
  })

  it('reads no rows if the client disconnects before the first one', async () => {
    const failures: unknown[] = []
    let arrive = (): void => undefined
    let over = false
    let began = (): void => undefined
    const begun = new Promise<void>((resolve) => (began = resolve))
    const rows = async function*(): AsyncGenerator<Note> {
      try {
        began()
        await new Promise<void>((resolve) => (arrive = resolve))
        for (let id = 0;; id++) yield { id, title: null }
      } finally {
        over = true
      }
    }
    const { url, server } = await app(rows(), { columns: ['id'] }, failures)
    const gone = new Promise((resolve) => server.once('request', (_req, res: Response) => res.once('close', resolve)))
    const asking = request(url).on('error', () => undefined).end()
    await begun
    asking.destroy()
    await gone
    arrive()
    await expect.poll(() => over).toBe(true)
    expect(failures).toEqual([])
  })
})

/** Returns endless rows, the number of rows read, and a promise of their end. */
function endless() {
  let asked = 0
  let end = (): void => undefined
  const over = new Promise<void>((resolve) => (end = resolve))
  const rows = async function*(): AsyncGenerator<Note> {
    try {
      for (;;) yield { id: ++asked, title: 'x'.repeat(1000) }
    } finally {
      end()
    }
  }
  return { rows: rows(), asked: () => asked, over }
}

async function* failingAfter(count: number, arrived?: Promise<void>): AsyncGenerator<Note> {
  for (let id = 0; id < count; id++) yield { id, title: null }
  await arrived
  throw new Error(`Row ${count} cannot be read`)
}

/** Waits until a response accepts no more data, since all buffers are full. */
async function full(res: Response, asked: () => number): Promise<void> {
  let seen: number
  do {
    seen = asked()
    await new Promise((resolve) => setImmediate(resolve))
  } while (asked() !== seen || res.socket?.writableNeedDrain !== true)
}

function app<Row extends object>(
  rows: Iterable<Row> | AsyncIterable<Row>,
  options: CsvOptions<Row>,
  failures: unknown[] = [],
) {
  const served = express()
  served.get('/', (_req, res) => sendCsv(res, rows, options))
  served.use(errorHandler({ log: (error) => failures.push(error) }))
  return serving(served)
}

interface Asking {
  readonly method?: string
  readonly failures?: unknown[]
  readonly keepMark?: boolean
}

async function sent<Row extends object>(
  rows: Iterable<Row> | AsyncIterable<Row>,
  options: CsvOptions<Row>,
  { method = 'GET', failures, keepMark = false }: Asking = {},
): Promise<Reply> {
  const client = await app(rows, options, failures)
  const reply = await client.send(method, '/')
  return keepMark ? { ...reply, text: Buffer.from(await (await fetch(client.url)).arrayBuffer()).toString() } : reply
}

function responseTo(url: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) =>
    request(url, { agent: false }).on('response', resolve).on('error', reject).end()
  )
}
