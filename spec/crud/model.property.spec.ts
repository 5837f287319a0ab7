import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import express from 'express'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { crud } from '../../lib/crud.js'
import { errorHandler } from '../../lib/error-handler.js'
import { param } from '../../lib/param.js'
import { mountResource } from '../../lib/resource/mount-resource.js'
import type { Store } from '../../lib/store.js'
import { memoryStore } from '../../lib/stores/memory.js'
import type { SampleRow } from '../../lib/testing.js'
import { openEmbedded, type TestDatabase } from '../support/databases.js'
import { clientOf, type Client } from '../support/http.js'
import { createSamples, openSamples, type SampleTables } from '../support/sample-store.js'

const Out = z.object({ id: z.int(), code: z.string(), name: z.string(), age: z.int().nullable(), views: z.int() })
const In = z.object({ code: z.string().min(1), name: z.string().default('nobody'), age: param.int().nullable().optional() })

/** `MODEL_RUNS=1000` for a thorough look. */
const RUNS = Number(process.env.MODEL_RUNS ?? 100)

type Command =
  | { readonly kind: 'create' | 'edit' | 'store'; readonly nth: number; readonly body: object }
  | { readonly kind: 'delete'; readonly nth: number }
  | { readonly kind: 'deleteMany'; readonly nths: readonly number[] }
  | { readonly kind: 'list'; readonly sort: string; readonly code?: string | undefined; readonly page: number }

const code = fc.constantFrom('a', 'A', 'b', 'ä', '%', '')
const body = fc.record({ code, name: fc.constantFrom('Ann', 'ann', 'Ben', ''), age: fc.constantFrom(null, 1, 2) }, { requiredKeys: [] })
const nth = fc.nat(5)
const command: fc.Arbitrary<Command> = fc.oneof(
  fc.record({ kind: fc.constantFrom('create' as const, 'create' as const, 'edit' as const, 'store' as const), nth, body }),
  fc.record({ kind: fc.constant('delete' as const), nth }),
  fc.record({ kind: fc.constant('deleteMany' as const), nths: fc.array(nth, { minLength: 1, maxLength: 3 }) }),
  fc.record({ kind: fc.constant('list' as const), sort: fc.constantFrom('id', '-views', 'views,-id', '-id'), code: fc.option(code, { nil: undefined }), page: fc.integer({ min: 1, max: 2 }) }),
)

interface Item {
  id: number
  code: string
  name: string
  age: number | null
  views: number
}

/** What a list of objects would do: the plainest thing that could be right. */
class Model {
  items: Item[] = []
  readonly ids: number[] = []

  status(command: Exclude<Command, { kind: 'list' }>, id: number, ids: readonly number[]): number {
    if (command.kind === 'delete' || command.kind === 'deleteMany') {
      if (!ids.every((each) => this.items.some((item) => item.id === each))) return 404
      this.items = this.items.filter((item) => !ids.includes(item.id))
      return 200
    }
    const sent = command.body as Partial<Item>
    if (command.kind === 'store' ? sent.code === '' : sent.code === undefined || sent.code === '') return 422
    const old = command.kind === 'create' ? undefined : this.items.find((item) => item.id === id)
    if (command.kind !== 'create' && old === undefined) return 404
    if (sent.code !== undefined && this.items.some((item) => item.code === sent.code && item !== old)) return 409
    if (command.kind === 'store') Object.assign(old ?? {}, sent)
    else if (old !== undefined) Object.assign(old, { code: sent.code, name: sent.name ?? 'nobody', age: sent.age ?? null })
    return command.kind === 'create' ? 201 : 200
  }

  list({ sort, code, page }: Extract<Command, { kind: 'list' }>): Item[] {
    const keys = sort.split(',').map((key) => ({ field: key.replace('-', '') as 'id' | 'views', sign: key.startsWith('-') ? -1 : 1 }))
    if (!keys.some(({ field }) => field === 'id')) keys.push({ field: 'id', sign: keys[0]?.sign ?? 1 })
    const order = (a: Item, b: Item): number => keys.map(({ field, sign }) => sign * (a[field] - b[field])).find((found) => found !== 0) ?? 0
    return this.items.filter((item) => code === undefined || item.code === code).sort(order).slice((page - 1) * 3, page * 3)
  }
}

/** Runs one sequence of commands against the server and the model, and compares every answer. */
async function compare(client: Client, commands: readonly Command[]): Promise<void> {
  const model = new Model()
  for (const command of commands) {
    if (command.kind === 'list') {
      const query = new URLSearchParams({ sort: command.sort, page: String(command.page), limit: '3', ...(command.code !== undefined && { code: command.code }) })
      const reply = await client.send('GET', `/samples?${query.toString()}`)
      expect([reply.status, reply.body.data]).toEqual([200, model.list(command)])
      continue
    }
    const idOf = (nth: number): number => model.ids[nth % Math.max(1, model.ids.length)] ?? 9_999_999
    const ids = command.kind === 'deleteMany' ? [...new Set(command.nths.map(idOf))] : [idOf(command.nth)]
    const [id = 0] = ids
    const path = { create: '', deleteMany: `?ids=${ids.join()}`, edit: `/${id}`, store: `/${id}`, delete: `/${id}` }[command.kind]
    const method = { create: 'POST', deleteMany: 'DELETE', edit: 'PUT', store: 'PATCH', delete: 'DELETE' }[command.kind]
    const reply = await client.send(method, `/samples${path}`, { body: 'body' in command ? command.body : undefined })
    expect([command, reply.status]).toEqual([command, model.status(command, id, ids)])
    if (reply.status === 201) {
      const created: Item = reply.body.data
      const sent = 'body' in command ? command.body as Partial<Item> : {}
      expect(created).toEqual({ id: created.id, code: sent.code, name: sent.name ?? 'nobody', age: sent.age ?? null, views: (sent.name ?? 'nobody').length })
      model.items.push({ ...created })
      model.ids.push(created.id)
    }
    if (reply.status === 200 && 'body' in command) expect(reply.body.data).toEqual(model.items.find((item) => item.id === id))
  }
}

describe('crud behaves like a plain list of objects', () => {
  let client: Client
  let database: TestDatabase<SampleTables>
  let current: Store<SampleRow>

  beforeAll(async () => {
    database = await openEmbedded<SampleTables>()
    await createSamples(database)
    const app = express()
    const forwarding: Store<SampleRow> = {
      key: 'id', db: undefined,
      list: (query) => current.list(query), find: (keys, where) => current.find(keys, where), create: (fields) => current.create(fields),
      update: (key, changes) => current.update(key, changes), delete: (keys) => current.delete(keys), transaction: (work) => current.transaction(work),
    }
    mountResource(app, {
      route: '/samples', name: 'samples',
      ...crud(forwarding, {
        input: In, output: Out, sort: ['views'], filters: { code: { eq: z.string() } },
        before: { create: (fields) => ({ ...fields, age: fields.age ?? null, views: fields.name.length, active: true, createdAt: new Date() }) },
      }),
    })
    app.use(errorHandler())
    const server: Server = createServer(app)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    client = clientOf(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, server)
  })
  afterAll(async () => {
    client.server.closeAllConnections()
    client.server.close()
    await database.close()
  })

  const stores = [
    ['memory', async () => memoryStore<SampleRow>({ key: 'id', unique: ['code'] }), RUNS],
    ['the embedded PostgreSQL', async () => (await openSamples(database.db)).store, RUNS],
  ] as const

  it.each(stores)('on %s', async (_name, make, numRuns) => {
    await fc.assert(fc.asyncProperty(fc.array(command, { minLength: 1, maxLength: 8 }), async (commands) => {
      current = await make()
      await compare(client, commands)
    }), { numRuns })
  }, 300_000)
})
