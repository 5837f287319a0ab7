import { Router } from 'express'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { crud } from 'resourcery/crud'
import { openapi } from 'resourcery/openapi'
import type { OpenApiDocument, Operation } from '../../lib/tools/openapi/types.js'
import { param } from 'resourcery'
import { mountResource } from 'resourcery'
import { memoryStore } from 'resourcery/crud'
import { STARTING, startBlog, type Blog } from '../support/blog.js'

const echo = (): null => null
const documentOf = (mount: (router: Router) => void): OpenApiDocument => {
  const router = Router()
  mount(router)
  return openapi(router, { title: 'Test', version: '1' })
}
const parameter = (operation: Operation | undefined, name: string) =>
  operation?.parameters?.find((one) => one.name === name)

describe('the schemas of a document', () => {
  const Item = z.object({ id: z.uuid(), title: z.string() })

  it('show ids as a comma-separated list of keys, in lists and bulk deletes', () => {
    const { paths } = documentOf((router) =>
      mountResource(router, {
        route: '/items',
        name: 'items',
        ...crud(memoryStore<z.infer<typeof Item>>({ key: 'id', rows: [] }), {
          id: z.uuid(),
          input: Item.pick({ title: true }),
          output: Item,
          search: ['title'],
          sort: ['title'],
          paramNames: { ids: 'keys' },
        }),
      })
    )
    const key = { type: 'string', format: 'uuid' }
    expect(parameter(paths['/items']?.get, 'keys')).toMatchObject({
      style: 'form',
      explode: false,
      required: false,
      schema: { type: 'array', items: key, minItems: 1, maxItems: 100 },
    })
    expect(parameter(paths['/items']?.delete, 'ids')).toMatchObject({
      style: 'form',
      explode: false,
      required: true,
      schema: { type: 'array', items: key, minItems: 1, maxItems: 100 },
    })
    expect(paths['/items']?.delete?.requestBody).toBeUndefined()
    expect(parameter(paths['/items']?.get, 'search')).toMatchObject({
      allowEmptyValue: true,
      schema: { maxLength: 200 },
    })
    expect(parameter(paths['/items']?.get, 'sort')?.schema).toMatchObject({
      pattern: expect.stringMatching(/-\?\(\?:title\|id\)\(\?:,-\?\(\?:title\|id\)\)\*\$$/) as string,
    })
    expect(JSON.stringify(paths)).not.toContain('x-joined-by-commas')
  })

  it('show the headers of a list that has the total and links in headers', () => {
    const replyWith = (headers: boolean) => {
      const made = crud(memoryStore<z.infer<typeof Item>>({ key: 'id' }), { id: z.uuid(),
        input: Item.omit({ id: true }), output: Item, headers })
      const { paths } = documentOf((router) => mountResource(router, { route: '/items', name: 'items', ...made }))
      return paths['/items']?.get?.responses['200']
    }
    expect(replyWith(true)).toMatchObject({ headers: { 'X-Total-Count': {}, Link: {} } })
    expect(replyWith(false)).not.toHaveProperty('headers')
  })

  it('show ids of a custom bulk delete with the type of the path argument, or as strings', () => {
    const { paths } = documentOf((router) => {
      mountResource(router, {
        route: '/rules',
        name: 'rules',
        handlers: { show: { input: { id: [['required', 'x'], ['integer', 'y']] }, handler: echo }, deleteMany: echo },
      })
      mountResource(router, { route: '/plain', name: 'plain', handlers: { show: echo, deleteMany: echo } })
    })
    expect(parameter(paths['/rules']?.delete, 'ids')?.schema).toMatchObject({ items: { type: 'integer' } })
    expect(parameter(paths['/plain']?.delete, 'ids')?.schema).toMatchObject({ items: { type: 'string' } })
  })

  it('show the limits of a list that reads its page without a schema', () => {
    const { paths } = documentOf((router) =>
      mountResource(router, { route: '/plain', name: 'plain', handlers: { list: () => [] } })
    )
    expect(parameter(paths['/plain']?.get, 'page')?.schema).toMatchObject({ type: 'integer', minimum: 1, default: 1 })
    expect(parameter(paths['/plain']?.get, 'limit')?.schema).toEqual({
      type: 'integer',
      minimum: 1,
      maximum: 100,
      default: 20,
    })
  })

  it('show each argument of a nested path with its own schema', () => {
    const { paths } = documentOf((router) => {
      const inner = Router({ mergeParams: true })
      mountResource(inner, {
        route: '/comments',
        name: 'comments',
        handlers: {
          show: { input: z.object({ ticketId: z.uuid(), id: param.int().min(1) }), handler: echo },
          create: { input: z.object({ text: z.string() }), query: z.object({ ticketId: z.uuid() }), handler: echo },
          edit: { input: { ticketId: [['required', 'x'], ['integer', 'y']], id: [['required', 'x']] }, handler: echo },
          store: {
            input: z.union([
              z.object({ ticketId: z.uuid(), a: z.string() }),
              z.object({ ticketId: z.uuid(), b: z.string() }),
            ]),
            handler: echo,
          },
        },
      })
      router.use('/tickets/:ticketId', inner)
    })
    const one = paths['/tickets/{ticketId}/comments/{id}']
    expect(parameter(one?.get, 'ticketId')?.schema).toMatchObject({ format: 'uuid' })
    expect(parameter(one?.get, 'id')?.schema).toEqual({ type: 'integer', minimum: 1 })
    expect(parameter(paths['/tickets/{ticketId}/comments']?.post, 'ticketId')).toMatchObject({
      in: 'path',
      schema: { format: 'uuid' },
    })
    expect(parameter(one?.put, 'ticketId')?.schema).toEqual({ type: 'integer' })
    expect(parameter(one?.patch, 'ticketId')?.schema).toMatchObject({ format: 'uuid' })
  })

  it('show a calendar date as date and an instant as date-time', () => {
    const { components: { schemas } } = documentOf((router) =>
      mountResource(router, {
        route: '/days',
        name: 'days',
        handlers: {
          create: {
            input: z.object({ day: param.calendarDate(), at: param.date() }),
            output: z.object({ day: param.calendarDate().nullable(), at: param.date() }),
            handler: () => ({ day: '2026-12-01', at: new Date(0) }),
          },
        },
      })
    )
    expect(schemas.DayCreate).toMatchObject({
      properties: { day: { type: 'string', format: 'date' }, at: { type: 'string', format: 'date-time' } },
    })
    expect(schemas.Day).toMatchObject({
      properties: { day: { anyOf: [{ type: 'string', format: 'date' }, { type: 'null' }] } },
    })
  })
})

describe('the document of the blog', () => {
  let blog: Blog
  let document: OpenApiDocument
  beforeAll(async () => {
    blog = await startBlog()
    document = JSON.parse((await blog.get('/openapi.json')).text) as OpenApiDocument
  }, STARTING)
  afterAll(() => blog.close())

  it('shows the fields and limits of a user', () => {
    const { post, get } = document.paths['/admin/users'] ?? {}
    expect(post?.requestBody?.content['application/json']?.schema).toEqual({ $ref: '#/components/schemas/UserCreate' })
    expect(document.components.schemas.UserCreate).toMatchObject({
      required: ['name', 'email'],
      properties: {
        name: { minLength: 2, maxLength: 50 },
        email: { format: 'email', maxLength: 254 },
        status: { type: ['integer', 'null'] },
        age: { minimum: 18, maximum: 100 },
        password: { minLength: 8 },
      },
    })
    expect(parameter(get, 'limit')?.schema).toMatchObject({ minimum: 1, maximum: 100 })
    expect(JSON.stringify(get?.responses['200'])).toContain('"items":{"$ref":"#/components/schemas/User"}')
    expect(document.components.schemas.User?.properties).toHaveProperty('avatarUrl')
    expect(document.components.schemas.User?.properties).not.toHaveProperty('passwordHash')
    expect(parameter(document.paths['/admin/users/{id}']?.get, 'id')?.schema).toEqual({ type: 'integer' })
  })

  it('shows that a login can be refused', () => {
    for (const path of ['/admin/login', '/shop/login']) {
      expect(document.paths[path]?.post?.responses['401']).toEqual({ $ref: '#/components/responses/Unauthorized' })
    }
  })
})
