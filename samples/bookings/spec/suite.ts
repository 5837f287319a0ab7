import { randomBytes } from 'node:crypto'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { closed, standing, type Client, type Reply } from '../../../spec/support/http.js'
import { passwordsHashed } from '../../../spec/support/password-work.js'
import { bookings } from '../app.js'
import { openDatabase, prepare, type Database } from '../database.js'

const password = 'correct horse battery staple'

type Ask = (method: string, path: string, body?: unknown, headers?: Record<string, string>) => Promise<Reply>

/** The tests of the bookings, on the database at an address that `open` returns, `undefined` for the embedded one. */
export function bookingsSuite(open: () => Promise<{ url: string | undefined; close: () => Promise<void> }>): void {
  let db: Database
  let client: Client
  let folder: string
  let close: () => Promise<void>
  let nora: Ask
  let ned: Ask
  let sue: Ask
  let own: { room: number; customer: number; booking: number; invoice: number; attachment: number }

  const tokenOf = async (email: string): Promise<string> =>
    ((await client.post('/login', { email, password })).body.data as { token: string }).token

  const as = async (email: string): Promise<Ask> => {
    const token = await tokenOf(email)
    return (method, path, body, headers = {}) =>
      client.send(method, `/desk${path}`, { token, headers, ...(body !== undefined && { body }) })
  }

  const made = async (ask: Ask, path: string, body: unknown): Promise<number> => {
    const reply = await ask('POST', path, body)
    expect(reply.status, reply.text).toBe(201)
    return (reply.body.data as { id: number }).id
  }

  const attach = async (email: string, invoice: number): Promise<{ status: number; id: number }> => {
    const body = new FormData()
    body.append('file', new Blob(['Paid by hand']), 'note.txt')
    const headers = { authorization: `Bearer ${await tokenOf(email)}` }
    const reply = await fetch(`${client.url}/desk/invoices/${invoice}/attachments`, { method: 'POST', body, headers })
    return { status: reply.status, id: ((await reply.json()) as { data?: { id: number } }).data?.id ?? 0 }
  }

  const period = (day: number): object => ({
    startsAt: `2027-03-${String(day).padStart(2, '0')}T10:00:00Z`,
    endsAt: `2027-03-${String(day).padStart(2, '0')}T12:00:00Z`,
  })

  const actions = async (ask: Ask): Promise<string[]> =>
    ((await ask('GET', '/audit?limit=100')).body.data as { action: string }[]).map(({ action }) => action)

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'bookings-'))
    const opened = await open()
    close = opened.close
    db = await openDatabase(opened.url)
    await prepare(db, password)
    await prepare(db, 'a second start changes nothing')
    client = await standing(bookings(db, { secret: randomBytes(32), folder }))
    ;[nora, ned, sue] = [await as('nora@example.test'), await as('ned@example.test'), await as('sue@example.test')]
    const room = await made(nora, '/rooms', { name: 'Cellar', seats: 12, price: '40.00' })
    const customer = await made(nora, '/customers', { name: 'Cid', email: 'Cid@Example.test' })
    const booking = await made(nora, '/bookings', { roomId: room, customerId: customer, title: 'Choir', ...period(1) })
    const lines = [{ text: 'Cellar', bookingId: booking, quantity: 3, price: '40.10' }]
    const invoice = await made(nora, '/invoices', { customerId: customer, number: 'N-1', issuedOn: '2027-03-02',
      lines })
    own = { room, customer, booking, invoice, attachment: (await attach('nora@example.test', invoice)).id }
  })
  afterAll(async () => {
    await closed(client.server)
    await db.destroy()
    await close()
    await rm(folder, { recursive: true })
  })

  it('hashes a password for an unknown address too, so that the time of a reply tells nothing', async () => {
    const refused = async (email: string): Promise<number> =>
      passwordsHashed(async () => {
        expect((await client.post('/login', { email, password: 'wrong' })).status).toBe(401)
      })
    expect([await refused('nora@example.test'), await refused('unknown@example.test')]).toEqual([1, 1])
  })

  it('keeps and compares addresses in lower case', async () => {
    const user = { name: 'Uma', email: 'Uma@Example.test', roleId: 1, password }
    const { body: { data } } = await nora('POST', '/users', user)
    expect(data).toMatchObject({ email: 'uma@example.test' })
    const { id } = data as { id: number }
    expect((await nora('POST', '/users', { ...user, email: 'uMa@example.test' })).status).toBe(409)
    expect((await client.post('/login', { email: 'UMA@example.test', password })).status).toBe(200)
    expect((await nora('PATCH', `/users/${id}`, { email: 'Una@Example.test' })).body.data)
      .toMatchObject({ email: 'una@example.test' })
    expect((await nora('GET', `/customers/${own.customer}`)).body.data).toMatchObject({ email: 'cid@example.test' })
    expect((await nora('POST', '/customers', { name: 'Cid', email: 'CID@example.test' })).status).toBe(409)
    expect((await nora('DELETE', `/users/${id}`)).status).toBe(200)
  })

  describe('another tenant', () => {
    it('finds no record, by any path', async () => {
      const { room, customer, booking, invoice, attachment } = own
      for (const path of [
        `/rooms/${room}`,
        `/customers/${customer}`,
        `/bookings/${booking}`,
        `/invoices/${invoice}`,
        `/invoices/${invoice}/attachments`,
        `/invoices/${invoice}/attachments/${attachment}`,
        `/invoices/${invoice}/attachments/${attachment}/file`,
        '/users/1',
        '/roles/1',
      ]) {
        expect((await nora('GET', path)).status, path).toBe(200)
        expect((await sue('GET', path)).status, path).toBe(404)
        if (/\/\d+$/.test(path)) expect((await sue('DELETE', path)).status, path).toBe(404)
      }
      expect((await sue('PATCH', `/rooms/${room}`, { name: 'Mine' })).status).toBe(404)
      expect((await attach('sue@example.test', invoice)).status).toBe(404)
      expect((await sue('GET', '/audit')).body.data).toEqual([])
    })

    it('cannot be referred to, by a new record, a change, a line or many rows', async () => {
      const { room, customer, booking } = own
      const attic = { roomId: 3, customerId: 2, title: 'Own' }
      const id = await made(sue, '/bookings', { ...attic, ...period(2) })
      const invoice = { customerId: 2, number: 'S-1', issuedOn: '2027-03-02' }
      const line = { text: 'x', price: '1.00' }
      const refused = async (path: string, method: string, body: object, field: string): Promise<void> => {
        const reply = await sue(method, path, body)
        expect([reply.status, Object.keys(reply.body.data)], `${method} ${path}`).toEqual([422, [field]])
      }
      await refused('/bookings', 'POST', { ...attic, ...period(3), roomId: room }, 'roomId')
      await refused('/bookings', 'POST', { ...attic, ...period(3), customerId: customer }, 'customerId')
      await refused(`/bookings/${id}`, 'PUT', { ...attic, ...period(3), roomId: room }, 'roomId')
      await refused(`/bookings/${id}`, 'PATCH', { customerId: customer }, 'customerId')
      await refused('/users', 'POST', { name: 'Eve', email: 'eve@example.test', roleId: 1,
        password: 'a long password' }, 'roleId')
      await refused('/users/3', 'PATCH', { roleId: 1 }, 'roleId')
      await refused('/invoices', 'POST', { ...invoice, customerId: customer, lines: [line] }, 'customerId')
      await refused('/invoices', 'POST', { ...invoice, lines: [line, { ...line, bookingId: booking }] },
        'lines.1.bookingId')
      const kept = await made(sue, '/invoices', { ...invoice, lines: [line] })
      await refused(`/invoices/${kept}`, 'PATCH', { lines: [{ ...line, bookingId: booking }] }, 'lines.0.bookingId')
      const { body } = await nora('GET', `/invoices/${own.invoice}`)
      const [{ id: foreign }] = (body.data as { lines: [{ id: number }] }).lines
      await refused(`/invoices/${kept}`, 'PATCH', { lines: [{ ...line, id: foreign }] }, 'lines.0.id')
    })

    it('may use the same names and numbers', async () => {
      await made(sue, '/rooms', { name: 'Cellar', seats: 3, price: '1.00' })
      expect((await sue('POST', '/rooms', { name: 'Cellar', seats: 3, price: '1.00' })).body).toMatchObject({
        code: 409,
        data: { name: ['Already taken'] },
      })
    })
  })

  describe('bookings of one room', () => {
    it('never overlap, also when many arrive at once', async () => {
      const booking = { roomId: own.room, customerId: own.customer, title: 'Race', ...period(5) }
      const replies = await Promise.all(Array.from({ length: 12 }, () => nora('POST', '/bookings', booking)))
      expect(replies.map(({ status }) => status).sort()).toEqual([201, ...Array.from({ length: 11 }, () => 409)])
      expect(replies.find(({ status }) => status === 409)?.body).toMatchObject({
        message: 'The room is taken at this time',
        data: { startsAt: ['The room is taken at this time'] },
      })
      expect((await actions(nora)).filter((action) => action === 'bookings.create')).toHaveLength(2)
    })

    it('may follow one another, and are not moved onto another one', async () => {
      const { room: roomId, customer: customerId } = own
      const next = { startsAt: '2027-03-05T12:00:00Z', endsAt: '2027-03-05T13:00:00Z' }
      const id = await made(nora, '/bookings', { roomId, customerId, title: 'Next', ...next })
      expect((await nora('PATCH', `/bookings/${id}`, { startsAt: '2027-03-05T11:59:00Z' })).status).toBe(409)
      expect((await nora('PATCH', `/bookings/${id}`, { endsAt: next.startsAt })).body).toMatchObject({
        code: 422,
        data: { endsAt: ['Must be after the start'] },
      })
      const { headers } = await nora('GET', `/bookings/${id}`)
      const ifMatch = { 'if-match': headers.get('etag') ?? '' }
      expect((await nora('PATCH', `/bookings/${id}`, { title: 'Later' }, ifMatch)).status).toBe(200)
      expect((await nora('PATCH', `/bookings/${id}`, { title: 'Stale' }, ifMatch)).status).toBe(412)
    })

    it('are listed and exported with their room and customer', async () => {
      const { body } = await nora('GET', '/bookings?include=room,customer&limit=1')
      expect(body.data).toMatchObject([{ title: 'Choir', room: { name: 'Cellar' }, customer: { name: 'Cid' } }])
      const { text } = await nora('GET', `/bookings/export?ids=${own.booking}`)
      expect(text).toBe(`No,Room,Customer,From,To\r\n${own.booking},Cellar,Cid,2027-03-01T10:00:00.000Z,`
        + '2027-03-01T12:00:00.000Z\r\n')
    })
  })

  describe('invoices', () => {
    it('are written with their lines, and have an exact total', async () => {
      const { body } = await nora('GET', `/invoices/${own.invoice}`)
      expect(body.data).toMatchObject({ number: 'N-1', issuedOn: '2027-03-02', total: '120.30',
        lines: [{ quantity: 3 }] })
      const [line] = (body.data as { lines: [{ id: number }] }).lines
      const lines = [{ id: line.id, quantity: 1 }, { text: 'Coffee', price: '0.20', quantity: 3 }]
      const changed = await nora('PATCH', `/invoices/${own.invoice}`, { lines })
      expect(changed.body.data).toMatchObject({ total: '40.70',
        lines: [{ id: line.id, price: '40.10' }, { text: 'Coffee' }] })
      expect((await nora('PATCH', `/invoices/${own.invoice}`, { lines: [] })).status).toBe(422)
      const bad = [{ text: 'Half', price: '0.005' }]
      expect(Object.keys((await nora('PATCH', `/invoices/${own.invoice}`, { lines: bad })).body.data)).toEqual([
        'lines.0.price',
      ])
      expect((await nora('GET', `/invoices/${own.invoice}`)).body.data).toMatchObject({ total: '40.70' })
    })

    it('keep their attachments, which only the row guards', async () => {
      const path = `/invoices/${own.invoice}/attachments/${own.attachment}`
      const file = await nora('GET', `${path}/file`)
      expect([file.status, file.text]).toEqual([200, 'Paid by hand'])
      expect((await ned('GET', `${path}/file`)).status).toBe(403)
      expect((await client.get(`/desk${path}/file`)).status).toBe(401)
      expect((await nora('GET', path)).body.data).not.toHaveProperty('path')
      expect((await nora('DELETE', `/invoices/${own.invoice}`)).body.message).toBe('The invoice has attachments')
      expect((await nora('DELETE', path)).status).toBe(200)
      expect(await readdir(folder)).toEqual([])
      expect((await nora('GET', `${path}/file`)).status).toBe(404)
    })
  })

  describe('roles and users', () => {
    it('are edited by those who have the permissions, and a change holds at once', async () => {
      expect((await ned('GET', '/rooms')).status).toBe(200)
      expect((await ned('GET', '/users')).status).toBe(403)
      const permissions = ['desk.users.*', 'desk.roles.*']
      expect((await nora('PATCH', '/roles/2', { permissions })).body.data).toMatchObject({ permissions })
      expect((await ned('GET', '/rooms')).status).toBe(403)
      expect((await ned('GET', '/users')).status).toBe(200)
      expect((await ned('PATCH', '/users/2', { roleId: 1 })).body).toMatchObject({ code: 403 })
      expect((await ned('PATCH', '/roles/2', { permissions: ['desk.*'] })).status).toBe(403)
      expect((await ned('PATCH', '/roles/1', { name: 'boss' })).status).toBe(403)
      // Whoever sets the password of an owner is an owner.
      expect((await ned('GET', '/users/1')).status).toBe(200)
      expect((await ned('PATCH', '/users/1', { password: 'battery staple' })).status).toBe(403)
      expect((await ned('DELETE', '/users/1')).status).toBe(403)
      expect((await ned('PATCH', '/users/2', { name: 'Ned' })).status).toBe(200)
      expect((await nora('PATCH', '/roles/2', { permissions: ['desk.tables.list'] })).body).toMatchObject({
        code: 422,
        data: { permissions: ['No permission is called desk.tables.list'] },
      })
    })

    it('lose access with the next request once a user is not active', async () => {
      const user = { name: 'Zoe', email: 'zoe@example.test', roleId: 1, password }
      const id = await made(nora, '/users', user)
      const zoe = await as(user.email)
      expect((await zoe('GET', '/rooms')).status).toBe(200)
      expect((await nora('PATCH', `/users/${id}`, { active: false })).status).toBe(200)
      expect((await zoe('GET', '/rooms')).body).toMatchObject({ code: 401, meta: { reason: 'token_revoked' } })
      expect((await client.post('/login', { email: user.email, password })).status).toBe(401)
    })
  })

  describe('the audit', () => {
    it('has each change once, and none that was refused', async () => {
      const before = (await actions(nora)).length
      expect((await nora('DELETE', `/rooms/${own.room}`)).body.message).toBe('The room has bookings')
      expect((await nora('POST', '/rooms', { name: 'Nook', seats: 0, price: '1.00' })).body).toMatchObject({
        code: 422,
        data: { seats: ['A room needs a seat'] },
      })
      expect(await actions(nora)).toHaveLength(before)
      expect((await nora('POST', '/audit', {})).status).toBe(405)
    })

    it('has every row of an import, which batch hooks write together', async () => {
      const rows = Array.from({ length: 1200 }, (_, index) => `Guest ${index},GUEST${index}@example.test`)
      const body = new FormData()
      body.append('file', new Blob([['name,email', ...rows].join('\n')], { type: 'text/csv' }), 'guests.csv')
      const headers = { authorization: `Bearer ${await tokenOf('nora@example.test')}` }
      const reply = await fetch(`${client.url}/desk/customers/import`, { method: 'POST', body, headers })
      expect(await reply.json()).toMatchObject({ code: 200, data: { created: 1200 } })
      expect((await nora('GET', '/customers?search=guest7@')).body.data).toMatchObject([{
        email: 'guest7@example.test',
      }])
      const { count } = await db.selectFrom('audit').select((eb) => eb.fn.countAll().as('count'))
        .where('action', 'like', 'customers.%').where('recordId', '>', own.customer).executeTakeFirstOrThrow()
      expect(Number(count)).toBe(1200)
    })
  })

  it('answers in German, field by field', async () => {
    const german = { 'accept-language': 'de' }
    const reply = await nora('POST', '/bookings', { roomId: 3, customerId: own.customer, title: 'x', ...period(9) },
      german)
    expect(reply.body).toMatchObject({ code: 422, data: { roomId: ['Diesen Raum gibt es nicht'] } })
    const taken = await nora('POST', '/bookings', { roomId: own.room, customerId: own.customer, title: 'x',
      ...period(1) }, german)
    expect(taken.body.message).toBe('Der Raum ist zu dieser Zeit belegt')
  })

  it('documents every route', async () => {
    const { paths } = JSON.parse((await client.get('/openapi.json')).text) as { paths: Record<string, object> }
    expect(Object.keys(paths)).toEqual(expect.arrayContaining([
      '/login',
      '/desk/bookings/export',
      '/desk/customers/import',
      '/desk/invoices/{invoiceId}/attachments/{id}/file',
    ]))
  })
}
