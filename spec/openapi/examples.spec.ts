import { Router } from 'express'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { crud } from 'resourcery/crud'
import { openapi, type OpenApiDocument } from 'resourcery/openapi'
import type { Operation } from '../../lib/tools/openapi/types.js'
import { param } from 'resourcery'
import { mountResource } from 'resourcery'
import { memoryStore } from 'resourcery/crud'
import { STARTING, startBlog, type Blog } from '../support/blog.js'

const nothing = (): never => null as never

function documentOf(mount: (router: Router) => void): OpenApiDocument {
  const router = Router()
  mount(router)
  return openapi(router, { title: 'Test', version: '1' })
}

function exampleOfBody(operation: Operation | undefined): unknown {
  return operation?.requestBody?.content['application/json']?.example
}

/** Returns the example of a body that a schema describes. */
function example(input: z.ZodType<object>): unknown {
  return exampleOfBody(
    documentOf((router) =>
      mountResource(router, { route: '/things', name: 'things', handlers: { create: { input, handler: nothing } } })
    )
      .paths['/things']
      ?.post,
  )
}

const parameterOf = (operation: Operation | undefined, name: string) =>
  operation?.parameters?.find((one) => one.name === name)

describe('the example of a body', () => {
  it.each([
    [z.string()],
    [z.string().min(3).max(5)],
    [z.string().max(2)],
    [z.string().regex(/^\d+$/)],
    [z.email()],
    [z.uuid()],
    [z.url()],
    [z.ipv4()],
    [z.ipv6()],
    [z.iso.date()],
    [z.iso.datetime()],
    [z.iso.time()],
    [param.date()],
    [param.calendarDate()],
    [z.int()],
    [z.int().min(18).max(20)],
    [z.int().max(-5)],
    [z.number().positive().lt(1)],
    [z.number().multipleOf(0.25).min(3.1)],
    [z.int().multipleOf(7).min(30)],
    [z.int().gt(5)],
    [z.boolean()],
    [z.literal('x')],
    [z.enum(['b', 'a'])],
    [z.array(z.string())],
    [z.array(z.int()).min(2).max(3)],
    [z.object({ a: z.object({ b: z.email() }) })],
    [z.union([z.int(), z.string()])],
    [z.null()],
    [z.string().default('d')],
    [z.int().nullable()],
    [z.discriminatedUnion('k', [z.object({ k: z.literal('a'), n: z.int() }), z.object({ k: z.literal('b') })])],
    [z.string().trim().min(1)],
    [param.list(z.int())],
    [param.bool()],
    [z.base64()],
    [z.cidrv4()],
    [z.array(z.email()).length(2)],
  ])('fulfils its schema (%#)', (schema) => {
    const made = example(z.object({ field: schema }))
    expect(made).toBeDefined()
    expect(z.object({ field: schema }).safeParse(made)).toMatchObject({ success: true })
  })

  it.each([
    [z.string().regex(/^A-\d{7}-Z$/)],
    [z.string().refine((text) => text === 'secret')],
    [z.array(z.int()).min(6)],
    [z.map(z.string(), z.int())],
    [z.int().multipleOf(2).min(3).max(3)],
    [z.intersection(z.object({ a: z.int() }), z.record(z.string(), z.int()))],
    [z.stringFormat('odd', () => false)],
  ])('is omitted if none can be generated (%#)', (schema) => {
    expect(example(z.object({ field: schema }))).toBeUndefined()
  })

  it('omits optional nullable fields, and fields without a possible example', () => {
    expect(
      example(z
        .object({
          name: z.string(),
          parentId: z
            .int()
            .nullable()
            .optional(),
          code: z
            .string()
            .regex(/^Q{9}$/)
            .optional(),
          size: z.int().optional(),
        })),
    )
      .toEqual({ name: 'Name 1', size: 1 })
  })

  it('is taken from the schemas or from the action if given', () => {
    expect(
      example(z
        .object({
          name: z
            .string()
            .meta({ examples: ['Ann', 'Bob'] }),
          age: z
            .int()
            .refine((age) => age > 17)
            .meta({ example: 18 }),
        })),
    )
      .toEqual({ name: 'Ann', age: 18 })
    expect(example(z.object({ name: z.string() }).meta({ id: 'Thing', examples: [{ name: 'Whole' }] }))).toEqual({
      name: 'Whole',
    })
    const { paths } = documentOf((router) =>
      mountResource(router, {
        route: '/a',
        name: 'a',
        examples: { id: 7, name: 'All', kind: 'x' },
        handlers: {
          create: { input: z.object({ name: z.string(), kind: z.string().refine(() => true) }), handler: nothing },
          edit: {
            input: z.object({ id: param.int(), name: z.string() }),
            examples: { name: 'Own' },
            requestHeaders: { 'X-Trace': { description: 'Who', example: 'me' } },
            handler: nothing,
          },
        },
      })
    )
    expect(exampleOfBody(paths['/a']?.post)).toEqual({ name: 'All', kind: 'x' })
    expect(exampleOfBody(paths['/a/{id}']?.put)).toEqual({ name: 'Own' })
    expect(parameterOf(paths['/a/{id}']?.put, 'id')?.example).toBe(7)
    const wrong = (): unknown =>
      documentOf((router) =>
        mountResource(router, { route: '/a', name: 'a', examples: [] as never, handlers: { show: nothing } })
      )
    expect(wrong).toThrow(expect.objectContaining({ code: 'examples_invalid' }))
  })

  it('differs between the actions of a resource, since values may have to be unique', () => {
    const input = z.object({ email: z.email() })
    const { paths } = documentOf((router) =>
      mountResource(router, {
        route: '/a',
        name: 'a',
        handlers: {
          create: { input, handler: nothing },
          edit: { input, handler: nothing },
          store: { input, handler: nothing },
        },
      })
    )
    const emails = [paths['/a']?.post, paths['/a/{id}']?.put, paths['/a/{id}']?.patch].map((operation) =>
      (exampleOfBody(operation) as { email: string }).email
    )
    expect(new Set(emails).size).toBe(3)
  })
})

describe('the examples of parameters', () => {
  it('are of required ones only, such as `If-Match: *`, since a page sends those of optional ones', () => {
    const Item = z.object({ id: z.int(), title: z.string() })
    const { paths } = documentOf((router) =>
      mountResource(router, {
        route: '/items',
        name: 'items',
        ...crud(memoryStore<z.infer<typeof Item>>({ key: 'id', rows: [] }), {
          input: Item.pick({ title: true }),
          output: Item,
          sort: ['title'],
          ifMatch: 'required',
        }),
      })
    )
    const { get, delete: deleteMany } = paths['/items'] ?? {}
    const one = paths['/items/{id}']
    expect(['ids', 'sort', 'cursor', 'page', 'limit'].map((name) => parameterOf(get, name)?.example)).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
      undefined,
    ])
    expect([parameterOf(one?.get, 'id')?.example, parameterOf(one?.delete, 'id')?.example]).toEqual([1, 2])
    // A page would send an example: one click would delete records.
    expect([parameterOf(deleteMany, 'ids')?.example, exampleOfBody(deleteMany)]).toEqual([undefined, undefined])
    expect(
      [one?.put, one?.patch, one?.delete, deleteMany].map((operation) => parameterOf(operation, 'If-Match')?.example),
    )
      .toEqual(['*', '*', '*', '*'])
  })
})

describe('the example of an optional parameter', () => {
  it('is told in its description and is in no place from which a page sends it', () => {
    const { paths } = documentOf((router) =>
      mountResource(router, {
        route: '/a',
        name: 'a',
        examples: { color: 'red' },
        handlers: {
          list: {
            input: z.object({
              color: z.string().optional().describe('The color'),
              tag: z.string().optional().meta({ examples: ['new'] }),
              size: z.int().meta({ example: 3 }),
            }),
            requestHeaders: { 'X-Trace': { description: 'Who', example: 'me' } },
            handler: nothing,
          },
        },
      })
    )
    const { get } = paths['/a'] ?? {}
    expect(parameterOf(get, 'color')).toMatchObject({ description: 'The color, for example `red`' })
    expect(parameterOf(get, 'tag')).toMatchObject({ description: 'For example `new`' })
    expect(parameterOf(get, 'X-Trace')).toMatchObject({ description: 'Who, for example `me`' })
    expect(parameterOf(get, 'size')?.example).toBe(3)
    const optional = get?.parameters?.filter(({ required }) => !required)
    expect(optional?.length).toBeGreaterThan(2)
    expect(JSON.stringify(optional)).not.toMatch(/"examples?"/)
  })
})

describe('the examples of errors', () => {
  it('have the code of their status, and fit their schema', () => {
    const app = documentOf((router) =>
      mountResource(router, {
        app: 'a',
        route: '/a',
        name: 'a',
        handlers: {
          create: { input: z.object({ name: z.string() }), statuses: [412, 428], handler: nothing },
          show: nothing,
        },
      })
    )
    const { responses, schemas } = app.components
    const codes = Object.entries(app.paths['/a']?.post?.responses ?? {}).flatMap(([status, response]) => {
      const name = '$ref' in response ? response.$ref.split('/').at(-1) ?? '' : ''
      const media = responses[name]?.content?.['application/json']
      if (media === undefined || status === 'default') return []
      const schema = media.schema.$ref === undefined ? media.schema : schemas[media.schema.$ref.split('/').at(-1) ?? '']
      const { code, meta } = media.example as { code: number; meta: { reason: string } }
      const takes = (example: unknown): boolean => z.fromJSONSchema(schema as never).safeParse(example).success
      // Any error of a handler may have a reason of its own.
      expect([status, takes({ ...media.example as object, meta: { reason: 'db.down' } })]).toEqual([status, true])
      expect([status, takes({ ...media.example as object, meta: { reason: 'no word' } })]).toEqual([status, false])
      return [[status, code, takes(media.example), meta.reason]]
    })
    expect(codes).toEqual([
      ['400', 400, true, 'unreadable'],
      ['401', 401, true, 'token_missing'],
      ['403', 403, true, 'forbidden'],
      ['405', 405, true, 'method'],
      ['409', 409, true, 'conflict'],
      ['412', 412, true, 'stale'],
      ['413', 413, true, 'too_large'],
      ['415', 415, true, 'media_type'],
      ['422', 422, true, 'validation'],
      ['428', 428, true, 'precondition_missing'],
      ['429', 429, true, 'too_many_requests'],
      ['500', 500, true, 'internal'],
      ['503', 503, true, 'unavailable'],
    ])
  })
})

describe('the examples of the blog', () => {
  let blog: Blog
  beforeAll(async () => {
    blog = await startBlog()
  }, STARTING)
  afterAll(() => blog.close())

  it('let each request succeed in order', async () => {
    const { paths } = JSON.parse((await blog.get('/openapi.json')).text) as OpenApiDocument
    const failed: unknown[] = []
    for (const [path, item] of Object.entries(paths)) {
      for (const [method, operation] of Object.entries(item)) {
        if (/^(?:purge|restore|avatar|deletePosts|deleteUsers)/.test(operation.operationId)) continue
        const { status, text } = await send(path, method, operation)
        if (status < 200 || status > 299) failed.push([operation.operationId, status, text])
      }
    }
    expect(failed).toEqual([])
  })

  async function send(path: string, method: string, operation: Operation): Promise<{ status: number; text: string }> {
    const parameters = (operation.parameters ?? []).filter((parameter) =>
      parameter.required || parameter.example !== undefined
    )
    const url = new URL(
      path.replace(/\{(\w+)\}/g, (_, name: string) => String(parameterOf(operation, name)?.example)),
      blog.url,
    )
    for (const one of parameters) if (one.in === 'query') url.searchParams.set(one.name, String(one.example))
    const headers = new Headers({
      authorization: `Bearer ${path.startsWith('/shop') ? blog.tokens.shop.admin : blog.tokens.admin.admin}`,
    })
    for (const one of parameters) if (one.in === 'header') headers.set(one.name, String(one.example))
    const body = exampleOfBody(operation)
    if (body !== undefined) headers.set('content-type', 'application/json')
    const response = await fetch(url, {
      method: method.toUpperCase(),
      headers,
      body: body === undefined ? null : JSON.stringify(body),
    })
    return { status: response.status, text: await response.text() }
  }
})
