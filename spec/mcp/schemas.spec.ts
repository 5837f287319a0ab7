import { randomBytes } from 'node:crypto'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Express } from 'express'
import { Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler, DummyDriver, type Dialect } from 'kysely'
import { localDisk } from 'resourcery'
import { describe, expect, it } from 'vitest'
import { Models } from '../../lib/tools/openapi/models.js'
import { operationPlans } from '../../lib/tools/openapi/request.js'
import { documentedRoutes, listedRoutes } from '../../lib/tools/openapi/routes.js'
import { schemasOf } from '../../lib/tools/mcp/schema.js'
import { makeApp } from '../../samples/blog/app.js'
import { openStores } from '../../samples/blog/stores.js'
import { helpDesk } from '../../samples/help-desk/app.js'
import { faultsOf } from './provider-rules.js'

/** A database that is never asked: schemas follow from the declarations. */
const dialect: Dialect = {
  createAdapter: () => new PostgresAdapter(),
  createDriver: () => new DummyDriver(),
  createIntrospector: (db) => new PostgresIntrospector(db),
  createQueryCompiler: () => new PostgresQueryCompiler(),
}
const secret = randomBytes(32)
const folder = join(tmpdir(), 'resourcery-schemas')
const settings = { secret, folder }

/** Imported without its types, which say who calls in the whole of a program. */
const BOOKINGS = new URL('../../samples/bookings/app.js', import.meta.url).href

interface Bookings {
  readonly bookings: (db: never, given: typeof settings) => Express
}

async function blog(): Promise<Express> {
  const db = new Kysely<never>({ dialect }) as never
  const stores = await openStores('kysely', undefined as never, db)
  return makeApp(
    { db, stores, secret: secret.toString('hex'), storage: localDisk(folder, { baseUrl: '/files' }) } as never,
  )
}

const SAMPLES: Readonly<Record<string, () => Express | Promise<Express>>> = {
  'the blog': blog,
  'the bookings': async () =>
    (await import(BOOKINGS) as Bookings).bookings(new Kysely<never>({ dialect }) as never, settings),
  'the help desk': () => helpDesk(new Kysely<never>({ dialect }) as never, settings),
}

describe('the schemas of tools', () => {
  it.each(Object.keys(SAMPLES))('are accepted by Anthropic, OpenAI and Gemini, were each action of %s a tool',
    async (name) => {
      const routes = documentedRoutes(listedRoutes(await SAMPLES[name]?.() as Express))
      const models = new Models(routes)
      const plan = operationPlans(routes, models)
      const faults = routes.flatMap((one) => {
        const { input, output } = schemasOf(plan(one))
        return faultsOf(input, output).map((fault) => `${one.route.method} ${one.path}: ${fault}`)
      })
      expect(faults).toEqual([])
      expect(routes.length).toBeGreaterThan(10)
    })

  it('would be refused for a union at the top, lists without items, and names and references that are unknown', () => {
    expect(faultsOf({ type: 'object', anyOf: [] }, undefined)).toEqual(['anyOf at the top'])
    expect(faultsOf({ type: 'object', properties: { 'a b': { type: 'string' } }, required: ['c'] }, undefined))
      .toEqual(['the argument `a b`', '`c` is required and not declared at #'])
    const properties = { list: { type: 'array' }, one: { $ref: '#/$defs/Nothing' }, two: { $ref: 'https://x.test/y' } }
    expect(faultsOf({ type: 'object', properties }, undefined)).toEqual([
      'a list without items at #.list',
      'an unknown reference at #.one',
      'an unknown reference at #.two',
    ])
  })
})
