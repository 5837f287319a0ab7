import express, { type Express } from 'express'
import fc from 'fast-check'
import { expect } from 'vitest'
import { z } from 'zod'
import { crud } from 'resourcery/crud'
import { errorHandler } from 'resourcery'
import { param } from 'resourcery'
import { mountResource } from 'resourcery'
import type { Store } from 'resourcery/crud'
import type { SampleRow } from 'resourcery/testing'
import type { Client } from './http.js'

/*
 * Random requests to `crud`, compared with a list of objects.
 */

/** A name of more than three characters fits the store, but not the output. */
const Out = z.object({
  id: z.int(),
  code: z.string(),
  name: z.string().max(3),
  age: z.int().nullable(),
  views: z.int(),
})
const In = z.object({
  code: z.string().min(1),
  name: z.string().default('who'),
  age: param.int().nullable().optional(),
})

type Command =
  | { readonly kind: 'create' | 'edit' | 'store'; readonly nth: number; readonly body: object }
  | { readonly kind: 'delete'; readonly nth: number }
  | { readonly kind: 'deleteMany'; readonly nths: readonly number[] }
  | { readonly kind: 'createMany'; readonly items: readonly object[] }
  | { readonly kind: 'updateMany'; readonly nths: readonly number[]; readonly body: object }
  | { readonly kind: 'list'; readonly sort: string; readonly code?: string | undefined; readonly page: number }

/**
 * Returns sequences of requests for an empty table; `isCaseless` for a database that compares strings without letter
 * case and accents, as MariaDB does by default.
 */
export function commandsFor(isCaseless = false): fc.Arbitrary<Command[]> {
  const code = fc.constantFrom('a', isCaseless ? 'c' : 'A', 'b', isCaseless ? 'd' : 'ä', '%', '')
  const body = fc.record({
    code,
    name: fc.constantFrom('Ann', 'Ann', 'ann', 'Ben', '', 'Anna'),
    age: fc.constantFrom(null, 1, 2),
  }, { requiredKeys: [] })
  const nth = fc.nat(5)
  const nths = fc.array(nth, { minLength: 1, maxLength: 3 })
  const command: fc.Arbitrary<Command> = fc.oneof(
    fc.record({
      kind: fc.constantFrom('create' as const, 'create' as const, 'edit' as const, 'store' as const),
      nth,
      body,
    }),
    fc.record({ kind: fc.constant('delete' as const), nth }),
    fc.record({ kind: fc.constant('deleteMany' as const), nths }),
    fc.record({ kind: fc.constant('createMany' as const), items: fc.array(body, { minLength: 0, maxLength: 3 }) }),
    fc.record({ kind: fc.constant('updateMany' as const), nths, body }),
    fc.record({
      kind: fc.constant('list' as const),
      sort: fc.constantFrom('id', '-views', 'views,-id', '-id'),
      code: fc.option(code, { nil: undefined }),
      page: fc.integer({ min: 1, max: 2 }),
    }),
  )
  return fc.array(command, { minLength: 1, maxLength: 8 })
}

interface Item {
  id: number
  code: string
  name: string
  age: number | null
  views: number
}

/** Models the resource as a list of objects. */
class Model {
  items: Item[] = []
  /** The field of the last conflict. */
  taken: string | undefined
  readonly ids: number[] = []

  status(command: Exclude<Command, { kind: 'list' }>, ids: readonly number[]): number {
    const before = structuredClone(this.items)
    const status = this.#carryOut(command, ids)
    if (status >= 400) this.items = before
    return status
  }

  #carryOut(command: Exclude<Command, { kind: 'list' }>, ids: readonly number[]): number {
    if (command.kind === 'delete' || command.kind === 'deleteMany') {
      if (!this.#has(ids)) return 404
      this.items = this.items.filter((item) => !ids.includes(item.id))
      return 200
    }
    if ('items' in command || command.kind === 'create') {
      const all = 'items' in command ? command.items : [command.body]
      if (all.length === 0 || !all.every(isWhole)) return 422
      const place = (index: number): string => ('items' in command ? `items.${index}.code` : 'code')
      return all.every((sent, index) => this.#add(sent as Partial<Item>, place(index))) ? this.#replied(201) : 409
    }
    const sent = command.body as Partial<Item>
    if (command.kind === 'edit' ? !isWhole(sent) : sent.code === '') return 422
    if (!this.#has(ids)) return 404
    const changes = command.kind === 'edit'
      ? { code: sent.code, name: sent.name ?? 'who', age: sent.age ?? null } as Partial<Item>
      : sent
    const place = (index: number): string => (command.kind === 'updateMany' ? `ids.${index}.code` : 'code')
    return ids.every((id, index) => this.#change(id, changes, place(index))) ? this.#replied(200) : 409
  }

  #has(ids: readonly number[]): boolean {
    return ids.every((id) => this.items.some((item) => item.id === id))
  }

  /** The store generates the key; until it is known it is 0. */
  #add({ code = '', name = 'who', age = null }: Partial<Item>, place: string): boolean {
    this.taken = place
    if (this.items.some((item) => item.code === code)) return false
    this.items.push({ id: 0, code, name, age, views: name.length })
    return true
  }

  /** Returns the reply of a write, which is undone if the record does not fit the output. */
  #replied(status: number): number {
    return this.items.some(({ name }) => name.length > 3) ? 500 : status
  }

  #change(id: number, changes: Partial<Item>, place: string): boolean {
    this.taken = place
    const old = this.items.find((item) => item.id === id)
    if (this.items.some((item) => item !== old && item.code === changes.code)) return false
    Object.assign(old ?? {}, changes)
    return true
  }

  list({ sort, code, page }: Extract<Command, { kind: 'list' }>): Item[] {
    const keys = sort.split(',').map((key) => ({
      field: key.replace('-', '') as 'id' | 'views',
      sign: key.startsWith('-') ? -1 : 1,
    }))
    if (!keys.some(({ field }) => field === 'id')) keys.push({ field: 'id', sign: keys[0]?.sign ?? 1 })
    const order = (a: Item, b: Item): number =>
      keys.map(({ field, sign }) => sign * (a[field] - b[field])).find((found) => found !== 0) ?? 0
    return this.items.filter((item) => code === undefined || item.code === code).sort(order).slice(
      (page - 1) * 3,
      page * 3,
    )
  }
}

function isWhole({ code = '' }: { readonly code?: string }): boolean {
  return code !== ''
}

const REQUESTS = {
  create: ['POST', ''],
  createMany: ['POST', '/bulk'],
  updateMany: ['PUT', ''],
  edit: ['PUT', '/'],
  store: ['PATCH', '/'],
  delete: ['DELETE', '/'],
  deleteMany: ['DELETE', '?ids='],
} as const

/** Returns the request of a command about these rows. */
function requestOf(
  command: Exclude<Command, { kind: 'list' }>,
  ids: readonly number[],
): readonly [method: string, path: string, body: unknown] {
  const [method, path] = REQUESTS[command.kind]
  const place = path === '/' || path === '?ids=' ? path + ids.join() : path
  if (command.kind === 'createMany') return [method, place, { items: command.items }]
  if (command.kind === 'updateMany') return [method, place, { ids, data: command.body }]
  return [method, place, 'body' in command ? command.body : undefined]
}

/** Runs one sequence of commands against the server and the model, and compares every reply. */
export async function compareWithModel(client: Client, commands: readonly Command[]): Promise<void> {
  const model = new Model()
  for (const command of commands) {
    if (command.kind === 'list') {
      const query = new URLSearchParams({
        sort: command.sort,
        page: String(command.page),
        limit: '3',
        ...(command.code !== undefined && { code: command.code }),
      })
      const reply = await client.send('GET', `/samples?${query.toString()}`)
      expect([reply.status, reply.body.data]).toEqual([200, model.list(command)])
      continue
    }
    const idOf = (nth: number): number => model.ids[nth % Math.max(1, model.ids.length)] ?? 9_999_999
    const ids = 'nths' in command ? [...new Set(command.nths.map(idOf))] : 'nth' in command ? [idOf(command.nth)] : []
    const [method, path, body] = requestOf(command, ids)
    const reply = await client.send(method, `/samples${path}`, { body })
    expect([command, reply.status]).toEqual([command, model.status(command, ids)])
    if (reply.status === 409) expect(reply.body.data).toEqual({ [model.taken ?? '']: ['Already taken'] })
    if (reply.status >= 400 || command.kind === 'delete' || command.kind === 'deleteMany') continue
    const rows = [reply.body.data].flat() as Item[]
    if (reply.status === 201) {
      model.items.filter(({ id }) => id === 0).forEach((item, index) => Object.assign(item, { id: rows[index]?.id }))
      model.ids.push(...rows.map(({ id }) => id))
    }
    const touched = reply.status === 201 ? rows.map(({ id }) => id) : ids
    expect(rows).toEqual(touched.map((id) => model.items.find((item) => item.id === id)))
    if (command.kind.endsWith('Many')) {
      expect(reply.body.meta).toEqual({ [reply.status === 201 ? 'created' : 'updated']: rows.length })
    }
  }
}

interface RandomRequests {
  readonly client: Client
  readonly isCaseless: boolean
  readonly runs: number
  /** Removes all rows in front of each run. */
  readonly clear: () => Promise<void>
}

/** Compares the replies to random requests with those of a model. */
export async function compareRandomRequests({ client, isCaseless, runs, clear }: RandomRequests): Promise<void> {
  await fc.assert(fc.asyncProperty(commandsFor(isCaseless), async (sent) => {
    await clear()
    await compareWithModel(client, sent)
  }), { numRuns: runs })
}

/** Mounts a resource on a store of samples. */
export function modelApp(store: Store<SampleRow>): Express {
  const app = express()
  mountResource(app, {
    route: '/samples',
    name: 'samples',
    ...crud(store, {
      input: In,
      output: Out,
      sort: ['views'],
      filters: { code: { eq: z.string() } },
      bulk: true,
      before: {
        create: (fields) => ({
          ...fields,
          age: fields.age ?? null,
          views: fields.name.length,
          active: true,
          createdAt: new Date(),
        }),
      },
    }),
  })
  return app.use(errorHandler({ log: () => undefined }))
}
