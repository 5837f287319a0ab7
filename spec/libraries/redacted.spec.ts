import { inspect } from 'node:util'
import { createRequire } from 'node:module'
import { PGlite } from '@electric-sql/pglite'
import { PrismaPg } from '@prisma/adapter-pg'
import { drizzle } from 'drizzle-orm/pglite'
import { sql } from 'drizzle-orm'
import knex from 'knex'
import mongoose from 'mongoose'
import mysql from 'mysql2/promise'
import pg from 'pg'
import { DataTypes, Sequelize } from 'sequelize'
import { DataSource, EntitySchema } from 'typeorm'
import { describe, expect, it, onTestFinished } from 'vitest'
import { redactError } from '../../lib/core/base/redact.js'
import { PrismaClient } from './generated/postgres/client.js'

const postgres = process.env.TEST_POSTGRES_URL ?? ''
const mariadb = process.env.TEST_MARIADB_URL ?? ''
const SECRET = "ada'@secret.example"

/** Runs what must fail, and returns what a log shows of its error. */
async function shown(work: () => Promise<unknown>): Promise<string> {
  const error: unknown = await work().then(() => undefined, (thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(Error)
  expect(inspect(error, { depth: 10 })).toContain('secret') // otherwise there was nothing to hide
  return inspect(redactError(error), { depth: 10, showHidden: true })
}

describe('a log shows no value of an error', () => {
  it('of pg', async () => {
    const pool = new pg.Pool({ connectionString: postgres })
    pool.on('error', () => undefined)
    onTestFinished(() => pool.end())
    expect(await shown(() => pool.query('select $1::text::int', [SECRET]))).not.toContain('secret')
    const name = SECRET.replace("'", "''")
    for (const raised of [`raise exception '${name}' using errcode = 'CR001'`, `assert false, '${name}'`]) {
      expect(await shown(() => pool.query(`do $$ begin ${raised}; end $$`))).not.toContain('secret')
    }
  })

  it('of mysql2', async () => {
    const pool = mysql.createPool(mariadb)
    onTestFinished(() => pool.end())
    for (const statement of ['select * from nothing where name = ?', "select cast(? as json) like 'x"]) {
      expect(await shown(() => pool.query(statement, [SECRET]))).not.toContain('secret')
    }
    for (const state of ["'45001'", "'22003'"]) {
      const signal = `begin not atomic signal sqlstate ${state} set message_text = 'ada@secret'; end`
      expect(await shown(() => pool.query(signal))).not.toContain('secret')
    }
  })

  it('of drizzle', async () => {
    const client = new PGlite()
    onTestFinished(() => client.close())
    expect(await shown(async () => drizzle(client).execute(sql`select ${SECRET}::text::int`))).not.toContain('secret')
  })

  it.each([['pg', postgres, 'select ?::text::int'], ['mysql2', mariadb, 'select * from nothing where name = ?']])(
    'of knex on %s',
    async (client, connection, statement) => {
      const db = knex({ client, connection })
      onTestFinished(() => db.destroy())
      expect(await shown(async () => db.raw(statement, [SECRET]))).not.toContain('secret')
    },
  )

  it('of TypeORM', async () => {
    const source = new DataSource({ type: 'postgres', url: postgres, entities: [
      new EntitySchema({ name: 'nothing', columns: { id: { type: Number, primary: true }, name: { type: String } } }),
    ] })
    await source.initialize()
    onTestFinished(() => source.destroy())
    expect(await shown(() => source.query('select $1::text::int', [SECRET]))).not.toContain('secret')
    expect(await shown(() => source.getRepository('nothing').findOneByOrFail({ name: SECRET }))).not.toContain('secret')
  })

  it('of Sequelize', async () => {
    const sequelize = new Sequelize(postgres, { logging: false })
    onTestFinished(() => sequelize.close())
    const replacements = { value: SECRET }
    expect(await shown(() => sequelize.query('select :value::text::int', { replacements }))).not.toContain('secret')
    const raise = "do $$ begin raise exception 'ada@secret' using errcode = 'CR001'; end $$"
    expect(await shown(() => sequelize.query(raise))).not.toContain('secret')
    const table = `redacted_${process.pid}`
    const User = sequelize.define(table, { name: { type: DataTypes.STRING, unique: true, validate: { len: [1, 40] } } })
    await User.sync()
    onTestFinished(() => User.drop())
    await User.create({ name: SECRET })
    expect(await shown(() => User.create({ name: SECRET }))).not.toContain('secret')
    expect(await shown(() => User.create({ name: SECRET.repeat(9) }))).not.toContain('secret')
  })

  it('of Prisma', async () => {
    const prisma = new PrismaClient({ adapter: new PrismaPg({ connectionString: postgres }), errorFormat: 'pretty' })
    onTestFinished(() => prisma.$disconnect())
    expect(await shown(() => prisma.$queryRaw`select ${SECRET}::text::int`)).not.toContain('secret')
    const raise = "do $$ begin raise exception 'ada@secret' using errcode = 'CR001'; end $$"
    expect(await shown(() => prisma.$executeRawUnsafe(raise))).not.toContain('secret')
    const create = (data: object) => prisma.sample.create({ data: data as never })
    expect(await shown(() => create({ nothing: SECRET }))).not.toContain('secret')
  })

  it('of mongoose', async () => {
    const Post = mongoose.model('RedactedPost',
      new mongoose.Schema({ age: Number, name: { type: String, enum: ['x'] } }))
    expect(await shown(() => new Post({ age: SECRET, name: SECRET }).validate())).not.toContain('secret')
    expect(await shown(() => Promise.reject(new mongoose.Error.CastError('Number', SECRET, 'age')))).not.toContain(
      'secret',
    )
    const { MongoServerError } = createRequire(import.meta.url)('mongodb') as typeof mongoose.mongo
    const duplicate = new MongoServerError({
      code: 11000,
      message: `E11000 duplicate key error dup key: { name: "${SECRET}" }`,
      keyValue: { name: SECRET },
    })
    expect(await shown(() => Promise.reject(duplicate))).not.toContain('secret')
  })
})
