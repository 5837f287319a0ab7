import express from 'express'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { errorHandler, mountRoutes, notFound, param } from 'resourcery'
import { openapi } from 'resourcery/openapi'
import { inject } from 'resourcery/testing'

interface Sent {
  /** The example of the field `v`. */
  readonly example: unknown
  /** The status of the reply to a request with it, `undefined` where there is no example. */
  readonly status: number | undefined
}

/** Sends the example of a body, of a query and of a path that have the field `v`. */
async function sendExamples(v: z.ZodType): Promise<Readonly<Record<'body' | 'query' | 'path', Sent>>> {
  const app = express()
  const input = z.object({ v })
  const handler = () => null
  mountRoutes(app, { route: '/t', name: 't', routes: {
    body: { methods: ['POST'], route: '/body', input, handler },
    query: { route: '/query', input, handler },
    path: { route: '/path/:v', input, handler },
  } })
  app.use(notFound(), errorHandler({ log: () => undefined }))
  const { paths } = openapi(app, { title: 'Test', version: '1' })
  const body = paths['/t/body']?.post?.requestBody?.content['application/json']?.example as { v: unknown } | undefined
  const [query, path] = [paths['/t/query'], paths['/t/path/{v}']].map((item) => item?.get?.parameters?.[0]?.example)
  const statusOf = async (example: unknown, path: string, method = 'GET'): Promise<Sent> => ({
    example,
    status: example === undefined
      ? undefined
      : (await inject(app, { method, path, ...(method === 'POST' && { body: { v: example } }) })).status,
  })
  const search = [query].flat().map((value) => `v=${encodeURIComponent(String(value))}`).join('&')
  return {
    body: await statusOf(body?.v, '/t/body', 'POST'),
    query: await statusOf(query, `/t/query?${search}`),
    path: await statusOf(path, `/t/path/${encodeURIComponent(String(path))}`),
  }
}

const accepted = expect.objectContaining({ status: 200 }) as unknown

describe('the examples of a document', () => {
  it.each([
    ['a list with a least length', z.array(z.int()).min(2)],
    ['a param list with a least length', param.list(z.string()).min(2)],
    ['instants after one', param.date().min(new Date('2030-01-01'))],
    ['instants before one', param.date().max(new Date('2000-01-01'))],
    ['large integers', param.bigint().min(100n)],
    ['negative integers', param.bigint().max(-5n)],
    ['a trimmed string that is piped into an enum', z.string().trim().pipe(z.enum(['aa', 'bb']))],
    ['a list that is piped', z.array(z.string()).pipe(z.array(z.enum(['a', 'b'])))],
    ['a number that is piped', param.int().pipe(z.number().min(100))],
    ['a string with two patterns', z.string().regex(/^[a-z]+$/).regex(/^.$/)],
    ['a union of which one option fits', z.xor([z.string().min(9), z.string().max(5)])],
  ])('are accepted in a body for %s', async (_kind, schema) => {
    expect((await sendExamples(schema)).body).toEqual(accepted)
  })

  it.each([
    ['a param list with a least length', param.list(z.string()).min(2)],
    ['instants after one', param.date().min(new Date('2030-01-01'))],
    ['large integers', param.bigint().min(100n)],
    ['a number that is piped', param.int().pipe(z.number().min(100))],
  ])('are accepted in a query for %s', async (_kind, schema) => {
    expect((await sendExamples(schema)).query).toEqual(accepted)
  })

  it.each([
    ['URLs of one host', z.url({ hostname: /^intern\.test$/ })],
    ['tokens', z.jwt()],
    ['the flag m', z.string().regex(/^a$/m).min(2)],
    ['sets of v', z.string().regex(new RegExp('^[\\p{L}--[a-z]]{4}$', 'v'))],
    ['a union of which both options fit', z.xor([z.string().min(1), z.string().max(99)])],
    ['numbers of an enum', z.enum({ A: 1, B: 2 })],
    ['numbers', z.int()],
    ['a tuple', z.tuple([z.string()])],
  ])('are omitted where they would be refused for %s', async (_kind, schema) => {
    for (const { status } of Object.values(await sendExamples(schema))) expect([undefined, 200]).toContain(status)
  })

  it('has no field whose example would be refused, if it is optional', () => {
    const app = express()
    const input = z.object({ id: z.int(), name: z.string(), link: z.url({ hostname: /^intern\.test$/ }).optional() })
    mountRoutes(app, { route: '/t/:id', name: 't', routes: {
      save: { methods: ['POST'], route: '', input, handler: () => null },
    } })
    const operation = openapi(app, { title: 'Test', version: '1' }).paths['/t/{id}']?.post
    expect(operation?.requestBody?.content['application/json']?.example).toEqual({ name: 'Name 4' })
  })

  it('keep what the application has given, whatever its schema', () => {
    const app = express()
    const input = z.object({ link: z.url({ hostname: /^intern\.test$/ }).meta({ example: 'https://own.test' }),
      size: z.int().max(3) })
    mountRoutes(app, { route: '/t', name: 't', routes: {
      save: { methods: ['POST'], route: '', input, examples: { size: 9 }, handler: () => null },
    } })
    const operation = openapi(app, { title: 'Test', version: '1' }).paths['/t']?.post
    expect(operation?.requestBody?.content['application/json']?.example).toEqual({ link: 'https://own.test', size: 9 })
  })
})
