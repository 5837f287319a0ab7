import 'reflect-metadata'
import type { EventEmitter } from 'node:events'
import { PrismaPg } from '@prisma/adapter-pg'
import { drizzle } from 'drizzle-orm/node-postgres'
import pg from 'pg'
import { Sequelize, type Model } from 'sequelize'
import { DataSource } from 'typeorm'
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { drizzleStore } from 'resourcery/drizzle'
import { prismaStore } from 'resourcery/prisma'
import { sequelizeStore } from 'resourcery/sequelize'
import type { SampleRow } from 'resourcery/testing'
import { typeormStore } from 'resourcery/typeorm'
import { sample } from '../../../lib/tools/testing/sample-row.js'
import { createSamples, type SampleTables } from '../../support/sample-store.js'
import { PrismaClient } from '../generated/postgres/client.js'
import { postgres } from './drizzle-tables.js'
import { openPlace, type Place } from './places.js'
import { SAMPLE } from './sequelize.js'
import { samplesOf } from './typeorm.js'

/* A connection that is lost after a pool has handed it out, and before the library has done anything with it. */

let place: Place<SampleTables>
beforeEach(async () => {
  place = await openPlace<SampleTables>('postgres')
  await createSamples({ db: place.admin, dialect: 'postgres' })
  return () => place.drop()
})

it('a drizzleStore gives the place of a connection back that was lost before the beginning of a transaction', async () => {
  const pool = new pg.Pool({ connectionString: place.url, max: 1 })
  onTestFinished(() => pool.end())
  const store = drizzleStore(drizzle({ client: pool }), postgres.samples)
  const connect = pool.connect.bind(pool) as () => Promise<pg.PoolClient>
  vi.spyOn(pool, 'connect').mockImplementationOnce(async () => {
    const client = await connect()
    const ended = new Promise((resolve) => client.once('end', resolve))
    await client.query('select pg_terminate_backend(pg_backend_pid())').catch(() => undefined)
    await ended
    return client
  })
  const row = await store.transaction((inside) => inside.create(sample() as never))
  expect(await store.find([row.id], [])).toEqual([row])
})

it('a typeormStore survives the loss of a connection that its data source has just received', async () => {
  const Sample = samplesOf({ type: 'timestamptz' })
  const dataSource = await new DataSource({ type: 'postgres', url: place.url, entities: [Sample] }).initialize()
  onTestFinished(() => dataSource.destroy())
  const store = typeormStore(dataSource, dataSource.getRepository(Sample), { columns: { id: 'integer' } })
  const { master } = dataSource.driver as unknown as { readonly master: pg.Pool }
  const lost = loseNext(master)
  const row = await store.create(sample() as never)
  await lost
  expect(await store.find([row.id], [])).toEqual([row])
})

it('a sequelizeStore survives the loss of a connection that Sequelize has just received', async () => {
  let isLost = false
  class Client extends pg.Client {
    constructor(config: pg.ClientConfig) {
      super(config)
      // This is before any promise of Sequelize's is settled.
      this.once('connect', () => {
        if (isLost) return
        isLost = true
        const { connection } = this as unknown as { readonly connection: EventEmitter }
        connection.emit('errorMessage', Object.assign(new Error('terminating connection'), { code: '57P01' }))
      })
    }
  }
  const sequelize = new Sequelize(place.url, { dialectModule: { ...pg, Client }, logging: false })
  onTestFinished(() => sequelize.close())
  const model = sequelize.define<Model<SampleRow>>('Sample', SAMPLE, { tableName: 'samples', timestamps: false })
  const store = sequelizeStore(model, { columns: { id: 'integer', views: 'integer' } })
  sequelizeStore(model)
  const row = await store.transaction((inside) => inside.create(sample()))
  expect(isLost).toBe(true)
  expect(await store.find([row.id], [])).toEqual([row])
})

describe('a prismaStore survives the loss of a connection that Prisma has just received', () => {
  const schema = (): string => /search_path%3D(\w+)/.exec(place.url)?.[1] ?? ''

  async function expectSurvived(prisma: PrismaClient, pool: () => pg.Pool | undefined): Promise<void> {
    onTestFinished(() => prisma.$disconnect())
    const store = prismaStore(prisma, 'sample', { columns: { id: 'integer', views: 'integer' } })
    prismaStore(prisma, 'thing')
    expect(await store.find([1], [])).toEqual([])
    const made = pool()
    if (made === undefined) throw new Error('Prisma has not connected.')
    const lost = loseNext(made)
    const row = await store.transaction((inside) => inside.create(sample()))
    await lost
    expect(await store.find([row.id], [])).toEqual([row])
  }

  it('from a pool of its own', async () => {
    const adapter = new PrismaPg({ connectionString: place.url }, { schema: schema() })
    const connect = adapter.connect.bind(adapter)
    let pool: pg.Pool | undefined
    adapter.connect = async () => {
      const connected = await connect()
      pool = connected.underlyingDriver()
      return connected
    }
    await expectSurvived(new PrismaClient({ adapter }), () => pool)
  })

  it('from a pool that it was given, also when it has connected before', async () => {
    const pool = new pg.Pool({ connectionString: place.url })
    onTestFinished(() => pool.end())
    const prisma = new PrismaClient({ adapter: new PrismaPg(pool, { schema: schema() }) })
    await prisma.$connect()
    await expectSurvived(prisma, () => pool)
  })
})

/** Ends the next connection that a pool hands out, before any promise of its library is settled. */
function loseNext(pool: pg.Pool): Promise<void> {
  return new Promise((resolve) =>
    pool.once('acquire', (client) =>
      process.nextTick(() => {
        resolve()
        client.emit('error', new Error('Connection terminated unexpectedly'))
      }))
  )
}
