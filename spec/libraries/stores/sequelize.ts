import { DataTypes, Sequelize, literal, type Model, type ModelStatic, type Options, type Transaction } from 'sequelize'
import { sequelizeStore } from 'resourcery/sequelize'
import type { SampleRow } from 'resourcery/testing'
import type { Thing } from '../../support/typed-table.js'
import * as sqlite3 from './sqlite3.js'
import type { Connect, Stores } from './tables.js'

export const SAMPLE = {
  id: { type: DataTypes.BIGINT, primaryKey: true, autoIncrement: true },
  code: DataTypes.STRING,
  name: DataTypes.STRING,
  age: DataTypes.INTEGER,
  views: DataTypes.BIGINT,
  active: DataTypes.BOOLEAN,
  createdAt: DataTypes.DATE(3),
}

const THING = {
  id: { type: DataTypes.INTEGER, primaryKey: true, autoIncrement: true },
  email: DataTypes.STRING,
  tenant: DataTypes.INTEGER,
  slug: DataTypes.STRING,
  age: DataTypes.INTEGER,
  dueOn: DataTypes.DATEONLY,
  price: DataTypes.DECIMAL(10, 2),
  big: DataTypes.BIGINT,
  at: DataTypes.DATE(6),
  flag: DataTypes.BOOLEAN,
  uid: DataTypes.STRING,
  parent: DataTypes.INTEGER,
}

function storesOf(sequelize: Sequelize): Stores {
  const Sample = sequelize.define('Sample', SAMPLE, {
    tableName: 'samples',
    timestamps: false,
  }) as unknown as ModelStatic<Model<SampleRow>>
  const Thing = sequelize.define('Thing', THING, { tableName: 'things', timestamps: false }) as unknown as ModelStatic<
    Model<Thing>
  >
  const quote = sequelize.getDialect() === 'postgres' ? '"' : '`'
  return {
    samples: sequelizeStore(Sample, { columns: { id: 'integer', views: 'integer' } }),
    things: {
      store: sequelizeStore(Thing),
      withColumns: (columns) => sequelizeStore(Thing, { columns: columns as never }),
      raw: {
        hasChildren: literal(`exists (select 1 from things as child where child.parent = ${quote}Thing${quote}.id)`),
        isAged: (age) => ({ age: [age] }),
        wrong: ['1 = 1', true, () => true, {}, null],
      },
    },
    statement: (transaction: Transaction, text) => sequelize.query(text, { transaction }),
    close: () => sequelize.close(),
  }
}

const on = (url: string, options: Options): Stores =>
  storesOf(new Sequelize(url.replace(/^mysql:/, `${options.dialect ?? ''}:`), { logging: false, ...options }))

const onPostgres: Connect = { dialect: 'postgres', open: (url) => on(url, { dialect: 'postgres' }) }
const onMariadb: Connect = { dialect: 'mysql', open: (url) => on(url, { dialect: 'mariadb' }) }
const onMysql: Connect = { dialect: 'mysql', open: (url) => on(url, { dialect: 'mysql' }) }
const onSqlite: Connect = {
  dialect: 'sqlite',
  time: 'datetime',
  open: (url) => storesOf(new Sequelize({ dialect: 'sqlite', dialectModule: sqlite3, storage: url, logging: false })),
}

export const databases = [['PostgreSQL', onPostgres], ['MariaDB', onMariadb], ['MariaDB as MySQL', onMysql], [
  'SQLite',
  onSqlite,
]] as const
