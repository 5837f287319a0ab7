import { spawn } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { fileOf } from './support/multipart.js'

const root = fileURLToPath(new URL('..', import.meta.url))

interface Answer {
  readonly code: number
  readonly message: string
  readonly data: unknown
  readonly meta: unknown
}

type Ask = (
  method: string,
  path: string,
  options?: { body?: unknown; token?: string; ifMatch?: string },
) => Promise<Answer>

/** The output of a sample until it listened, and a function that sends requests. */
interface Sample {
  readonly output: string
  readonly ask: Ask
}

describe('samples/quick-start.ts', () => {
  it('lists, creates and finds users, and reports invalid input', async () => {
    const { ask } = await boot('quick-start')
    expect(await ask('GET', '/users?limit=2')).toEqual(
      {
        code: 200,
        message: 'ok',
        data: [{ id: 1, name: 'Ann' }, { id: 2, name: 'Ben' }],
        meta: { total: 3, page: 1, limit: 2 },
      },
    )
    expect(await ask('POST', '/users', { body: { name: 'Dan', id: 99 } })).toMatchObject({
      code: 201,
      data: { id: 4, name: 'Dan' },
    })
    expect(await ask('GET', '/users/4')).toMatchObject({ code: 200, data: { id: 4, name: 'Dan' } })
    expect(await ask('POST', '/users', { body: { name: 'D' } })).toEqual(
      { code: 422, message: 'Too short', data: { name: ['Too short'] }, meta: { reason: 'validation' } },
    )
    expect(await ask('GET', '/users/5')).toMatchObject({ code: 404, message: 'No such user' })
    expect(await ask('GET', '/users?limit=-1')).toMatchObject({ code: 422 })
  })
})

describe('samples/typed.ts', () => {
  it('converts strings to numbers, ignores undeclared fields, and refuses invalid input', async () => {
    const { ask } = await boot('typed')
    expect(await ask('GET', '/books?below=15')).toMatchObject({ data: [{ id: 1, title: 'Emma', price: 12.5 }] })
    expect((await ask('GET', '/books/1')).data).toEqual({ id: 1, title: 'Emma', price: 12.5 })
    expect(await ask('POST', '/books', { body: { title: ' Middlemarch ', price: '15.5' } })).toMatchObject(
      { code: 201, data: { id: 3, title: 'Middlemarch', price: 15.5 } },
    )
    expect(await ask('POST', '/books', { body: { title: '', price: -1 } })).toMatchObject(
      { code: 422, data: { title: ['A book has a title'], price: ['Not below zero'] } },
    )
    expect(await ask('GET', '/books/1e0')).toMatchObject({ code: 422, data: { id: ['Must be a whole number'] } })
  })
})

describe('samples/client.ts', () => {
  it('calls its own server with types, and iterates over a list', async () => {
    const { ask, output } = await boot('client')
    expect(output).toContain(
      'created 31: Buy milk, due 1970-01-01T00:00:00.000Z\nrefused: At least 2 characters\nopen: 21\n',
    )
    expect(await ask('GET', '/tasks/31')).toMatchObject({ code: 200, data: { title: 'Buy milk' } })
  })
})

describe('samples/guarded.ts', () => {
  it('lets each role use only its granted permissions', async () => {
    const { ask, output } = await boot('guarded', 2)
    const [editor, reader] = [...output.matchAll(/Bearer ([\w.-]+)'/g)].map(([, token = '']) => ({ token }))
    expect(await ask('DELETE', '/admin/posts/1', editor)).toMatchObject({ code: 200, data: { deleted: '1' } })
    expect(await ask('DELETE', '/admin/posts/1', reader)).toMatchObject({ code: 403, meta: { reason: 'forbidden' } })
    expect(await ask('GET', '/admin/posts', reader)).toMatchObject({ code: 200, data: [{ id: 1, title: 'Hello' }] })
    expect(await ask('GET', '/admin/me', reader)).toMatchObject({ code: 200, data: { id: 1, role: 'reader' } })
    expect(await ask('GET', '/admin/me')).toMatchObject({ code: 401, meta: { reason: 'token_missing' } })
    expect(await ask('GET', '/admin/posts', { token: 'no.such.token' })).toMatchObject({
      code: 401,
      meta: { reason: 'token_invalid' },
    })
    expect(await ask('GET', '/admin/posts/health')).toMatchObject({ code: 200, data: { status: 'up' } })
  })
})

describe('samples/custom-routes.ts', () => {
  it('serves custom actions, a group of routes and a class', async () => {
    const { ask } = await boot('custom-routes')
    expect(await ask('GET', '/orders/count')).toMatchObject({ code: 200, data: 7 })
    expect(await ask('GET', '/orders/9')).toMatchObject({ code: 200, data: { id: '9' } })
    expect(await ask('POST', '/orders/9/cancel')).toMatchObject({
      code: 202,
      message: 'Will be cancelled',
      data: { id: '9' },
    })
    expect(await ask('GET', '/reports/sales?from=2026-11-01&to=2026-11-21')).toMatchObject({
      code: 200,
      data: { days: 20 },
    })
    expect(await ask('POST', '/jobs/start/night')).toMatchObject({ code: 200, message: 'Started', data: 1 })
    expect(await ask('GET', '/jobs')).toMatchObject({ code: 200, data: ['night'] })
    expect((await ask('GET', '/routes')).data).toContain('GET /reports/sales reports.sales')
  })

  it('refuses an invalid period and an unknown method', async () => {
    const { ask } = await boot('custom-routes')
    expect(await ask('GET', '/reports/sales?from=2026-11-21&to=2026-11-01')).toMatchObject(
      { code: 422, data: { _: ['A period begins before it ends'] } },
    )
    expect(await ask('GET', '/jobs/start/night')).toMatchObject({ code: 405, meta: { reason: 'method' } })
    expect(await ask('GET', '/jobs/constructor')).toMatchObject({ code: 404 })
  })
})

describe('samples/upload.ts', () => {
  it('stores an image with title and tags, serves it, and refuses other files', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'sample-upload-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    const { output, ask } = await boot('upload', 1, { UPLOAD_DIR: folder })
    const url = /^listening on ([^\s,]+)/m.exec(output)?.[1] ?? ''
    const post = async (content: Buffer): Promise<Answer> => {
      const form = new FormData()
      for (const [name, text] of [['title', 'Me'], ['tags[]', 'face'], ['tags[]', 'hat']] as const) {
        form.append(name, text)
      }
      form.append('picture', new Blob([new Uint8Array(content)], { type: 'image/png' }), 'me.png')
      return await (await fetch(`${url}/pictures`, { method: 'POST', body: form })).json() as Answer
    }
    const { code, data } = await post(fileOf('png'))
    expect([code, data]).toEqual([201, {
      title: 'Me',
      tags: ['face', 'hat'],
      url: expect.stringMatching(/^\/files\/.+\.png$/) as string,
      size: 1000,
    }])
    expect(Buffer.from(await (await fetch(url + (data as { url: string }).url)).arrayBuffer()).equals(fileOf('png')))
      .toBe(true)
    expect(await post(fileOf('svg'))).toMatchObject({ code: 415, meta: { reason: 'media_type' } })
    expect((await ask('GET', '/pictures')).data).toHaveLength(1)
    expect(await readdir(folder)).toHaveLength(1)
  })
})

describe('samples/openapi.ts', () => {
  it('documents its routes, and serves the page', async () => {
    const { output, ask } = await boot('openapi')
    const url = /^listening on ([^\s,]+)/m.exec(output)?.[1] ?? ''
    const document = await (await fetch(`${url}/openapi.json`)).json() as { paths: Record<string, object> }
    expect(Object.entries(document.paths).map(([path, item]) => [path, Object.keys(item)])).toEqual([['/books', [
      'get',
      'post',
    ]], ['/books/{id}', ['get']]])
    expect(await (await fetch(`${url}/docs`)).text()).toContain('<title>')
    expect(await ask('POST', '/books', { body: { title: 'Ulysses', price: '12', printed: '1922-02-02' } }))
      .toMatchObject({ code: 201, data: { id: 2, price: 12 } })
    expect(await ask('POST', '/books', { body: { title: 'Ulysses', printed: 'then' } })).toMatchObject({
      code: 422,
      data: { printed: [expect.any(String)] },
    })
  })
})

describe('samples/crud.ts', () => {
  it('lists, filters and writes the declared fields only', async () => {
    const { ask } = await boot('crud')
    expect(await ask('GET', '/notes?done=false&priority_lte=2&sort=-title')).toMatchObject({
      code: 200,
      data: [{ id: 3 }, { id: 1 }],
      meta: { total: 2 },
    })
    expect(await ask('POST', '/notes', { body: { title: 'Tea', owner: 'eve', id: 99 } })).toMatchObject(
      { code: 201, data: { id: 4, title: 'Tea', done: false, priority: 3 } },
    )
    expect(await ask('POST', '/notes', { body: { title: 'Tea' } })).toMatchObject({
      code: 409,
      meta: { reason: 'conflict' },
    })
    expect(await ask('PATCH', '/notes/2', { body: { priority: '5' } })).toMatchObject({
      data: { id: 2, title: 'Call Ben', done: true, priority: 5 },
    })
    expect(await ask('DELETE', '/notes?ids=1,99')).toMatchObject({ code: 404 })
    expect(await ask('DELETE', '/notes?ids=1,3')).toMatchObject({ code: 200, meta: { deleted: 2 } })
    expect(await ask('GET', '/notes?sort=owner')).toMatchObject({ code: 422 })
  })
})

describe('samples/concurrency.ts', () => {
  it('lets one of two concurrent changes succeed, and writes many pages or none', async () => {
    const { output, ask } = await boot('concurrency', 3)
    const url = /^listening on ([^\s,]+)/m.exec(output)?.[1] ?? ''
    const ifMatch = String((await fetch(`${url}/pages/1`)).headers.get('etag'))
    expect(await ask('PATCH', '/pages/1', { body: { text: 'Mine' } })).toMatchObject({
      code: 428,
      meta: { reason: 'precondition_missing' },
    })
    expect(await ask('PATCH', '/pages/1', { body: { text: 'Mine' }, ifMatch })).toMatchObject({
      code: 200,
      data: { id: 1, title: 'Welcome', text: 'Mine' },
    })
    expect(await ask('PATCH', '/pages/1', { body: { text: 'Theirs' }, ifMatch })).toMatchObject({
      code: 412,
      meta: { reason: 'stale' },
    })
    expect(await ask('POST', '/pages/bulk', { body: { items: [{ title: 'One' }, { title: '' }] } })).toMatchObject({
      code: 422,
      data: { 'items.1.title': ['A page has a title'] },
    })
    expect(await ask('POST', '/pages/bulk', { body: { items: [{ title: 'One' }, { title: 'Two' }] } })).toMatchObject({
      code: 201,
      data: [{ id: 3 }, { id: 4 }],
      meta: { created: 2 },
    })
    expect(await ask('PUT', '/pages', { body: { ids: [3, 4], data: { text: 'New' } }, ifMatch: '*' })).toMatchObject({
      code: 200,
      meta: { updated: 2 },
    })
  })
})

describe('samples/export-import.ts', () => {
  it('exports its list as a file, imports it, and reports invalid lines', async () => {
    const { output, ask } = await boot('export-import', 2)
    const url = /^listening on ([^\s,]+)/m.exec(output)?.[1] ?? ''
    const file = await (await fetch(`${url}/books/export?sort=-price`, { method: 'POST' })).text()
    expect(file).toBe("No,Title,Price,Printed\r\n1,Emma,12.5,1815-12-23T00:00:00.000Z\r\n2,'=Persuasion,9,\r\n")
    const post = async (content: string): Promise<Answer> => {
      const form = new FormData()
      form.append('file', new Blob([content]), 'books.csv')
      return await (await fetch(`${url}/books/import`, { method: 'POST', body: form })).json() as Answer
    }
    expect(await post(file)).toMatchObject({ code: 422, data: { 'line.2.title': ['Already taken'] } })
    expect(await post('Title;Price\nIvanhoe;7\n;-1\n')).toMatchObject({
      code: 422,
      data: { 'line.3.title': [expect.any(String)], 'line.3.price': ['Not below zero'] },
    })
    expect(await post('Title;Price\nIvanhoe;7\nUlysses;18.5\n')).toMatchObject({
      code: 200,
      data: { rows: 2, created: 2, dryRun: false },
    })
    expect(await ask('GET', '/books')).toMatchObject({ meta: { total: 4 } })
  })
})

describe('samples/idempotency.ts', () => {
  it('makes and refunds a payment once for each key', async () => {
    const { output } = await boot('idempotency')
    const url = /^listening on ([^\s,]+)/m.exec(output)?.[1] ?? ''
    const post = async (
      path: string,
      body: object,
      key?: string,
    ): Promise<readonly [status: number, replayed: string | null, text: string]> => {
      const headers = { 'content-type': 'application/json', ...(key !== undefined && { 'idempotency-key': key }) }
      const reply = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) })
      return [reply.status, reply.headers.get('idempotency-replayed'), await reply.text()]
    }
    const paid = '{"code":201,"message":"Created","data":{"id":1,"cents":500,"state":"paid"},"meta":{}}'
    expect(await post('/payments', { cents: 500 }, 'one')).toEqual([201, null, paid])
    expect(await post('/payments', { cents: 500 }, 'one')).toEqual([201, 'true', paid])
    expect((await post('/payments', { cents: 700 }, 'one'))[0]).toBe(422)
    expect((await post('/payments', { cents: 500 }))[0]).toBe(400)
    expect((await post('/payments/1/refund', {}, 'two')).slice(0, 2)).toEqual([200, null])
    expect((await post('/payments/1/refund', {}, 'two')).slice(0, 2)).toEqual([200, 'true'])
    expect(await (await fetch(`${url}/payments`)).json()).toMatchObject({
      data: [{ id: 1, state: 'refunded' }],
      meta: { total: 1 },
    })
  })
})

describe('samples/soft-delete.ts', () => {
  it('soft-deletes pages, which a keeper lists, restores and purges', async () => {
    const { output } = await boot('soft-delete', 3)
    const url = /^listening on ([^\s,]+)/m.exec(output)?.[1] ?? ''
    const keep = async (method: string, path: string): Promise<Answer> =>
      await (await fetch(url + path, { method, headers: { 'x-role': 'keeper' } })).json() as Answer
    expect(await ask(`${url}/pages/1`, 'DELETE')).toMatchObject({ code: 200, message: 'Deleted' })
    expect(await ask(`${url}/pages`, 'GET')).toMatchObject({ data: [{ id: 2 }], meta: { total: 1 } })
    expect(await ask(`${url}/pages?deleted=only`, 'GET')).toMatchObject({ code: 403 })
    expect(await keep('GET', '/pages?deleted=only')).toMatchObject({
      data: [{ id: 1, title: 'Welcome' }, { id: 3, title: 'Old news' }],
    })
    expect(await keep('PUT', '/pages/1/restore')).toMatchObject({ code: 200, data: { id: 1 } })
    expect(await keep('DELETE', '/pages/3/purge')).toMatchObject({ code: 200, message: 'Deleted for good' })
    expect(await keep('GET', '/pages?deleted=with')).toMatchObject({ meta: { total: 2 } })
  })
})

describe('samples/tree.ts', () => {
  it('nests categories, refuses a circle, and reparents the children of a deleted one', async () => {
    const { ask } = await boot('tree', 3)
    expect(await ask('GET', '/categories?tree=true')).toMatchObject({
      data: [{ id: 1, children: [{ id: 2, children: [{ id: 3, children: [] }] }] }, { id: 4 }],
    })
    expect(await ask('PATCH', '/categories/1', { body: { parentId: 3 } })).toMatchObject({
      code: 409,
      meta: { reason: 'conflict_cycle' },
    })
    expect(await ask('POST', '/categories', { body: { name: 'Jazz', parentId: 9 } })).toMatchObject({
      code: 422,
      data: { parentId: ['This parent does not exist'] },
    })
    expect(await ask('DELETE', '/categories/2')).toMatchObject({ code: 200 })
    expect(await ask('GET', '/categories?tree=true')).toMatchObject({
      data: [{ id: 1, children: [{ id: 3, parentId: 1 }] }, { id: 4 }],
    })
  })
})

describe('samples/help-desk', () => {
  it('prints a sign-in whose token reads tickets', async () => {
    const { ask, output } = await boot('help-desk/main', 2)
    const signIn = JSON.parse(/--json '([^']+)'/.exec(output)?.[1] ?? '') as unknown
    const { token } = (await ask('POST', '/login', { body: signIn })).data as { token: string }
    expect(await ask('GET', '/desk/tickets?include=customer,comments', { token })).toMatchObject({ code: 200,
      data: [] })
    expect(await ask('GET', '/desk/tickets')).toMatchObject({ code: 401 })
  })
})

describe('the samples', () => {
  it('are all tested in this file', () => {
    const samples = readdirSync(`${root}samples`).filter((file) => file.endsWith('.ts'))
    expect(samples.sort()).toEqual([
      'client.ts',
      'concurrency.ts',
      'crud.ts',
      'custom-routes.ts',
      'export-import.ts',
      'guarded.ts',
      'idempotency.ts',
      'openapi.ts',
      'quick-start.ts',
      'soft-delete.ts',
      'tree.ts',
      'typed.ts',
      'upload.ts',
    ])
  })
})

/** Starts a sample like a reader would, on a free port, and waits for its curl lines; it ends with the test. */
describe('samples/bookings', () => {
  it('prints requests that it accepts', async () => {
    const { output, ask } = await boot('bookings/main', /desk '.*include=.*\n/)
    const email = /sign-ins: (\S+) owns north/.exec(output)?.[1]
    const { data } = await ask('POST', '/login', { body: { email, password: 'correct horse battery staple' } })
    const { token } = data as { readonly token: string }
    const bodies = [...output.matchAll(/desk --json '(.*?)'/g)].map(([, body = '']) => JSON.parse(body) as object)
    const replies = []
    for (const body of [...bodies.slice(0, 1), ...bodies])
      replies.push(await ask('POST', '/desk/bookings', { body, token }))
    expect(replies.map(({ code }) => code)).toEqual([201, 409, 422])
    expect(replies[2]?.data).toEqual({ roomId: expect.anything() as unknown })
    expect(await ask('GET', '/desk/bookings?include=room,customer', { token })).toMatchObject({
      data: [{ room: { id: 1 }, customer: { id: 1 } }],
    })
  })
})

async function boot(name: string, until: number | RegExp = 1,
  env: Readonly<Record<string, string>> = {}): Promise<Sample>
{
  const child = spawn(process.execPath, ['--import', 'tsx', `samples/${name}.ts`], {
    cwd: root,
    env: { ...process.env, PORT: '0', ...env },
  })
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  onTestFinished(async () => {
    child.kill()
    await ended
    expect(child.exitCode).toBe(0)
  })
  let output = ''
  await new Promise<void>((resolve, reject) => {
    child.stderr.on('data', (chunk: Buffer) => reject(new Error(chunk.toString())))
    child.once('close', (code) => reject(new Error(`${name} ended with ${String(code)}: ${output}`)))
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString()
      const isThere = until instanceof RegExp ? until.test(output) : output.match(/^ {2}curl .*\n/gm)?.length === until
      if (isThere) resolve()
    })
  })
  const url = /^listening on ([^\s,]+)/m.exec(output)?.[1] ?? ''
  return { output, ask: (method, path, options) => ask(url + path, method, options) }
}

async function ask(url: string, method: string, { body, token, ifMatch }: Parameters<Ask>[2] = {}): Promise<Answer> {
  const response = await fetch(url, {
    method,
    headers: {
      'content-type': 'application/json',
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(ifMatch !== undefined && { 'if-match': ifMatch }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  return await response.json() as Answer
}
