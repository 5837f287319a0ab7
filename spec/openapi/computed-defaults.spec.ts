import { randomUUID } from 'node:crypto'
import express from 'express'
import { mountRoutes, param } from 'resourcery'
import { openapi, type OpenApiDocument } from 'resourcery/openapi'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { z } from 'zod'

let count = 0
const at = new Date('2020-02-02T00:00:00.000Z')

const Computed = z.object({
  made: z.coerce.date().default(() => new Date()),
  madeAt: z.iso.datetime().default(() => new Date().toISOString()),
  day: z.iso.date().prefault(() => new Date().toISOString().slice(0, 10)),
  caught: z.int().catch(() => Date.now()),
  seconds: z.int().prefault(() => Math.floor(Date.now() / 1000)),
  id: z.uuid().default(() => randomUUID()),
  count: z.int().default(() => ++count),
  deep: z.object({ since: param.date() }).default(() => ({ since: new Date() })),
})

const Constant = z.object({
  state: z.string().default(() => 'draft'),
  tags: z.array(z.string()).default(() => ['new']),
  made: z.coerce.date().default(at),
  first: z.coerce.date().default(() => new Date(0)),
  amount: z.bigint().default(5n),
  limit: z.int().default(20).catch(30),
  size: z.int().default(20).catch(({ error }) => error.issues.length),
})

function documentOf(schema: z.ZodObject): OpenApiDocument {
  const app = express()
  mountRoutes(app, {
    route: '/jobs',
    name: 'jobs',
    routes: {
      start: { methods: ['POST'], route: '/start', input: schema, output: schema, handler: () => null as never },
    },
  })
  return openapi(app, { title: 'Jobs', version: '1' })
}

interface Body {
  readonly $ref?: string
  readonly properties?: Readonly<Record<string, { readonly default?: unknown }>>
}

function defaultsOf(input: z.ZodObject): object {
  const { paths, components } = documentOf(input)
  const body = paths['/jobs/start']?.post?.requestBody as unknown as { content: Record<string, { schema: Body }> }
  const schema = body.content['application/json']?.schema ?? {}
  const name = schema.$ref?.split('/').pop()
  const { properties = {} } = name === undefined ? schema : components.schemas[name] as Body
  expect(Object.keys(properties)).toEqual(Object.keys(input.shape))
  const entries = Object.entries(properties).map(([field, json]) => [field, json.default])
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined)) as object
}

describe('defaults that functions compute', () => {
  it('are in no document, neither in schemas nor in examples', () => {
    const first = JSON.stringify(documentOf(Computed))
    const today = new Date().toISOString().slice(0, 10)
    vi.useFakeTimers({ now: Date.now() + 1000, toFake: ['Date'] })
    onTestFinished(() => void vi.useRealTimers())
    expect(JSON.stringify(documentOf(Computed))).toBe(first)
    expect(first).not.toContain(today)
    expect(defaultsOf(Computed)).toEqual({})
  })

  it('are published where they are always the same', () => {
    expect(defaultsOf(Constant)).toEqual({
      state: 'draft',
      tags: ['new'],
      made: at.toISOString(),
      first: '1970-01-01T00:00:00.000Z',
      amount: '5',
      limit: 30,
      size: 20,
    })
  })
})
