import 'reflect-metadata'
import { drizzle } from 'drizzle-orm/node-postgres'
import pg from 'pg'
import { DataSource } from 'typeorm'
import { beforeEach, expect, it, onTestFinished, vi } from 'vitest'
import { drizzleStore } from 'resourcery/drizzle'
import { typeormStore } from 'resourcery/typeorm'
import { sample } from '../../../lib/tools/testing/sample-row.js'
import { createSamples, type SampleTables } from '../../support/sample-store.js'
import { postgres } from './drizzle-tables.js'
import { openPlace, type Place } from './places.js'
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
  const lost = new Promise<void>((resolve) =>
    master.once('acquire', (client) =>
      // This is before any promise of TypeORM's is settled.
      process.nextTick(() => {
        client.emit('error', new Error('Connection terminated unexpectedly'))
        resolve()
      }))
  )
  const row = await store.create(sample() as never)
  await lost
  expect(await store.find([row.id], [])).toEqual([row])
})
