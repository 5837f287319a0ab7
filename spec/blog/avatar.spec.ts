import { readdir } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { STARTING, startBlog, type Blog, type Person } from '../support/blog.js'
import type { Body } from '../support/http.js'
import { fileOf, FORM_TYPE, formOf } from '../support/multipart.js'

let blog: Blog
beforeAll(async () => {
  blog = await startBlog()
}, STARTING)
afterAll(() => blog.close())

interface Sent {
  readonly content?: Buffer
  readonly field?: string
  readonly person?: Person | null
}

async function sendAvatar(
  id: number,
  { content = fileOf('png'), field = 'avatar', person = 'admin' }: Sent = {},
): Promise<{ status: number; body: Body }> {
  const response = await fetch(`${blog.url}/admin/users/${id}/avatar`, {
    method: 'POST',
    headers: {
      'content-type': FORM_TYPE,
      ...(person !== null && { authorization: `Bearer ${blog.tokens.admin[person]}` }),
    },
    body: new Uint8Array(formOf({ name: field, filename: 'me.png', content })),
  })
  return { status: response.status, body: await response.json() as Body }
}

async function storedAvatar(id: number, sent?: Sent): Promise<string> {
  return ((await sendAvatar(id, sent)).body.data as { avatar_url: string }).avatar_url
}

describe('POST /admin/users/:id/avatar', () => {
  it('stores an avatar, serves it publicly and adds its URL to the user', async () => {
    const url = await storedAvatar(40)
    expect(url).toMatch(/^\/uploads\/[0-9a-f-]{36}\.png$/)
    const reply = await fetch(blog.url + url)
    expect([reply.status, reply.headers.get('content-type'), reply.headers.get('x-content-type-options')]).toEqual([
      200,
      'image/png',
      'nosniff',
    ])
    expect(Buffer.from(await reply.arrayBuffer()).equals(fileOf('png'))).toBe(true)
    const { body } = await blog.get('/admin/users/40', { token: blog.tokens.admin.admin })
    expect(body.data).toMatchObject({ avatarUrl: url })
  })

  it('deletes the replaced avatar, and keeps one of several concurrent uploads', async () => {
    const before = await readdir(blog.uploads)
    const first = await storedAvatar(41)
    const second = await storedAvatar(41, { content: fileOf('jpeg') })
    expect(second).toMatch(/\.jpg$/)
    expect((await fetch(blog.url + first)).status).toBe(404)
    await Promise.all(Array.from({ length: 5 }, () => storedAvatar(41)))
    await expect.poll(async () => (await readdir(blog.uploads)).length).toBe(before.length + 1)
  })

  it('deletes the avatar together with its user', async () => {
    const url = await storedAvatar(42)
    expect((await blog.send('DELETE', '/admin/users/42', { token: blog.tokens.admin.admin })).status).toBe(200)
    expect((await fetch(blog.url + url)).status).toBe(404)
  })

  it.each<[string, number, number, Sent]>([
    ['an anonymous caller', 401, 43, { person: null }],
    ['a caller without permission', 403, 43, { person: 'editor' }],
    ['a file that is not an image', 415, 43, { content: fileOf('html') }],
    ['a GIF', 415, 43, { content: fileOf('gif') }],
    ['more than 2 MB', 413, 43, { content: fileOf('png', 2_000_001) }],
    ['another field', 422, 43, { field: 'picture' }],
    ['an empty file', 422, 43, { content: Buffer.alloc(0) }],
    ['a user who does not exist', 404, 999, {}],
    ['an invalid id', 422, NaN, {}],
  ])('refuses %s, and stores no file', async (_what, status, id, sent) => {
    const before = await readdir(blog.uploads)
    expect(await sendAvatar(id, sent)).toMatchObject({ status, body: { code: status } })
    expect(await readdir(blog.uploads)).toEqual(before)
  })

  it('accepts exactly 2 MB', async () => {
    expect((await sendAvatar(43, { content: fileOf('png', 2_000_000) })).status).toBe(200)
  })
})
