import 'reflect-metadata'
import { DataSource, EntitySchema, In, type DataSourceOptions, type EntityManager,
  type SelectQueryBuilder } from 'typeorm'
import { typeormStore } from 'resourcery/typeorm'
import type { SampleRow } from 'resourcery/testing'
import type { Thing } from '../../support/typed-table.js'
import type { Connect, Stores } from './tables.js'

type Time = { type: 'timestamptz' } | { type: 'datetime'; precision?: number }

export const samplesOf = (time: Time) =>
  new EntitySchema<SampleRow>({
    name: 'Sample',
    tableName: 'samples',
    columns: {
      id: { type: 'integer', primary: true, generated: 'increment' },
      code: { type: 'varchar' },
      name: { type: 'varchar' },
      age: { type: 'integer', nullable: true },
      views: { type: 'bigint' },
      active: { type: 'boolean' },
      createdAt: time,
    },
  })

const thingsOf = (time: Time) =>
  new EntitySchema<Thing>({
    name: 'Thing',
    tableName: 'things',
    columns: {
      id: { type: 'integer', primary: true, generated: 'increment' },
      email: { type: 'varchar' },
      tenant: { type: 'integer' },
      slug: { type: 'varchar' },
      age: { type: 'integer' },
      dueOn: { type: 'date', nullable: true },
      price: { type: 'decimal' },
      big: { type: 'bigint' },
      at: time,
      flag: { type: 'boolean' },
      uid: { type: 'varchar' },
      parent: { type: 'integer', nullable: true },
    },
  })

async function storesOf(options: DataSourceOptions, time: Time): Promise<Stores> {
  const [Sample, Thing] = [samplesOf(time), thingsOf(time)]
  const dataSource = await new DataSource({ ...options, entities: [Sample, Thing] }).initialize()
  const things = dataSource.getRepository(Thing)
  return {
    samples: typeormStore(dataSource, dataSource.getRepository(Sample), {
      columns: { id: 'integer', views: 'integer' },
    }),
    things: {
      store: typeormStore(dataSource, things),
      withColumns: (columns) => typeormStore(dataSource, things, { columns: columns as never }),
      raw: {
        hasChildren: (query: SelectQueryBuilder<Thing>) => (
          `exists ${query.subQuery().select('1').from(Thing, 'child').where('child.parent = thing.id').getQuery()}`
        ),
        isAged: (age) => ({ age: In([age]) }),
        wrong: ['1 = 1', true, () => true, () => undefined, null],
      },
    },
    statement: (manager: EntityManager, text) => manager.query(text),
    close: () => dataSource.destroy(),
  }
}

const onPostgres: Connect = {
  dialect: 'postgres',
  open: (url) => storesOf({ type: 'postgres', url }, { type: 'timestamptz' }),
}
const onMariadb: Connect = {
  dialect: 'mysql',
  open: (url) => storesOf({ type: 'mariadb', url, charset: 'utf8mb4' }, { type: 'datetime', precision: 6 }),
}
const onMysql: Connect = {
  ...onMariadb,
  open: (url) =>
    storesOf({ type: 'mysql', url, charset: 'utf8mb4', timezone: 'Z' }, { type: 'datetime', precision: 6 }),
}
const onSqlite: Connect = {
  dialect: 'sqlite',
  open: (url) => storesOf({ type: 'better-sqlite3', database: url }, { type: 'datetime' }),
}

export const databases = [['PostgreSQL', onPostgres], ['MariaDB', onMariadb], ['MariaDB as MySQL', onMysql], [
  'SQLite',
  onSqlite,
]] as const
