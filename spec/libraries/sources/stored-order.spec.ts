import { PrismaPg } from '@prisma/adapter-pg'
import { drizzle } from 'drizzle-orm/mysql2'
import { float, int, mysqlEnum, mysqlTable, varchar } from 'drizzle-orm/mysql-core'
import Knex from 'knex'
import { createPool } from 'mysql2/promise'
import { DataTypes, Sequelize, type CreationOptional, type InferAttributes, type InferCreationAttributes,
  Model } from 'sequelize'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { paginate, type CursorPage, type PageSource } from 'resourcery'
import { fromDrizzle } from 'resourcery/drizzle'
import { fromKnex } from 'resourcery/knex'
import { fromPrisma } from 'resourcery/prisma'
import { fromSequelize } from 'resourcery/sequelize'
import { scratchMariadb } from '../../support/databases.js'
import { PrismaClient } from '../generated/postgres/client.js'

const LEVELS = ['low', 'mid', 'high', '4', 'last'] as const
const MARKS = ['1', '2', '3', '4', '5', '6', '7', '8', '9', '10', '11'] as const
const SCORES = [0.1, 0.2, 16777216, 16777218, 3e10]

const tasks = mysqlTable('tasks', {
  id: int().primaryKey(),
  level: mysqlEnum(LEVELS).notNull(),
  mark: mysqlEnum('mark_of_it', MARKS).notNull(),
  score: float().notNull(),
  uid: varchar({ length: 36 }).notNull(),
})

class Task extends Model<InferAttributes<Task>, InferCreationAttributes<Task>> {
  declare id: number
  declare level: CreationOptional<string>
  declare mark: CreationOptional<string>
}

interface Row {
  id: number
}

describe('a list on MariaDB is paged by cursor in the order of the database', () => {
  let close: () => Promise<void>
  let ids: (order: string) => Promise<number[]>
  let sources: Readonly<Record<string, (by: readonly string[]) => PageSource<Row>>>

  beforeAll(async () => {
    const { url, drop } = await scratchMariadb()
    const pool = createPool(url)
    const list = (labels: readonly string[]): string => labels.map((label) => `'${label}'`).join()
    await pool.query(`create table tasks (id int primary key, level enum(${list(LEVELS)}) not null,
      mark_of_it enum(${list(MARKS)}) not null, score float not null, uid uuid not null)`)
    const rows = Array.from({ length: 33 }, (_, index) => [
      index * 7 % 33,
      LEVELS[index % LEVELS.length],
      MARKS[index % MARKS.length],
      SCORES[index % SCORES.length],
      `${index % 2 === 0 ? '1' : 'a'}1111111-1111-1111-1111-111111111111`,
    ])
    await pool.query('insert into tasks values ?', [rows])
    const db = drizzle({ client: pool })
    const knex = Knex({ client: 'mysql2', connection: url })
    const sequelize = new Sequelize(url, { dialect: 'mariadb', logging: false })
    Task.init({
      id: { type: DataTypes.INTEGER, primaryKey: true },
      level: DataTypes.ENUM(...LEVELS),
      mark: { type: DataTypes.ENUM(...MARKS), field: 'mark_of_it' },
    }, { sequelize, tableName: 'tasks', timestamps: false })
    sources = {
      drizzle: (by) => fromDrizzle(db.select().from(tasks), { by: by as ['id'] }),
      knex: (by) => fromKnex<Row>(knex('tasks as t').select('t.*', 'mark_of_it as mark'), { by: by as ['id'] }),
      sequelize: (by) => fromSequelize(Task, {}, { by: by as ['id'] }),
    }
    ids = async (order) =>
      ((await pool.query(`select id from tasks order by ${order}`))[0] as Row[]).map(({ id }) => id)
    close = async () => {
      await Promise.all([pool.end(), knex.destroy(), sequelize.close()])
      await drop()
    }
  })
  afterAll(() => close())

  it.each([
    ...['drizzle', 'knex'].flatMap((name) =>
      ['level', '-level', 'mark', '-mark', 'score', '-score', 'uid', '-uid'].map((order) => [name, order] as const)
    ),
    ...['level', '-level', 'mark', '-mark'].map((order) => ['sequelize', order] as const),
  ])('with %s by %s', async (name, order) => {
    const column = order.replace('mark', 'mark_of_it')
    const expected = await ids(`${column.replace('-', '')} ${order.startsWith('-') ? 'desc' : 'asc'}, id`)
    for (const limit of [1, 4]) {
      const source = sources[name]?.([order, 'id'])
      const seen: number[] = []
      for (let cursor: string | null = ''; source !== undefined && cursor !== null && seen.length < 100;) {
        const page: CursorPage<Row> = await paginate(source, { cursor, limit })
        seen.push(...page.items.map(({ id }) => id))
        cursor = page.next
      }
      expect(seen).toEqual(expected)
    }
  })
})

it('fromPrisma refuses a cursor in the order of an enum, which Prisma does not compare', async () => {
  const prisma = new PrismaClient({ adapter: new PrismaPg({ connectionString: 'postgres://127.0.0.1:1/none' }) })
  const projects = fromPrisma(prisma.project, {}, { by: ['status', 'id'] })
  await expect(paginate(projects, { cursor: '', limit: 1 })).rejects.toMatchObject({
    code: 'prisma_cursor',
    message: expect.stringContaining('"status"') as string,
  })
})
