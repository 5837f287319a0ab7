import { describe, expect, it, onTestFinished } from 'vitest'
import { STARTING, SECRET } from '../support/blog.js'
import { scratchMariadb, scratchPostgres } from '../support/databases.js'
import { clientOf, type Client } from '../support/http.js'
import { startProcess } from '../support/processes.js'

const credentials = { email: 'admin@example.test', password: 'correct horse battery staple' }
const person = (email: string): object => ({ name: 'Somebody New', email, age: 30 })

describe.each([['PostgreSQL', scratchPostgres], ['MariaDB', scratchMariadb]] as const)(
  'two processes of the blog on one %s',
  (_name, makeScratch) => {
    it('share sign-ins, rows, unique values and idempotency keys', async () => {
      const { url, drop } = await makeScratch()
      onTestFinished(drop)
      const started = await Promise.all([1, 2].map(() => startProcess({ DATABASE_URL: url, AUTH_SECRET: SECRET })))
      const [one, two] = started.map((process) => clientOf(process.url, undefined as never)) as [Client, Client]

      // A sign-in at one is valid at both.
      const login = await one.post('/admin/login', credentials)
      const { token } = login.body.data as { token: string }
      expect((await two.get('/admin/me', { token })).status).toBe(200)

      // Each reads, changes and deletes the rows of the other.
      const made = await one.post('/admin/users', person('new@example.test'), { token })
      const { id } = made.body.data as { id: number }
      expect((await two.send('PATCH', `/admin/users/${id}`, { token, body: { name: 'Renamed' } })).status).toBe(200)
      expect((await one.get(`/admin/users/${id}`, { token })).body.data).toMatchObject({ id, name: 'Renamed' })
      expect((await two.send('DELETE', `/admin/users/${id}`, { token })).status).toBe(200)
      expect((await one.get(`/admin/users/${id}`, { token })).status).toBe(404)

      // One of many concurrent requests with the same address succeeds.
      const statuses = await Promise.all(
        Array.from({ length: 40 },
          async (_, at) =>
            (await (at % 2 === 0 ? one : two).post('/admin/users', person('wanted@example.test'), { token })).status),
      )
      expect(statuses.filter((status) => status === 201)).toHaveLength(1)
      expect(statuses.filter((status) => status === 409)).toHaveLength(39)

      // One of many concurrent deletions of a user succeeds.
      const { data } = (await one.get('/admin/users?search=Somebody', { token })).body as unknown as {
        data: readonly { id: number }[]
      }
      const deleted = await Promise.all(
        [one, two, one, two].map(async (client) =>
          (await client.send('DELETE', `/admin/users/${String(data[0]?.id)}`, { token })).status
        ),
      )
      expect(deleted
        .sort())
        .toEqual([200, 404, 404, 404])

      // One of many concurrent creations with one key writes, and each repeat gets the same reply.
      const make = (client: Client) =>
        client.post('/admin/posts', { title: 'Made once' }, { token, headers: { 'idempotency-key': 'one-post' } })
      const made50 = await Promise.all(Array.from({ length: 50 }, (_, at) => make(at % 2 === 0 ? one : two)))
      expect(made50.filter(({ status, headers }) => status === 201 && !headers.has('idempotency-replayed')))
        .toHaveLength(1)
      expect(made50.filter(({ status }) => ![201, 409].includes(status))).toEqual([])
      expect((await make(one)).text).toBe((await make(two)).text)
      expect((await one.get('/admin/posts?search=Made%20once', { token })).body.meta).toMatchObject({ total: 1 })
    }, STARTING)
  },
)
