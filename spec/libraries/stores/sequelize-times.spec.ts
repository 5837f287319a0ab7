import { sql } from 'kysely'
import { DataTypes, Sequelize } from 'sequelize'
import { expect, it, onTestFinished } from 'vitest'
import { sequelizeStore, type SequelizeModel } from 'resourcery/sequelize'
import { openPlace } from './places.js'

interface Visit {
  id: number
  at: Date
}

it.each(['postgres', 'mysql'] as const)('compares instants of a column whose type is a string, on %s',
  async (dialect) => {
    const { admin, url, drop } = await openPlace(dialect)
    const type = dialect === 'mysql' ? 'timestamp(3) null' : 'timestamp'
    await sql.raw(`create table visits (id int primary key, at ${type})`).execute(admin)
    const sequelize = new Sequelize(url, { dialect, logging: false })
    onTestFinished(() => sequelize.close().then(drop))
    const Model = sequelize.define('Visit', {
      id: { type: DataTypes.INTEGER, primaryKey: true },
      at: type,
    }, { tableName: 'visits', timestamps: false })
    const store = sequelizeStore(Model as unknown as SequelizeModel<Visit, never>)
    const at = new Date('2026-12-01T08:30:00.250Z')
    await store.create({ id: 1, at })
    const idsWhere = async (operator: '=' | '<' | '>=', value: Date) =>
      (await store.list({ where: [['at', operator, value]], order: ['id'] }).slice(0, 9)).map(({ id }) => id)
    expect(await idsWhere('=', at)).toEqual([1])
    expect(await idsWhere('<', at)).toEqual([])
    expect(await idsWhere('>=', new Date(at.getTime() - 1))).toEqual([1])
    expect(await idsWhere('>=', new Date(at.getTime() + 1))).toEqual([])
  })
