import { randomBytes } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { helpDesk } from '../samples/help-desk/app.js'
import { openDatabase, type Database } from '../samples/help-desk/database.js'
import { closed, standing, type Client, type Reply } from './support/http.js'
import { passwordsHashed } from './support/password-work.js'

const password = 'correct horse battery staple'
const samples = new URL('../samples/help-desk/', import.meta.url)

describe('the help desk of the samples', () => {
  let db: Database
  let client: Client
  let folder: string
  let statements: string[] = []
  let lead: Ask
  let agent: Ask

  type Ask = (method: string, path: string, body?: unknown, headers?: Record<string, string>) => Promise<Reply>

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'help-desk-'))
    db = await openDatabase(password, (statement) => statements.push(statement))
    client = await standing(helpDesk(db, { secret: randomBytes(32), folder }))
    const as = async (email: string): Promise<Ask> => {
      const { token }: { token: string } = (await client.post('/login', { email, password })).body.data
      return (method, path, body, headers = {}) => {
        statements = []
        return client.send(method, `/desk${path}`, { token, headers, ...(body !== undefined && { body }) })
      }
    }
    ;[lead, agent] = [await as('lea@example.test'), await as('max@example.test')]
    for (const [team, customerId, title, dueOn, tags] of [
      ['hardware', 1, 'Printer is on fire', '2026-12-01', ['hot', 'office']],
      ['hardware', 2, 'Mouse is lost', null, []],
      ['software', 2, 'No login', '2026-11-30', ['hot']],
    ] as const) {
      await lead('POST', '/tickets', { team, customerId, title, dueOn, tags, minutes: 20 })
    }
    for (const text of ['Since noon', 'Have you tried water?']) await agent('POST', '/tickets/1/comments', { text })
    await agent('POST', '/tickets/2/comments', { text: 'Look below the cat' })
  })
  afterAll(async () => {
    await closed(client.server)
    await db.destroy()
    await rm(folder, { recursive: true })
  })

  const ids = async (ask: Ask, query: string): Promise<number[]> => {
    const { body } = await ask('GET', `/tickets${query}`)
    return (body.data as { id: number }[]).map(({ id }) => id)
  }

  it('has fewer than 350 lines', async () => {
    const files = await readdir(samples)
    const texts = await Promise.all(files.map((file) => readFile(new URL(file, samples), 'utf8')))
    const lines = texts.flatMap((text) => text.split('\n').slice(0, -1))
    expect(lines.length).toBeLessThan(350)
    expect(lines.filter((line) => line.length > 120)).toEqual([])
  })

  it('hashes a password for an unknown address too, so that the time of a reply tells nothing', async () => {
    const refused = async (email: string): Promise<number> =>
      passwordsHashed(async () => {
        expect((await client.post('/login', { email, password: 'wrong' })).status).toBe(401)
      })
    expect([await refused('lea@example.test'), await refused('unknown@example.test')]).toEqual([1, 1])
  })

  it('signs agents in, and lets only leads manage agents', async () => {
    expect((await client.post('/login', { email: 'lea@example.test', password: 'wrong' })).body).toMatchObject({
      code: 401,
      message: 'Wrong e-mail or password',
    })
    const zoe = { name: 'Zoe', email: 'zoe@example.test', role: 'agent', password: 'a long password' }
    expect((await agent('POST', '/agents', zoe)).status).toBe(403)
    expect((await lead('POST', '/agents', zoe)).body.data).toEqual({
      id: 3,
      name: 'Zoe',
      email: 'zoe@example.test',
      role: 'agent',
    })
    expect((await lead('PATCH', '/agents/3', { password: 'another password' })).status).toBe(200)
    expect((await client.post('/login', { email: zoe.email, password: zoe.password })).status).toBe(401)
    expect((await client.post('/login', { email: zoe.email, password: 'another password' })).status).toBe(200)
  })

  it('shows agents the tickets of their teams only', async () => {
    expect(await ids(lead, '')).toEqual([3, 1, 2])
    expect(await ids(agent, '')).toEqual([1, 2])
    expect((await agent('GET', '/tickets?limit=1')).body.meta).toEqual({
      total: 2,
      page: 1,
      limit: 1,
      aggregates: { minutes: '40' },
    })
    expect(await ids(agent, '?ids=3,1')).toEqual([1])
    for (const [method, path, body] of [
      ['GET', '/tickets/3'],
      ['PATCH', '/tickets/3', { title: 'Mine' }],
      ['POST', '/tickets/3/close'],
      ['DELETE', '/tickets?ids=1,3'],
      ['GET', '/tickets/3/comments'],
      ['POST', '/tickets/3/comments', { text: 'x' }],
    ] as const) {
      expect((await agent(method, path, body)).status, `${method} ${path}`).toBe(404)
    }
    expect((await agent('PATCH', '/tickets/1', { team: 'software' })).status).toBe(403)
  })

  it('sorts by due date with nulls last, by page and by cursor, and filters by what is due', async () => {
    expect(await ids(lead, '?sort=-dueOn')).toEqual([1, 3, 2])
    const seen: number[] = []
    for (let cursor: string | null = ''; cursor !== null;) {
      const { body }: Reply = await lead('GET', `/tickets?sort=-dueOn&limit=1&cursor=${cursor}`)
      seen.push(...(body.data as { id: number }[]).map(({ id }) => id))
      cursor = (body.meta as { next?: string | null }).next ?? null
    }
    expect(seen).toEqual([1, 3, 2])
    expect(await ids(lead, '?dueOn_isNull=true')).toEqual([2])
    expect(await ids(lead, '?dueOn_lte=2026-11-30')).toEqual([3])
    expect(await ids(lead, '?tag=hot&status_ne=closed&agentId_isNull=true')).toEqual([3, 1])
    expect((await lead('GET', '/tickets?dueOn_gte=2026-02-30')).status).toBe(422)
  })

  it('reads customers and comments of a whole page by one statement each', async () => {
    const one = await agent('GET', '/tickets?include=customer,comments&limit=1')
    const ofOne = statements.length
    const { body } = await agent('GET', '/tickets?include=customer,comments')
    expect(body.data).toMatchObject([
      { id: 1, customer: { id: 1, name: 'Ada' }, comments: [{ text: 'Since noon' }, { agentId: 2 }] },
      { id: 2, customer: { id: 2, name: 'Bob' }, comments: [{ text: 'Look below the cat' }] },
    ])
    expect(one.body.data).toHaveLength(1)
    expect(statements.filter((text) => text.includes('from "customers"'))).toHaveLength(1)
    expect(statements.filter((text) => text.includes('from "comments"'))).toHaveLength(1)
    expect(statements.length).toBeLessThanOrEqual(ofOne)
    expect((await agent('GET', '/tickets/1')).body.data).not.toHaveProperty('comments')
    expect(statements).toHaveLength(1)
  })

  it('assigns and closes a ticket, honours If-Match and counts the version up', async () => {
    const { id }: { id: number } =
      (await lead('POST', '/tickets', { team: 'software', customerId: 1, title: 'Slow' })).body.data
    expect((await lead('POST', `/tickets/${id}/assign`, { agentId: 2 })).body).toMatchObject({
      code: 422,
      data: { agentId: ['Not an agent of this team'] },
    })
    const assigned = await lead('POST', `/tickets/${id}/assign`, { agentId: 1 })
    expect(assigned.body.data).toMatchObject({ agentId: 1, status: 'assigned' })
    const ifMatch = { 'if-match': assigned.headers.get('etag') ?? '' }
    expect((await lead('POST', `/tickets/${id}/close`, undefined, ifMatch)).body.data).toMatchObject({
      status: 'closed',
    })
    expect((await lead('POST', `/tickets/${id}/close`, undefined, ifMatch)).status).toBe(412)
    expect((await lead('POST', `/tickets/${id}/close`)).body).toMatchObject({
      code: 409,
      meta: { reason: 'ticket.closed' },
    })
    expect((await lead('DELETE', `/tickets/${id}`)).status).toBe(200)
    expect((await lead('POST', `/tickets/${id}/assign`, { agentId: 1 })).status).toBe(404)
    const { version } = await db.selectFrom('tickets').select('version').where('id', '=', id).executeTakeFirstOrThrow()
    expect(version).toBe(4)
  })

  it('names the field that refers to an unknown customer', async () => {
    expect((await agent('POST', '/tickets', { team: 'hardware', customerId: 99, title: 'Who?' })).body).toMatchObject({
      code: 409,
      data: { customerId: ['No such customer'] },
    })
  })

  it('refuses a ticket of an unknown category', async () => {
    const ticket = { team: 'hardware', customerId: 1, title: 'What?' }
    expect((await agent('POST', '/tickets', { ...ticket, categoryId: 99 })).body).toMatchObject({
      code: 422,
      data: { categoryId: ['No such category'] },
    })
    expect((await agent('PATCH', '/tickets/2', { categoryId: 99 })).status).toBe(422)
    expect((await agent('PATCH', '/tickets/2', { categoryId: 2 })).body.data).toMatchObject({ categoryId: 2 })
  })

  it('answers in German to a client that prefers it', async () => {
    const german = { 'accept-language': 'de-DE, de;q=0.9, en;q=0.5' }
    const login = await client.post('/login', { email: 'lea@example.test', password: 'wrong' }, { headers: german })
    expect(login.body.message).toBe('E-Mail-Adresse oder Passwort ist falsch')
    const missing = await agent('POST', '/tickets', { team: 'hardware', title: 'Who?' }, german)
    expect(missing.body).toMatchObject({ code: 422, message: 'Pflichtfeld', data: { customerId: ['Pflichtfeld'] } })
    expect(missing.headers.get('content-language')).toBe('de')
    const unknown = { team: 'hardware', customerId: 99, title: 'Who?' }
    expect((await agent('POST', '/tickets', unknown, german)).body).toMatchObject({
      code: 409,
      message: 'Diesen Kunden gibt es nicht',
      data: { customerId: ['Diesen Kunden gibt es nicht'] },
    })
    expect((await lead('DELETE', '/customers/1', undefined, german)).body).toMatchObject({
      code: 409,
      message: 'Der Kunde hat noch Tickets',
    })
    expect((await lead('GET', '/categories', undefined, german)).body.message).toBe('OK')
    expect((await lead('DELETE', '/customers/1')).body.message).toBe('The customer has tickets')
  })

  it('keeps files below a ticket, and deletes them with their attachment', async () => {
    const attach = (ticket: number, content: string): RequestInit => {
      const body = new FormData()
      body.append('file', new Blob([content]), `notes of ${ticket}.txt`)
      return { method: 'POST', body }
    }
    const { token }: { token: string } =
      (await client.post('/login', { email: 'max@example.test', password })).body.data
    const headers = { authorization: `Bearer ${token}` }
    const url = (ticket: number): string => `${client.url}/desk/tickets/${ticket}/attachments`
    const made = await (await fetch(url(1), { ...attach(1, 'It is very hot'), headers })).json() as {
      data: { url: string }
    }
    expect(made.data).toMatchObject({ id: 1, ticketId: 1, name: 'notes of 1.txt', size: 14 })
    const file = client.url + made.data.url
    expect(await (await fetch(file, { headers })).text()).toBe('It is very hot')
    expect((await fetch(file)).status).toBe(401)
    expect((await fetch(url(3), { ...attach(3, 'Not my team'), headers })).status).toBe(404)
    expect((await agent('GET', '/tickets/1/attachments')).body.data).toHaveLength(1)
    expect(await readdir(folder)).toHaveLength(1)
    expect((await agent('DELETE', '/tickets/1/attachments/1')).status).toBe(200)
    expect(await readdir(folder)).toEqual([])
  })

  it('shows the categories as a tree, and documents every route', async () => {
    expect((await agent('GET', '/categories?tree=true')).body.data).toMatchObject([
      { id: 1, children: [{ id: 2, name: 'Printers', children: [] }] },
      { id: 3 },
    ])
    const { paths } = JSON.parse((await client.get('/openapi.json')).text) as { paths: Record<string, object> }
    expect(Object.keys(paths)).toEqual(expect.arrayContaining([
      '/login',
      '/desk/tickets/{id}/assign',
      '/desk/tickets/{id}/close',
      '/desk/tickets/{ticketId}/attachments',
    ]))
  })

  it('keeps and compares addresses in lower case', async () => {
    const una = { name: 'Una', email: 'Una@Example.test', role: 'agent', password: 'a long password' }
    const { body: { data } } = await lead('POST', '/agents', una)
    expect(data).toMatchObject({ email: 'una@example.test' })
    const { id } = data as { id: number }
    expect((await lead('POST', '/agents', { ...una, email: 'uNa@example.test' })).status).toBe(409)
    expect((await client.post('/login', { email: 'UNA@example.test', password: una.password })).status).toBe(200)
    expect((await lead('DELETE', `/agents/${id}`)).status).toBe(200)
    const customer = (await lead('POST', '/customers', { name: 'Una', email: 'Una@Example.test' })).body.data
    expect(customer).toMatchObject({ email: 'una@example.test' })
    expect((await lead('DELETE', `/customers/${(customer as { id: number }).id}`)).status).toBe(200)
  })
})
