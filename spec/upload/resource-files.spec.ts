import express, { type Express } from 'express'
import { describe, expect, it, vi } from 'vitest'
import { auth, errorHandler, issueToken, mountResource, notFound, param, permission, RequestParam, routesOf,
  type FileFields } from 'resourcery'
import { z } from 'zod'
import { raw, serving } from '../support/http.js'
import { fileOf, FORM_TYPE, formOf, formRequest, type FormPart } from '../support/multipart.js'
import { AVATAR, uploading } from './uploading.js'

const SECRET = 'a secret of the specs with enough bytes in it'
const PNG: FormPart = { name: 'avatar', filename: 'a.png', content: fileOf('png') }

const reached = vi.fn()

function usersApp(): Express {
  const app = express()
  mountResource(app, {
    app: 'admin',
    route: '/users',
    name: 'users',
    guards: [auth('admin', { secret: SECRET }), permission('admin')],
    use: (_req, _res, next) => {
      reached()
      next()
    },
    custom: {
      avatar: {
        methods: ['POST'],
        route: '/:id/avatar',
        files: AVATAR,
        body: { limit: 50 },
        input: z.object({ id: param.int(), tags: param.list(z.string()).default([]), size: param.int().optional() }),
        handler: (req, res, { id, tags, size }) => ({ id, tags, size, file: RequestParam.file(req, 'avatar') }),
      },
    },
  })
  return app.use(notFound(), errorHandler({ log: () => undefined }))
}

const signedIn = async (permissions: string[]) => ({
  authorization: `Bearer ${await issueToken('admin', { id: 1, permissions }, { secret: SECRET })}`,
})

describe('the files of an action', () => {
  it('are read after the guards and `use`, with the other fields validated by `input`', async () => {
    const { post } = await uploading(usersApp(), '/users/7/avatar', await signedIn(['admin.users.avatar']))
    const reply = await post({ name: 'tags[]', content: 'a' }, { name: 'size', content: '42' }, {
      name: 'id',
      content: '9',
    }, PNG)
    expect(reply).toMatchObject({
      status: 200,
      body: { data: { id: 7, tags: ['a'], size: 42, file: { type: 'image/png' } } },
    })
  })

  it('come with fields up to the limit, and without prototypes', async () => {
    const { post } = await uploading(usersApp(), '/users/7/avatar', await signedIn(['*']))
    expect((await post({ name: 'x', content: 'x'.repeat(60) }, PNG)).status).toBe(413)
    expect(await post({ name: 'size', content: '4e1' }, PNG)).toMatchObject({
      status: 422,
      body: { data: { size: [expect.any(String)] } },
    })
    expect((await post({ name: '__proto__', content: 'x' }, PNG)).status).toBe(200)
    expect((await post({ name: '__proto__[a]', content: 'x' }, PNG)).status).toBe(400)
  })

  it('are refused in the order 401, 403, 415, 422 for files, 422 for fields', async () => {
    const { url } = await serving(usersApp())
    const status = async (headers: Record<string, string>, ...parts: FormPart[]): Promise<number> =>
      (await fetch(`${url}/users/7/avatar`, {
        method: 'POST',
        headers: { 'content-type': FORM_TYPE, ...headers },
        body: new Uint8Array(formOf(...parts)),
      }))
        .status
    expect(await status({}, { name: 'a[x]', content: '' })).toBe(401)
    expect(await status(await signedIn([]), { name: 'a[x]', content: '' })).toBe(403)
    const allowed = await signedIn(['*'])
    expect(await status({ ...allowed, 'content-type': 'text/plain' })).toBe(415)
    expect(await status(allowed, { name: 'size', content: 'x' })).toBe(422)
    expect(await status(allowed, { name: 'size', content: 'x' }, PNG)).toBe(422)
  })

  it('are not read for a refused caller, nor does `use` run', async () => {
    reached.mockClear()
    const { url } = await serving(usersApp())
    const head = formRequest('/users/7/avatar', formOf(PNG)).subarray(0, 150)
    expect(await raw(url, head, (seen) => seen.endsWith('}}'))).toMatch(/^HTTP\/1\.1 401 /)
    expect(reached).not.toHaveBeenCalled()
  })

  it('are listed with the route as declared', () => {
    expect(routesOf(usersApp())).toMatchObject([{ name: 'admin.users.avatar', files: AVATAR, readsBody: true }])
  })

  it.each([
    ['a GET', { methods: ['GET'] as const, files: AVATAR }, 'files_unread'],
    [
      'an action with `body: false`',
      { methods: ['POST'] as const, files: AVATAR, body: false as const },
      'files_unread',
    ],
    ['no types', { methods: ['POST'] as const, files: { a: { types: [] } } }, 'upload_invalid'],
    ['invalid rules', { methods: ['POST'] as const, files: { a: { types: ['png'] } } }, 'upload_invalid'],
  ])('are refused when mounting with %s', (_what, action, code) => {
    const files: FileFields = action.files
    const mount = (): unknown =>
      mountResource(express(), {
        route: '/a',
        name: 'a',
        custom: { b: { route: '/b', handler: () => null, ...action, files } },
      })
    expect(mount).toThrow(expect.objectContaining({ code }))
  })
})
