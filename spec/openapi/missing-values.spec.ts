import express from 'express'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { mountRoutes } from 'resourcery'
import { openapi } from 'resourcery/openapi'
import { inject } from 'resourcery/testing'

interface Json {
  readonly $ref?: string
  readonly required?: readonly string[]
  readonly items?: unknown
  readonly prefixItems?: unknown
}

/** Returns the documented data of a route with this output, and the data that it sends of a value. */
async function sent(output: z.ZodType, value: unknown): Promise<{ readonly schema: Json; readonly data: unknown }> {
  const app = express()
  mountRoutes(app, { route: '/t', name: 't', routes: {
    get: { methods: ['POST'], route: '', input: z.object({}), output, handler: (() => value) as never },
  } })
  const { paths, components } = openapi(app, { title: 'Test', version: '1' })
  const response = paths['/t']?.post?.responses[200] as { content: Record<string, { schema: object }> } | undefined
  const envelope = response?.content['application/json']?.schema as { properties: { data: Json } }
  const { data } = envelope.properties
  const schema = data.$ref === undefined ? data : components.schemas[data.$ref.replace(/.*\//, '')] as Json
  return { schema, data: (await inject<{ data: unknown }>(app, { method: 'POST', path: '/t', body: {} })).json.data }
}

describe('the schema of a reply', () => {
  it('does not require the keys of an enum whose values may be missing', async () => {
    const keys = z.enum(['a', 'b'])
    const { schema, data } = await sent(z.record(keys, z.int().optional()), { a: 1 })
    expect([data, schema.required]).toEqual([{ a: 1 }, undefined])
    expect((await sent(z.record(keys, z.int()), { a: 1, b: 2 })).schema.required).toEqual(['a', 'b'])
  })

  it.each([
    ['any', z.any()],
    ['unknown', z.unknown()],
    ['a union with any', z.union([z.string(), z.any()])],
    ['nullable unknown', z.unknown().nullable()],
    ['a union with undefined', z.union([z.string(), z.undefined()])],
    ['a read-only unknown', z.unknown().readonly()],
    ['unknown after a pipe', z.unknown().pipe(z.unknown())],
  ])('does not require a field that is left out where it is undefined: %s', async (_kind, s) => {
    const { schema, data } = await sent(z.object({ s, id: z.int() }), { s: undefined, id: 1 })
    expect([data, schema.required]).toEqual([{ id: 1 }, ['id']])
  })

  it('allows null for an item of a list that may be undefined', async () => {
    const { schema, data } = await sent(z.array(z.int().optional()), [1, undefined])
    expect([data, schema.items]).toEqual([[1, null], { anyOf: [{ type: 'integer' }, { type: 'null' }] }])
    expect((await sent(z.array(z.int()), [1])).schema.items).toEqual({ type: 'integer' })
  })

  it('is not nullable where the whole reply may be undefined, which is no reply of the handler', async () => {
    expect((await sent(z.int().optional(), 1)).schema).toEqual({ type: 'integer' })
  })

  it('allows null for an item of a tuple that may be undefined', async () => {
    const { schema, data } = await sent(z.tuple([z.int().optional(), z.string()]), [undefined, 'a'])
    expect(data).toEqual([null, 'a'])
    expect(schema.prefixItems).toEqual([{ anyOf: [{ type: 'integer' }, { type: 'null' }] }, { type: 'string' }])
  })
})

describe('the schema of a request', () => {
  it('does not require the keys of an enum whose values may be missing', async () => {
    const app = express()
    const input = z.object({ v: z.record(z.enum(['a', 'b']), z.int().optional()) })
    mountRoutes(app, { route: '/t', name: 't', routes: {
      set: { methods: ['POST'], route: '', input, handler: () => null },
    } })
    const v = openapi(app, { title: 'Test', version: '1' }).components.schemas.TSet?.properties?.v
    expect([v?.required, (await inject(app, { method: 'POST', path: '/t', body: { v: { a: 1 } } })).status]).toEqual([
      undefined,
      200,
    ])
  })
})
