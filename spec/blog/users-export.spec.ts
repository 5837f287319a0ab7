import { request, type IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { STARTING, startBlog, type Blog } from '../support/blog.js'

describe('the export of all users', () => {
  let blog: Blog
  beforeAll(async () => {
    blog = await startBlog()
  }, STARTING)
  afterAll(() => blog.close())

  const exported = async () => blog.send('POST', '/admin/users/export', { token: blog.tokens.admin.admin })

  it('replies a CSV file with every user and no password hash', async () => {
    const reply = await exported()
    expect(reply.status).toBe(200)
    expect(reply.headers.get('content-type')).toBe('text/csv; charset=utf-8; header=present')
    expect(reply.headers.get('content-disposition')).toBe('attachment; filename=users.csv')
    const lines = reply.text.split('\r\n')
    expect(lines[0]).toBe('id,name,email,status,age,role,avatarUrl,createdAt')
    expect(lines[1]).toBe('1,Ada Admin,admin@example.test,1,29,admin,,2026-01-01T01:00:00.000Z')
    expect(lines).toHaveLength(62)
    expect(lines.at(-1)).toBe('')
  })

  it('escapes formulas of spreadsheets', async () => {
    await blog.post('/admin/users', { name: '=cmd|"/C calc"!A1', email: 'formula@example.test' }, {
      token: blog.tokens.admin.admin,
    })
    expect((await exported()).text).toContain(`,"'=cmd|""/C calc""!A1",formula@example.test,`)
  })

  it('contains the rows of several batches once each and in order', async () => {
    const many = Array.from(
      { length: 2500 },
      (_, index) => ({ name: `Many ${index}`, email: `many${index}@example.test`, status: 1, createdAt: new Date(0) }),
    )
    for (let start = 0; start < many.length; start += 500) {
      await blog
        .db
        .insertInto('users')
        .values(many.slice(start, start + 500))
        .execute()
    }
    const lines = (await exported()).text.split('\r\n').slice(1, -1)
    const ids = lines.map((line) => Number(line.slice(0, line.indexOf(','))))
    const stored = await blog.db.selectFrom('users').select('id').orderBy('id').execute()
    expect(ids).toEqual(stored.map(({ id }) => id))
  })

  it('stops reading rows while the client does not read, and once it disconnects', async () => {
    const rows = 60_000
    const wide = Array.from(
      { length: rows },
      (_, index) => ({
        name: 'x'.repeat(50),
        email: `${'w'.repeat(200)}${index}@example.test`,
        status: 1,
        createdAt: new Date(0),
      }),
    )
    for (let start = 0; start < rows; start += 2000) {
      await blog
        .db
        .insertInto('users')
        .values(wide.slice(start, start + 2000))
        .execute()
    }
    const logged = vi.spyOn(console, 'error').mockImplementation(() => undefined)
    const fetched = vi.spyOn(blog.db, 'selectFrom')
    const serverSide = new Promise<Socket>((resolve) => blog.server.once('connection', resolve))
    const response = await responseTo(blog, '/admin/users/export')
    const socket = await serverSide
    await vi.waitFor(() => expect(socket.writableNeedDrain).toBe(true), 20_000)
    response.destroy()
    await new Promise((resolve) => socket.once('close', resolve))
    // The list waits for the connection until the export has stopped reading.
    const left = fetched.mock.calls.length
    await blog.get('/admin/users', { token: blog.tokens.admin.admin })
    expect(fetched.mock.calls.length).toBeLessThanOrEqual(left + 2)
    expect(left).toBeLessThan(rows / 500 / 2)
    expect(logged).not.toHaveBeenCalled()
    vi.restoreAllMocks()
  })

  it('replies 500 in the envelope if the rows cannot be read', async () => {
    const logged = vi.spyOn(console, 'error').mockImplementation(() => undefined)
    vi.spyOn(blog.db, 'selectFrom').mockImplementation(() => {
      throw new Error('relation "users" does not exist')
    })
    const reply = await exported()
    vi.restoreAllMocks()
    expect(reply.status).toBe(500)
    expect(reply.body).toEqual({ code: 500, message: 'Something went wrong', data: null, meta: { reason: 'internal' } })
    expect(reply.headers.has('content-disposition')).toBe(false)
    expect(logged).toBeDefined()
  })
})

function responseTo(blog: Blog, path: string): Promise<IncomingMessage> {
  const headers = { authorization: `Bearer ${blog.tokens.admin.admin}` }
  return new Promise((resolve, reject) =>
    request(blog.url + path, { method: 'POST', agent: false, headers })
      .on('response', resolve)
      .on('error', reject)
      .end()
  )
}
