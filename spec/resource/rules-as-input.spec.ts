import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { z as z3 } from 'zod/v3'
import { openapi } from 'resourcery/openapi'
import { param } from 'resourcery'
import { resource } from 'resourcery'
import type { Declaration } from 'resourcery'
import { mountDeclaration, mountResource } from '../../lib/core/resource/mount-resource.js'
import { mountRoutes } from 'resourcery'
import { Router } from 'express'
import { serving } from '../support/http.js'
import { appWith } from '../support/guarded-app.js'

const rules = {
  title: [['required', 'A note has a title'], ['lengthMin', 3, 'A title has at least 3 characters'], [
    'lengthMax',
    80,
    'A title has at most 80 characters',
  ]],
  email: [['optional'], ['email', 'This is no e-mail address']],
  stars: [['optional'], ['integer', 'Stars are whole'], ['min', 1, 'One star or more'], [
    'max',
    5,
    'Five stars or fewer',
  ]],
  price: [['required', 'A price is needed'], ['min', 0, 'No debts']],
} as const
const paging = {
  page: [['optional'], ['integer', 'A page is a whole number'], ['min', 1, 'Pages count from 1']],
} as const

const echo = (_req: unknown, _res: unknown, args: unknown): unknown => args

const app = () =>
  appWith((root) => {
    mountResource(root, {
      route: '/notes',
      name: 'notes',
      handlers: {
        list: { input: paging, handler: echo },
        create: { input: rules, query: { q: [['required', 'Ask']] }, handler: echo },
        edit: { input: { ...rules, id: [['required', 'An id'], ['integer', 'An id is whole']] }, handler: echo },
        store: { input: { ...rules, id: [['required', 'An id'], ['integer', 'An id is whole']] }, handler: echo },
      },
      custom: {
        rate: {
          methods: ['POST'],
          route: '/:id/rate',
          input: { stars: rules.stars },
          query: z.object({
            now: param
              .bool()
              .optional(),
          }),
          handler: echo,
        },
      },
    })
    mountRoutes(root, {
      route: '/routes',
      name: 'routes',
      routes: { one: { route: '', input: paging, handler: echo } },
    })
    resource(root, '/books').create({ input: rules, handler: echo }).get('find', '/find', {
      input: { title: rules.title },
      handler: echo,
    })
  })

describe('rules as `input` and `query`', () => {
  it('convert arguments like validate', async () => {
    const client = await serving(app())
    expect((await client.get('/notes?page=2')).body.data).toEqual({ page: 2 })
    expect((await client.get('/notes')).body.data).toEqual({ page: null })
    expect((await client.post('/notes?q=x', { title: 'Milk', price: '1.5', role: 'admin' })).body.data).toEqual({
      title: 'Milk',
      email: null,
      stars: null,
      price: 1.5,
      q: 'x',
    })
    expect((await client.post('/notes/7/rate', { stars: 3 })).body.data).toEqual({ id: '7', stars: 3 })
    expect((await client.get('/routes?page=3')).body.data).toEqual({ page: 3 })
    expect((await client.post('/books', { title: 'Emma', price: 1 })).status).toBe(201)
    expect((await client.get('/books/find?title=Emma')).body.data).toEqual({ title: 'Emma' })
  })

  it('refuse with their own messages', async () => {
    const client = await serving(app())
    const refused = await client.post('/notes', { title: 'x', email: 'x', stars: 9 })
    expect([refused.status, refused.body.data]).toEqual([422, { q: ['Ask'] }])
    expect((await client.post('/notes?q=x', { title: 'x', email: 'x', stars: 9 })).body.data).toEqual({
      title: ['A title has at least 3 characters'],
      email: ['This is no e-mail address'],
      stars: ['Five stars or fewer'],
      price: ['A price is needed'],
    })
    expect((await client.get('/notes?page=0')).body.data).toEqual({ page: ['Pages count from 1'] })
    expect((await client.send('PUT', '/notes/x', { body: { title: 'Milk', price: 1 } })).body.data).toEqual({
      id: ['An id is whole'],
    })
  })

  it('read one value of a list in a query or a form as a list of one', async () => {
    const lists = {
      tags: [['required', 'Tags are needed'], ['array', 'Tags are a list']],
      more: [['optional'], ['array', 'More is a list']],
    } as const
    const client = await serving(appWith((root) => {
      mountResource(root, { route: '/notes', name: 'notes', handlers: {
        list: { input: lists, handler: echo },
        create: { input: lists, handler: echo },
        store: { input: { ...lists, id: ['required', 'An id'] }, handler: echo },
      } })
    }))
    const form = { headers: { 'content-type': 'application/x-www-form-urlencoded' } }
    const read = { tags: ['a'], more: ['b'] }
    expect((await client.get('/notes?tags=a&more=b')).body.data).toEqual(read)
    expect((await client.post('/notes', 'tags=a&more=b', form)).body.data).toEqual(read)
    expect((await client.send('PATCH', '/notes/1', { ...form, body: 'more=b' })).body.data).toEqual({
      id: '1',
      more: ['b'],
    })
    expect((await client.get('/notes?tags=a&tags=b&more=')).body.data).toEqual({ tags: ['a', 'b'], more: null })
    expect((await client.get('/notes?tags=')).body.data).toEqual({ tags: ['Tags are needed'] })
    expect((await client.post('/notes', { tags: 'a' })).body.data).toEqual({ tags: ['Tags are a list'] })
  })

  it('skip missing fields in a partial update', async () => {
    const client = await serving(app())
    expect((await client.send('PATCH', '/notes/1', { body: { stars: 2 } })).body.data).toEqual({ id: 1, stars: 2 })
    expect((await client.send('PATCH', '/notes/1', { body: {} })).body.data).toEqual({ id: 1 })
    expect((await client.send('PATCH', '/notes/1', { body: { email: null } })).body.data).toEqual({
      id: 1,
      email: null,
    })
    expect((await client.send('PATCH', '/notes/1', { body: { title: '' } })).body.data).toEqual({
      title: ['A note has a title'],
    })
  })

  it('are documented with their constraints', () => {
    const { paths, components: { schemas } } = openapi(app(), { title: 'Notes', version: '1' })
    const fields = {
      title: { type: 'string', minLength: 3, maxLength: 80, pattern: expect.stringContaining('u0000') as string },
      email: { type: ['string', 'null'], format: 'email' },
      stars: { type: ['integer', 'null'], minimum: 1, maximum: 5 },
      price: { type: 'number', minimum: 0 },
    }
    expect(paths['/notes']?.post?.requestBody).toMatchObject({
      required: true,
      content: { 'application/json': { schema: { $ref: '#/components/schemas/NoteCreate' } } },
    })
    expect(schemas.NoteCreate).toEqual({ type: 'object', properties: fields, required: ['title', 'price'] })
    expect(paths['/notes']?.post?.parameters).toEqual([{ name: 'q', in: 'query', required: true, schema: {} }])
    expect(paths['/notes']?.get?.parameters).toContainEqual({
      name: 'page',
      in: 'query',
      required: false,
      schema: { type: ['integer', 'null'], minimum: 1 },
    })
    expect(paths['/notes/{id}']?.patch?.requestBody).toMatchObject({
      required: false,
      content: { 'application/json': { schema: { $ref: '#/components/schemas/NoteUpdate' } } },
    })
    expect(schemas.NoteUpdate).toEqual({ type: 'object', properties: fields })
    expect(paths['/notes/{id}']?.put?.parameters).toEqual([{
      name: 'id',
      in: 'path',
      required: true,
      schema: { type: 'integer' },
      example: 1,
    }])
    expect(paths['/routes']?.get?.parameters?.map(({ name }) => name)).toEqual(['page'])
  })

  it.each<[string, unknown, string, string]>([
    [
      'a misspelt rule',
      { title: [['requird', 'x']] },
      'rule_unknown',
      'The `input` of `create` of the resource `notes`: "title" has the rule "requird", which does not exist. The '
      + 'rules are required, optional',
    ],
    ['a rule without a message', { title: [['required']] }, 'rule_message', '`notes`: "title"'],
    ['a rule without its number', { title: [['lengthMax', 'x']] }, 'rule_parameter', '`notes`: "title"'],
    [
      'rules that contradict each other',
      { title: [['required', 'x'], ['optional']] },
      'rule_conflict',
      '`notes`: "title"',
    ],
    ['rules for two types', { title: [['email', 'x'], ['integer', 'y']] }, 'rule_conflict', '`notes`: "title"'],
    [
      'the shape of a z.object',
      { title: z.string() },
      'rules_invalid',
      '`notes`: "title" has a schema of another kind instead of a list of rules',
    ],
    ['a list', [], 'input_invalid', 'must be a `z.object`'],
    ['a schema of zod 3', z3.object({}), 'input_invalid', 'for each field, not a schema of zod 3'],
    ['a schema of a string', z.string(), 'input_invalid', 'for each field, not a schema of another kind'],
    ['a text', 'title', 'input_invalid', 'must be a `z.object`'],
    [
      'a field called __proto__',
      Object.fromEntries([['__proto__', [['required', 'x']]]]),
      'rules_invalid',
      '__proto__',
    ],
  ])('are refused when mounting: %s', (_what, input, code, sentence) => {
    const declaration = {
      route: '/notes',
      name: 'notes',
      handlers: { create: { input, handler: echo } },
    } as unknown as Declaration
    expect(() => mountDeclaration(Router(), declaration)).toThrow(
      expect.objectContaining({ code, message: expect.stringContaining(sentence) as string }),
    )
    expect(() => resource(Router(), '/notes').create({ input, handler: echo } as never)).toThrow(
      expect.objectContaining({ code }),
    )
  })
})
