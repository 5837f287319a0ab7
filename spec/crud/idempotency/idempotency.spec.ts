import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import express from 'express'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { z } from 'zod'
import { crud, idempotent, memoryStore, type IdempotencyKey } from 'resourcery/crud'
import { BusinessError, ConflictError, UnavailableError, ValidationError } from 'resourcery'
import { openapi } from 'resourcery/openapi'
import { mountResource } from 'resourcery'
import { mountRoutes } from 'resourcery'
import { reply } from 'resourcery'
import { raw } from '../../support/http.js'
import { formOf, FORM_TYPE, fileOf } from '../../support/multipart.js'
import { tokenFor } from '../../support/guarded-app.js'
import { servingRoutes } from '../serving.js'
import { inMemory, NoteIn, NoteOut, servingNotes, type Asking } from './notes.js'

const KEY = '8e03978e-40d5-43e8-bc93-6894a57f9324'

const token = await tokenFor('app')
const mine = { token }
const theirs = { token: await tokenFor('app', ['*'], 8) }

/** Headers that differ between any two replies. */
const ABOUT_THE_CONNECTION = [
  'connection',
  'date',
  'keep-alive',
  'idempotency-replayed',
  'access-control-expose-headers',
]

function headersOf(reply: Awaited<ReturnType<Asking['create']>>): object {
  return Object.fromEntries([...reply.headers].filter(([name]) => !ABOUT_THE_CONNECTION.includes(name)))
}

describe('a repeated request with an Idempotency-Key', () => {
  it('gets the first reply byte for byte, marked as replayed', async () => {
    const { create, titles } = await servingNotes(inMemory())
    const first = await create('Milk & <eggs> \u2028 🥚', KEY, mine)
    const second = await create('Milk & <eggs> \u2028 🥚', KEY, mine)
    expect([first.status, first.headers.get('idempotency-replayed')]).toEqual([201, null])
    expect([second.status, second.headers.get('idempotency-replayed')]).toEqual([201, 'true'])
    expect([second.text, headersOf(second)]).toEqual([first.text, headersOf(first)])
    expect(await titles()).toHaveLength(1)
  })

  it('gets the original reply even if the row has changed', async () => {
    const { create, send } = await servingNotes(inMemory())
    const first = await create('Milk', KEY, mine)
    await send('PATCH', '/app/notes/1', { ...mine, body: { title: 'Tea' } })
    expect((await create('Milk', KEY, mine)).text).toBe(first.text)
    await send('DELETE', '/app/notes/1', mine)
    expect((await create('Milk', KEY, mine)).text).toBe(first.text)
  })

  it('gets the headers of the first reply, and current ones of other middleware', async () => {
    let requests = 0
    const { create } = await servingNotes(inMemory(), {
      after: {
        create: (row, { req }) =>
          void req.res?.set({
            'Location': `/app/notes/${row.id}`,
            'ETag': '"1"',
            'Set-Cookie': 'a=b',
            'X-Request': 'changed',
          }),
      },
    }, (app) =>
      app.use((_req, res, next) => {
        res.set({ 'X-Request': String(++requests), 'X-Other': String(requests) })
        next()
      }))
    const [first, second] = [await create('Milk', KEY, mine), await create('Milk', KEY, mine)]
    for (const { headers } of [first, second]) {
      expect([
        headers.get('location'),
        headers.get('etag'),
        headers.get('x-request'),
      ])
        .toEqual(['/app/notes/1', '"1"', 'changed'])
    }
    expect([first.headers.get('x-other'), second.headers.get('x-other')]).toEqual(['1', '2'])
    expect([first.headers.get('set-cookie'), second.headers.get('set-cookie')]).toEqual(['a=b', null])
  })

  it('gets the original ETag, and exposes its headers to other origins', async () => {
    const { create } = await servingNotes(inMemory(), { ifMatch: 'optional' })
    const [first, second] = [await create('Milk', KEY, mine), await create('Milk', KEY, mine)]
    expect(first.headers.get('etag')).toMatch(/^"[^"]+"$/)
    expect(second.headers.get('etag')).toBe(first.headers.get('etag'))
    expect(second.headers.get('access-control-expose-headers')).toBe('ETag, Idempotency-Replayed')
  })

  it('passes middleware in front of the resource, such as compression', async () => {
    const { client } = await servingNotes(inMemory(), {}, (app) =>
      app.use((_req, res, next) => {
        const end = res.end.bind(res) as (chunk: Buffer) => typeof res
        res.end = ((chunk: unknown) => {
          const packed = gzipSync(chunk as Buffer)
          res.setHeader('Content-Encoding', 'gzip').setHeader('Content-Length', packed.length)
          return end(packed)
        }) as typeof res.end
        next()
      }))
    const ask = () => client.post('/app/notes', { title: 'Milk' }, { ...mine, headers: { 'idempotency-key': KEY } })
    const [first, second] = [await ask(), await ask()]
    expect([first.status, second.text, second.headers.get('content-encoding')]).toEqual([201, first.text, 'gzip'])
  })

  it('is recognised by its content, regardless of blanks and the order of fields', async () => {
    const { client, titles } = await servingNotes(inMemory())
    const post = (body: string) =>
      client.post('/app/notes', body, {
        ...mine,
        headers: { 'idempotency-key': KEY, 'content-type': 'application/json' },
      })
    const first = await post('{"title":"Milk","more":{"a":1,"b":[2,3]}}')
    expect((await post('{ "more": { "b": [2, 3], "a": 1 }, "title": "Milk" }')).text).toBe(first.text)
    expect((await post('{"title":"Milk","more":{"a":1,"b":[3,2]}}')).status).toBe(422)
    expect(await titles()).toEqual(['Milk'])
  })

  it('is recognised with the key quoted as in the draft, and unquoted', async () => {
    const { create, titles } = await servingNotes(inMemory())
    const first = await create('Milk', `"${KEY}"`, mine)
    expect((await create('Milk', KEY, mine)).text).toBe(first.text)
    const escaped = await create('Tea', '"a \\"b\\" \\\\ c"', mine)
    expect((await create('Tea', '"a \\"b\\" \\\\ c"', mine)).text).toBe(escaped.text)
    expect(await titles()).toEqual(['Milk', 'Tea'])
  })

  it('runs no hooks', async () => {
    const seen: string[] = []
    const note = (name: string) => (): void => void seen.push(name)
    const { create } = await servingNotes(inMemory(), {
      before: {
        create: (fields) => {
          seen.push('before')
          return { ...fields, owner: 1 }
        },
      },
      after: { create: note('after') },
      afterCommit: { create: note('committed'), edit: note('never') },
      transform: (row) => {
        seen.push('transform')
        return row
      },
    })
    await create('Milk', KEY, mine)
    await create('Milk', KEY, mine)
    expect(seen).toEqual(['before', 'after', 'transform', 'committed'])
  })

  it('is recognised after the caller has signed in again', async () => {
    const { create } = await servingNotes(inMemory())
    const first = await create('Milk', KEY, mine)
    const again = await create('Milk', KEY, { token: await tokenFor('app', ['*', 'another']) })
    expect([again.text, again.headers.get('idempotency-replayed')]).toEqual([first.text, 'true'])
  })

  it('is refused without the permission or the sign-in', async () => {
    const { create } = await servingNotes(inMemory())
    await create('Milk', KEY, mine)
    expect((await create('Milk', KEY, { token: await tokenFor('app', ['app.notes.list']) })).status).toBe(403)
    expect((await create('Milk', KEY)).status).toBe(401)
  })

  it('is a new request once the key has expired', async () => {
    const { create, titles } = await servingNotes({ ...inMemory(), notes: memoryStore({ key: 'id' }) }, {
      seconds: 100,
    })
    vi.useFakeTimers({ toFake: ['Date'] })
    onTestFinished(() => void vi.useRealTimers())
    await create('Milk', KEY, { token })
    vi.setSystemTime(Date.now() + 99_000)
    expect((await create('Milk', KEY, { token })).headers.get('idempotency-replayed')).toBe('true')
    vi.setSystemTime(Date.now() + 1_000)
    expect((await create('Milk', KEY, { token })).headers.get('idempotency-replayed')).toBeNull()
    expect(await titles()).toEqual(['Milk', 'Milk'])
  })
})

describe('an Idempotency-Key', () => {
  it('belongs to one caller', async () => {
    const { create, titles } = await servingNotes(inMemory())
    const first = await create('Milk', KEY, mine)
    const other = await create('Tea', KEY, theirs)
    expect([other.status, other.body.data]).toMatchObject([201, { id: 2, title: 'Tea', owner: 8 }])
    expect((await create('Milk', KEY, mine)).text).toBe(first.text)
    expect(await titles()).toEqual(['Milk', 'Tea'])
    const text = await create('Coffee', KEY, { token: await tokenFor('app', ['*'], '7') })
    expect(text.status).toBe(201)
  })

  it('belongs to one route', async () => {
    const { create, send } = await servingNotes(inMemory())
    await create('Milk', KEY, mine)
    const copy = await send('POST', '/app/notes/1/copy', { ...mine, body: {}, headers: { 'idempotency-key': KEY } })
    expect([copy.status, copy.body.message]).toEqual([202, 'Copied'])
  })

  it('is refused with 422 for another request, and keeps the first reply', async () => {
    const { create, send, titles } = await servingNotes(inMemory())
    const first = await create('Milk', KEY, mine)
    const other = await create('Tea', KEY, mine)
    expect(other.body).toEqual({
      code: 422,
      message: 'This Idempotency-Key was used for another request',
      data: {},
      meta: { reason: 'idempotency_key_reused' },
    })
    expect(
      (await send('POST', '/app/notes?a=1', { ...mine, body: { title: 'Milk' }, headers: { 'idempotency-key': KEY } }))
        .status,
    )
      .toBe(422)
    expect((await create('Milk', KEY, mine)).text).toBe(first.text)
    const copy = (id: number) =>
      send('POST', `/app/notes/${id}/copy`, { ...mine, body: {}, headers: { 'idempotency-key': 'copy' } })
    await create('Tea', 'another', mine)
    expect([(await copy(1)).status, (await copy(2)).status, (await copy(1)).status]).toEqual([202, 422, 202])
    expect(await titles()).toEqual(['Milk', 'Tea', 'Milk (copy)'])
  })

  it.each([
    ['', 'empty'],
    ['a b', 'a blank without quotes'],
    ['"a', 'an open quote'],
    ['a"', 'a quote at the end'],
    ['a,b', 'a comma'],
    ['a;b=1', 'a parameter'],
    ['"a";b=1', 'a parameter behind it'],
    ['é', 'not ASCII'],
    ['"\\a"', 'a backslash before another letter'],
    ['x'.repeat(256), 'more than 255 characters'],
    [`"${'x'.repeat(256)}"`, 'more than 255 in quotes'],
    ['""', 'nothing in quotes'],
  ])('is refused with 400 as %j: %s', async (key) => {
    const { create, titles } = await servingNotes(inMemory())
    const reply = await create('Milk', key, mine)
    expect([reply.status, reply.body.meta]).toEqual([400, { reason: 'idempotency_key_invalid' }])
    expect(await titles()).toEqual([])
  })

  it('may have 255 characters, and is refused if sent twice', async () => {
    const { create, client } = await servingNotes(inMemory())
    expect((await create('Milk', 'x'.repeat(255), mine)).status).toBe(201)
    const body = '{"title":"Tea"}'
    const bytes = [
      'POST /app/notes HTTP/1.1',
      'Host: specs',
      `Authorization: Bearer ${token}`,
      'Idempotency-Key: a',
      'Idempotency-Key: b',
      'Content-Type: application/json',
      `Content-Length: ${body.length}`,
      'Connection: close',
      '',
      body,
    ]
      .join('\r\n')
    expect(await raw(client.url, bytes)).toMatch(/^HTTP\/1.1 400 [^]*idempotency_key_invalid/)
  })

  it('is optional, or refused with 400 before the body is read if missing and required', async () => {
    const optional = await servingNotes(inMemory())
    expect((await optional.create('Milk', undefined, mine)).status).toBe(201)
    const { create, send } = await servingNotes(inMemory(), { required: true })
    const expected = {
      code: 400,
      message: 'The Idempotency-Key header is required',
      data: null,
      meta: { reason: 'idempotency_key_missing' },
    }
    expect((await create('Milk', undefined, mine)).body).toEqual(expected)
    expect(
      (await send('POST', '/app/notes', { ...mine, body: '{"broken', headers: { 'content-type': 'application/json' } }))
        .body,
    )
      .toEqual(expected)
    expect((await create('Milk')).status).toBe(401)
    expect((await create('Milk', KEY, mine)).status).toBe(201)
  })

  it('is stored as a digest, without keys or callers', async () => {
    const kept = inMemory()
    const { create } = await servingNotes(kept)
    await create('Milk', KEY, mine)
    const id = createHash('sha256').update(JSON.stringify(['app', 'app.notes.create', 7, KEY])).digest('hex')
    expect(await kept.keys.list({ where: [], order: ['id'] }).slice(0, 10)).toEqual([{
      id,
      fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
      claim: expect.stringMatching(/^.{36}$/) as string,
      expiresAt: expect.any(Number) as number,
      reply: expect.stringContaining('Milk') as string,
    }])
  })

  it('is required by the handler, even if its middleware was replaced', async () => {
    const { notes, keysIn } = inMemory()
    const { handlers } = crud(notes, {
      input: NoteIn,
      output: NoteOut,
      idempotency: { keys: keysIn, required: true, identity: () => 'all' },
    })
    const { post } = await servingRoutes((app) =>
      mountResource(app, { route: '/notes', name: 'notes', handlers: { create: { ...handlers.create, use: [] } } })
    )
    expect((await post('/notes', { title: 'Milk' })).body.meta).toEqual({ reason: 'idempotency_key_missing' })
  })
})

describe('an anonymous caller with an Idempotency-Key', () => {
  const open = (identity?: () => string | undefined) =>
    servingRoutes((app) => {
      const { notes, keysIn } = inMemory()
      mountResource(app, {
        route: '/notes',
        name: 'notes',
        ...crud(notes, {
          input: NoteIn,
          output: NoteOut,
          before: { create: (note) => ({ ...note, owner: 1 }) },
          idempotency: { keys: keysIn, ...(identity && { identity }) },
        }),
      })
    })

  it('is refused, since the key has no owner', async () => {
    const { post } = await open()
    const reply = await post('/notes', { title: 'Milk' }, { headers: { 'idempotency-key': KEY } })
    expect([reply.status, reply.body.meta]).toEqual([400, { reason: 'idempotency_key_anonymous' }])
    expect((await post('/notes', { title: 'Milk' })).status).toBe(201)
  })

  it('is accepted if `identity` returns an owner', async () => {
    const { post } = await open(() => 'everybody')
    const headers = { 'idempotency-key': KEY }
    const first = await post('/notes', { title: 'Milk' }, { headers })
    expect((await post('/notes', { title: 'Milk' }, { headers })).text).toBe(first.text)
    expect((await (await open(() => '')).post('/notes', { title: 'Milk' }, { headers })).status).toBe(400)
  })
})

describe('a failing request with an Idempotency-Key', () => {
  it('releases the key, so that the request can be repeated', async () => {
    let fails = true
    const kept = inMemory()
    const { create, titles } = await servingNotes(kept, { after: { create: () => {
      if (fails) throw new BusinessError('Not now', 409, { reason: 'not_now' })
    } } })
    expect((await create('Milk', KEY, mine)).body.meta).toEqual({ reason: 'not_now' })
    expect(await kept.keys.list({ where: [], order: ['id'] }).count?.()).toBe(0)
    fails = false
    expect((await create('Tea', KEY, mine)).status).toBe(201)
    expect(await titles()).toEqual(['Tea'])
  })

  it('undoes the row if the reply does not fit its output', async () => {
    const { create, titles, logged } = await servingNotes(inMemory(), {
      transform: (row) => ({ ...row, id: 'one' }) as never,
    })
    expect((await create('Milk', KEY, mine)).status).toBe(500)
    expect(String(logged[0])).toContain('The value that app.notes.create returned does not fit its output')
    expect(await titles()).toEqual([])
  })

  it('does not use the key if it fails before the handler', async () => {
    const kept = inMemory()
    const { create } = await servingNotes(kept)
    expect((await create('', KEY, mine)).status).toBe(422)
    expect((await create('Milk', KEY, mine)).status).toBe(201)
    expect((await create('', KEY, mine)).status).toBe(422)
  })

  it('writes nothing if the store of keys fails', async () => {
    const kept = inMemory()
    const down = {
      ...kept.keys,
      create: () => Promise.reject(new Error('down')),
      list: () => {
        throw new Error('down')
      },
    }
    const { create, titles } = await servingNotes({ ...kept, keysIn: () => down })
    expect((await create('Milk', KEY, mine)).status).toBe(500)
    expect(await titles()).toEqual([])
  })

  it('replies 500 if the column for the reply is too narrow', async () => {
    const kept = inMemory()
    const narrow: typeof kept.keys = {
      ...kept.keys,
      transaction: (work) =>
        work({ ...kept.keys, update: () => Promise.reject(new ValidationError({ reply: ['Is too long'] })) }),
    }
    const { create, titles, logged } = await servingNotes({ ...kept, keysIn: () => narrow })
    expect((await create('Milk', KEY, mine)).status).toBe(500)
    expect(String(logged[0])).toContain('does not fit the column `reply`')
    expect(await titles()).toEqual([])
  })

  it('replies 500 if a column for the key is too narrow', async () => {
    const kept = inMemory()
    const narrow: typeof kept.keys = {
      ...kept.keys,
      create: () => Promise.reject(new ValidationError({ fingerprint: ['Is too long'] })),
    }
    const { create, titles, logged } = await servingNotes({ ...kept, keysIn: () => narrow })
    expect((await create('Milk', KEY, mine)).body).toMatchObject({ code: 500, data: null })
    expect(String(logged[0])).toContain('does not fit the columns')
    expect(await titles()).toEqual([])
  })

  it('replies 503 if the database fails while it stores the reply', async () => {
    const kept = inMemory()
    const down: typeof kept.keys = {
      ...kept.keys,
      transaction: (work) => work({ ...kept.keys, update: () => Promise.reject(new UnavailableError('down')) }),
    }
    const { create } = await servingNotes({ ...kept, keysIn: () => down })
    expect((await create('Milk', KEY, mine)).status).toBe(503)
  })

  it('keeps its error reply if releasing the key fails', async () => {
    const kept = inMemory()
    const stuck = { ...kept.keys, transaction: () => Promise.reject(new Error('down')) }
    const { create } = await servingNotes({ ...kept, keysIn: () => stuck }, { after: { create: () => {
      throw new BusinessError('Not now', 409, { reason: 'not_now' })
    } } })
    expect((await create('Milk', KEY, mine)).body.meta).toEqual({ reason: 'not_now' })
    expect((await create('Milk', KEY, mine)).body.meta).toEqual({ reason: 'idempotency_key_in_use' })
  })

  it('keeps the reply if a hook fails after the commit', async () => {
    const { create, logged, titles } = await servingNotes(inMemory(), {
      afterCommit: { create: () => Promise.reject(new Error('Mail server down')) },
    })
    expect((await create('Milk', KEY, mine)).status).toBe(201)
    expect(logged).toEqual([expect.objectContaining({ message: 'Mail server down' })])
    expect((await create('Milk', KEY, mine)).headers.get('idempotency-replayed')).toBe('true')
    expect(await titles()).toEqual(['Milk'])
  })
})

/** Creates a promise that the test resolves. */
function gate() {
  let open = (): void => {}
  const opened = new Promise<void>((resolve) => (open = resolve))
  return { open: () => open(), opened }
}

describe('while the first request with an Idempotency-Key runs', () => {
  it('replies 409 to a repeat, and 422 to another request with the key', async () => {
    const [begun, finish] = [gate(), gate()]
    const { create, titles } = await servingNotes(inMemory(), { after: { create: async () => {
      begun.open()
      await finish.opened
    } } })
    const first = create('Milk', KEY, mine)
    await begun.opened
    const repeat = await create('Milk', KEY, mine)
    expect(repeat.body).toEqual({
      code: 409,
      message: 'A request with this Idempotency-Key is still running',
      data: null,
      meta: { reason: 'idempotency_key_in_use' },
    })
    expect(repeat.headers.get('retry-after')).toBe('1')
    expect((await create('Tea', KEY, mine)).status).toBe(422)
    finish.open()
    expect((await first).status).toBe(201)
    expect((await create('Milk', KEY, mine)).text).toBe((await first).text)
    expect(await titles()).toEqual(['Milk'])
  })

  it('fails the first request if another one has taken over its claim', async () => {
    const [begun, finish] = [gate(), gate()]
    let calls = 0
    const kept = { ...inMemory(), notes: memoryStore<{ id: number; title: string; owner: number }>({ key: 'id' }) }
    const { create, titles } = await servingNotes(kept, { deadline: 20, before: { create: async (note) => {
      calls++
      if (calls === 1) {
        begun.open()
        await finish.opened
      }
      return { ...note, owner: calls }
    } } })
    const first = create('Milk', KEY, mine)
    await begun.opened
    const [row] = await kept.keys.list({ where: [], order: ['id'] }).slice(0, 1)
    await kept.keys.update(row?.id, { claim: 'of somebody else', expiresAt: Date.now() + 1000 })
    finish.open()
    expect((await first).body.meta).toEqual({ reason: 'idempotency_key_in_use' })
    expect(await titles()).toEqual([])
    expect((await kept.keys.find([row?.id]))[0]?.claim).toBe('of somebody else')
  })

  it('lets a repeat take over a claim that was made before the clock was set back', async () => {
    const kept = inMemory()
    const { create, titles } = await servingNotes(kept, { deadline: 20 })
    await create('Milk', KEY, mine)
    const [row] = await kept.keys.list({ where: [], order: ['id'] }).slice(0, 1)
    await kept.notes.delete([1])
    const claimFor = (seconds: number) =>
      kept.keys.update(row?.id, { reply: null, claim: 'of the dead', expiresAt: Date.now() + seconds * 1000 })
    // The clock of another machine may be ahead by some seconds.
    await claimFor(35)
    expect((await create('Milk', KEY, mine)).status).toBe(409)
    await claimFor(3600)
    expect((await create('Milk', KEY, mine)).status).toBe(201)
    expect(await titles()).toEqual(['Milk'])
  })

  it('lets a repeat take over an expired claim', async () => {
    const kept = inMemory()
    const { create, titles } = await servingNotes(kept)
    await create('Milk', KEY, mine)
    const [row] = await kept.keys.list({ where: [], order: ['id'] }).slice(0, 1)
    await kept.keys.update(row?.id, { reply: null, claim: 'of the dead', expiresAt: Date.now() - 1 })
    await kept.notes.delete([1])
    const repeat = await create('Milk', KEY, mine)
    expect([repeat.status, repeat.headers.get('idempotency-replayed')]).toEqual([201, null])
    expect(await titles()).toEqual(['Milk'])
    expect((await create('Milk', KEY, mine)).text).toBe(repeat.text)
  })

  it('replies 409 to a repeat after several attempts, if the claim keeps changing', async () => {
    const kept = inMemory()
    let asked = 0
    const find = (): Promise<IdempotencyKey[]> => {
      asked++
      return Promise.resolve([])
    }
    const elusive: typeof kept.keys = { ...kept.keys, create: () => Promise.reject(new ConflictError()), find }
    const { create } = await servingNotes({ ...kept, keysIn: () => elusive })
    expect((await create('Milk', KEY, mine)).body.meta).toEqual({ reason: 'idempotency_key_in_use' })
    expect(asked).toBe(5)
  })

  it('writes once for 50 concurrent requests, with the same reply to all', async () => {
    const { create, titles } = await servingNotes(inMemory())
    const replies = await Promise.all(Array.from({ length: 50 }, () => create('Milk', KEY, mine)))
    const done = replies.filter(({ status }) => status === 201)
    expect(new Set(done.map(({ text }) => text)).size).toBe(1)
    expect(done.filter(({ headers }) => !headers.has('idempotency-replayed'))).toHaveLength(1)
    expect(replies.filter(({ status }) => status !== 201).every(({ status }) => status === 409)).toBe(true)
    expect(await titles()).toEqual(['Milk'])
  })

  it('replies 503 after the deadline, and lets a repeat begin again', async () => {
    const stuck = gate()
    let calls = 0
    const kept = inMemory()
    const notes: typeof kept.notes = { ...kept.notes, transaction: (work) =>
      kept.notes.transaction(async (inside) => {
        if (++calls === 1) await stuck.opened
        return work(inside)
      }) }
    const { create, titles } = await servingNotes({ ...kept, notes }, { deadline: 0.2 })
    expect((await create('Milk', KEY, mine)).status).toBe(503)
    stuck.open()
    const repeat = await create('Milk', KEY, mine)
    expect([repeat.status, repeat.headers.get('idempotency-replayed')]).toEqual([201, null])
    expect(await titles()).toEqual(['Milk'])
  })
})

describe('expired keys', () => {
  it('are deleted with every 20th new key, at most 100 at once', async () => {
    const kept = inMemory()
    const old = (index: number): IdempotencyKey => ({
      id: String(index),
      fingerprint: '',
      claim: '',
      expiresAt: index < 250 ? index : Date.now() + 60_000,
      reply: null,
    })
    for (let index = 0; index < 260; index++) await kept.keys.create(old(index))
    const left = async () => await kept.keys.list({ where: [['expiresAt', '<', 1000]], order: ['id'] }).count?.()
    const { create } = await servingNotes(kept)
    const seen: unknown[] = []
    for (let index = 0; index < 41; index++) {
      await create(`Note ${index}`, String(index), mine)
      seen.push(await left())
    }
    expect([...new Set(seen)]).toEqual([150, 50, 0])
    expect(seen.indexOf(50)).toBe(20)
    expect(await kept.keys.list({ where: [], order: ['id'] }).count?.()).toBe(51)
  })
})

describe('an idempotent action of the application', () => {
  it('gets the store in the transaction, and replays its status and headers', async () => {
    const { create, send, titles } = await servingNotes(inMemory())
    await create('Milk', undefined, mine)
    const copy = (headers: Record<string, string>) =>
      send('POST', '/app/notes/1/copy', { ...mine, body: { suffix: '!' }, headers })
    const [first, second] = [await copy({ 'idempotency-key': KEY }), await copy({ 'idempotency-key': KEY })]
    expect([first.status, first.body]).toEqual([202, {
      code: 202,
      message: 'Copied',
      data: { id: 2, title: 'Milk!', owner: 7 },
      meta: {},
    }])
    expect([second.text, headersOf(second)]).toEqual([first.text, headersOf(first)])
    expect(second.headers.get('x-copy-of')).toBe('1')
    const tea = await create('Tea', undefined, mine)
    const { id } = tea.body.data as { id: number }
    expect((await send('POST', `/app/notes/${id}/copy`, { ...mine, body: {} })).body).toMatchObject({
      code: 202,
      data: { title: 'Tea (copy)' },
    })
    expect((await copy({})).status).toBe(409) // without a key it is carried out again, and the title is taken
    expect(await titles()).toEqual(['Milk', 'Milk!', 'Tea', 'Tea (copy)'])
  })

  it('stores the returned reply with any status', async () => {
    const { notes, keysIn } = inMemory()
    let calls = 0
    const { post } = await servingRoutes((app) =>
      mountRoutes(app, {
        route: '/pay',
        routes: {
          pay: {
            methods: ['POST'],
            route: '/',
            ...idempotent({ store: notes, keys: keysIn, identity: () => 'all' }, {
              handler: () => reply('Refused by the bank', { attempt: ++calls }, { cost: 1 }, 402),
            }),
          },
        },
      })
    )
    const headers = { 'idempotency-key': KEY }
    const [first, second] = [await post('/pay', {}, { headers }), await post('/pay', {}, { headers })]
    expect([first.status, second.status, second.text, calls]).toEqual([402, 402, first.text, 1])
  })

  it('replies 500 if the handler replies itself, since the reply cannot be stored', async () => {
    const { notes, keysIn } = inMemory()
    const { post } = await servingRoutes((app) =>
      mountRoutes(app, {
        route: '/pay',
        routes: {
          pay: {
            methods: ['POST'],
            route: '/',
            ...idempotent({ store: notes, keys: keysIn, identity: () => 'all' }, {
              handler: () => undefined,
            }),
          },
        },
      })
    )
    expect((await post('/pay', {}, { headers: { 'idempotency-key': KEY } })).status).toBe(500)
  })

  it.each([[KEY], [undefined]])('keeps nothing if its reply does not fit the output, with the key %s', async (key) => {
    const { notes, keysIn } = inMemory()
    const titles = async () => (await notes.list({ where: [], order: ['id'] }).slice(0, 9)).map(({ title }) => title)
    const { post } = await servingRoutes((app) =>
      mountRoutes(app, {
        route: '/copies',
        routes: {
          add: {
            methods: ['POST'],
            route: '/',
            ...idempotent({ store: notes, keys: keysIn, identity: () => 'all' }, {
              input: z.object({ title: z.string() }),
              output: z.unknown().refine((sent) => !JSON.stringify(sent).includes('Tea')),
              handler: (_req, _res, { title }, store) => store.create({ title }),
            }),
          },
        },
      })
    )
    const headers = key === undefined ? {} : { 'idempotency-key': key }
    expect((await post('/copies', { title: 'Tea' }, { headers })).status).toBe(500)
    expect(await titles()).toEqual([])
    expect((await post('/copies', { title: 'Milk' }, { headers })).body).toMatchObject({
      code: 200,
      data: { title: 'Milk' },
    })
    expect(await titles()).toEqual(['Milk'])
  })

  it('distinguishes forms by their files', async () => {
    const { notes, keysIn } = inMemory()
    const seen: number[] = []
    const { send } = await servingRoutes((app) =>
      mountRoutes(app, {
        route: '/pictures',
        routes: {
          add: {
            methods: ['POST'],
            route: '/',
            files: { picture: {} },
            ...idempotent({ store: notes, keys: keysIn, identity: () => 'all' }, {
              handler: () => seen.push(1),
            }),
          },
        },
      })
    )
    const post = async (size: number) => {
      const form = formOf({ name: 'title', content: 'Me' }, {
        name: 'picture',
        filename: 'me.png',
        type: 'image/png',
        content: fileOf('png', size),
      })
      return send('POST', '/pictures', {
        body: form.toString('latin1'),
        headers: { 'content-type': FORM_TYPE, 'idempotency-key': KEY },
      })
    }
    expect([(await post(500)).status, (await post(500)).status, (await post(501)).status]).toEqual([200, 200, 422])
    expect(seen).toEqual([1])
  })

  it('replies 500 with a key if its group does not read bodies', async () => {
    const { notes, keysIn } = inMemory()
    const { post } = await servingRoutes((app) =>
      mountRoutes(app, {
        route: '/raw',
        body: false,
        routes: {
          raw: {
            methods: ['POST'],
            route: '/',
            ...idempotent({ store: notes, keys: keysIn, identity: () => 'all' }, {
              handler: () => null,
            }),
          },
        },
      })
    )
    expect((await post('/raw', { a: 1 }, { headers: { 'idempotency-key': KEY } })).status).toBe(500)
    expect((await post('/raw', undefined, { headers: { 'idempotency-key': KEY } })).status).toBe(200)
  })

  it('replies 500 with a key outside a resource', async () => {
    const { notes, keysIn } = inMemory()
    const { handler } = idempotent({ store: notes, keys: keysIn, identity: () => 'all' }, { handler: () => null })
    const { post } = await servingRoutes((app) => app.post('/bare', (req, res) => handler(req, res, {})))
    expect((await post('/bare', undefined, { headers: { 'idempotency-key': KEY } })).status).toBe(500)
  })

  it('keeps its middleware and its documentation', () => {
    const { notes, keysIn } = inMemory()
    const use = (): void => undefined
    const made = idempotent({ store: notes, keys: keysIn, required: true, seconds: 60 }, {
      use,
      requestHeaders: { 'X-A': { description: 'A' } },
      responseHeaders: { 'X-B': { description: 'B' } },
      statuses: [402],
      handler: () => null,
    })
    expect(made.use).toHaveLength(2)
    expect(made.use[1]).toBe(use)
    expect(made.requestHeaders).toMatchObject({ 'Idempotency-Key': { required: true }, 'X-A': {} })
    expect(Object.keys(made.responseHeaders)).toEqual(['Idempotency-Replayed', 'X-B'])
    expect(made.statuses).toEqual([400, 409, 422, 402])
  })
})

describe('bulk creation with an Idempotency-Key', () => {
  it('replays the first reply, and runs the hooks after the commit once for each row', async () => {
    const told: string[] = []
    const { send, titles } = await servingNotes(inMemory(), {
      bulk: true,
      afterCommit: { create: ({ title }) => void told.push(title) },
    })
    const add = (...names: string[]) =>
      send('POST', '/app/notes/bulk', {
        ...mine,
        body: { items: names.map((title) => ({ title })) },
        headers: { 'idempotency-key': KEY },
      })
    const first = await add('Milk', 'Tea')
    const second = await add('Milk', 'Tea')
    expect([first.status, first.body.meta, second.text, second.headers.get('idempotency-replayed')]).toEqual([
      201,
      { created: 2 },
      first.text,
      'true',
    ])
    expect((await add('Milk')).status).toBe(422)
    expect([await titles(), told]).toEqual([['Milk', 'Tea'], ['Milk', 'Tea']])
  })

  it('releases the key if one row fails', async () => {
    const { send, titles } = await servingNotes(inMemory(), { bulk: true })
    const add = (...names: string[]) =>
      send('POST', '/app/notes/bulk', {
        ...mine,
        body: { items: names.map((title) => ({ title })) },
        headers: { 'idempotency-key': KEY },
      })
    expect([(await add('Milk', 'Milk')).status, (await add('Milk', 'Tea')).status]).toEqual([409, 201])
    expect(await titles()).toEqual(['Milk', 'Tea'])
  })
})

describe('the document of an idempotent action', () => {
  it('describes the key, the replay header and the statuses', () => {
    const { notes, keysIn } = inMemory()
    const app = express()
    mountResource(app, {
      route: '/notes',
      name: 'notes',
      ...crud(notes, { input: NoteIn, output: NoteOut, idempotency: { keys: keysIn, required: true, seconds: 3600 } }),
    })
    const { post, get } = openapi(app, { title: 'Notes', version: '1' }).paths['/notes'] ?? {}
    expect(post?.parameters).toEqual([{
      name: 'Idempotency-Key',
      in: 'header',
      required: true,
      description: expect.stringContaining('3600 seconds') as string,
      schema: { type: 'string', pattern: expect.stringMatching(/^\^/) as string },
    }])
    expect(post?.responses[201]).toMatchObject({ headers: { 'Idempotency-Replayed': {} } })
    expect(Object.keys(post?.responses ?? {})).toEqual(expect.arrayContaining(['400', '409', '422']))
    expect(JSON.stringify(get)).not.toContain('Idempotency')
  })
})

describe('invalid options of idempotency', () => {
  const { notes, keysIn } = inMemory()
  const options = { input: NoteIn, output: NoteOut }
  it.each<[string, () => unknown]>([
    ['idempotency_seconds', () => crud(notes, { ...options, idempotency: { keys: keysIn, seconds: 0 } })],
    ['idempotency_seconds', () => crud(notes, { ...options, idempotency: { keys: keysIn, seconds: '60' as never } })],
    ['idempotency_keys', () => crud(notes, { ...options, idempotency: { keys: () => memoryStore({ key: 'claim' }) } })],
    ['idempotency_keys', () => crud(notes, { ...options, idempotency: { keys: () => memoryStore({ key: 'id' }) } })],
    [
      'idempotency_body',
      () => idempotent({ store: notes, keys: keysIn }, { body: false, input: z.object({}), handler: () => null }),
    ],
    ['crud_deadline', () => idempotent({ store: notes, keys: keysIn, deadline: 0 }, { handler: () => null })],
    [
      'option_unknown',
      () => idempotent({ store: notes, keys: keysIn, requried: true } as never, { handler: () => null }),
    ],
  ])('throw %s', (code, make) => {
    expect(make).toThrow(expect.objectContaining({ code }) as Error)
  })
})
