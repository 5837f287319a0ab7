import { DummyDriver, Kysely, PostgresAdapter, PostgresQueryCompiler, type Dialect } from 'kysely'
import { describe, expect, it } from 'vitest'
import { fromDrizzle } from 'resourcery/drizzle'
import { fromKnex } from 'resourcery/knex'
import { fromKysely } from 'resourcery/kysely'
import { fromMongoose } from 'resourcery/mongoose'
import { fromPrisma } from 'resourcery/prisma'
import { fromSequelize } from 'resourcery/sequelize'
import { fromTypeorm } from 'resourcery/typeorm'
import { kyselyStore } from 'resourcery/kysely'
import { memoryStore } from 'resourcery/crud'
import { storeCases } from 'resourcery/testing'

const dialect = {
  createAdapter: () => new PostgresAdapter(),
  createDriver: () => new DummyDriver(),
  createIntrospector: () => ({}),
  createQueryCompiler: () => new PostgresQueryCompiler(),
} as unknown as Dialect
const db = new Kysely<{ notes: { id: number; title: string } }>({ dialect })
const misspelt = { bye: ['id'] } as never

describe('the options of stores and sources', () => {
  it.each<[code: string, misuse: () => unknown]>([
    ...[{}, { key: '' }, { key: 5 }, { key: null }].map((options) =>
      ['memory_key', () => memoryStore(options as never)] as [string, () => unknown]
    ),
    ['memory_option_unknown', () => memoryStore({ key: 'id', row: [] } as never)],
    ['kysely_option_unknown', () => kyselyStore(db, 'notes', { colums: { id: 'integer' } } as never)],
    ['kysely_columns', () => kyselyStore(db, 'notes', { columns: { id: 'int' } } as never)],
    ['kysely_option_unknown', () => fromKysely(db.selectFrom('notes').selectAll(), misspelt)],
    ['kysely_order', () => fromKysely(db.selectFrom('notes').selectAll(), { by: 'id' } as never)],
    ['drizzle_option_unknown', () => fromDrizzle({} as never, misspelt)],
    ['knex_option_unknown', () => fromKnex({} as never, misspelt)],
    ['mongoose_option_unknown', () => fromMongoose({} as never, misspelt)],
    ['prisma_option_unknown', () => fromPrisma({} as never, {}, misspelt)],
    ['sequelize_option_unknown', () => fromSequelize({} as never, {}, misspelt)],
    ['typeorm_option_unknown', () => fromTypeorm({} as never, { by: ['id'] } as never)],
    ['testing_store', () => storeCases({} as never)],
  ])('are refused as %s if unknown or invalid', (code, misuse) => {
    expect(misuse).toThrow(expect.objectContaining({ code, message: expect.stringMatching(/\.$/) as string }))
  })

  it('are refused in the result of the function for storeCases', async () => {
    const [first] = storeCases(async () =>
      ({ store: memoryStore({ key: 'id' }), clsoe: async () => undefined }) as never
    )
    await expect(first?.run()).rejects.toMatchObject({ code: 'testing_option_unknown' })
  })

  it('are refused without a store in the result of that function', async () => {
    const [first] = storeCases(async () => ({}) as never)
    await expect(first?.run()).rejects.toMatchObject({ code: 'testing_store',
      message: expect.stringContaining('It must return { store }') as string })
  })
})
