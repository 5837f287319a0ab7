import { sql } from 'kysely'
import { DataTypes, Sequelize } from 'sequelize'
import { expect, it, onTestFinished } from 'vitest'
import { sequelizeStore, type SequelizeModel } from 'resourcery/sequelize'
import { openPlace } from './places.js'

interface Payment {
  id: number
  price: string
  total: string
}

it.each(['mariadb', 'mysql'] as const)('reads all digits of a decimal on the dialect %s', async (dialect) => {
  const { admin, url, drop } = await openPlace('mysql')
  await sql`create table payments (id int primary key, price decimal(30, 10) not null, sum decimal(20, 4) not null)`
    .execute(admin)
  const sequelize = new Sequelize(url.replace(/^mysql/, dialect), { dialect, logging: false })
  onTestFinished(() => sequelize.close().then(drop))
  const Model = sequelize.define('Payment', {
    id: { type: DataTypes.INTEGER, primaryKey: true },
    price: DataTypes.DECIMAL(30, 10),
    total: { type: DataTypes.DECIMAL(20, 4), field: 'sum' },
  }, { tableName: 'payments', timestamps: false })
  const store = sequelizeStore(Model as unknown as SequelizeModel<Payment, never>, {
    columns: { price: 'decimal', total: 'decimal' },
  })
  const rows = [
    { id: 1, price: '12345678901234567890.1234567891', total: '9007199254740990.1234' },
    { id: 2, price: '9.5000000000', total: '12.5000' },
    { id: 3, price: '10.0000000000', total: '-0.1000' },
  ]
  for (const row of rows) expect(await store.create(row)).toEqual(row)
  const inOrder = [rows[1], rows[2], rows[0]]
  expect(await store.list({ where: [['total', '!=', '1']], order: ['price', 'id'] }).slice(0, 9)).toEqual(inOrder)
  const after = await store.list({ where: [], order: ['price', 'id'] }).sliceAfter?.(null, 2)
  expect(after?.items).toEqual(inOrder.slice(0, 2))
  const rest = await store.list({ where: [], order: ['price', 'id'] }).sliceAfter?.(after?.next ?? null, 2)
  expect(rest).toEqual({ items: inOrder.slice(2), next: null })
  expect(await store.update(1, { total: '1' })).toEqual({ ...rows[0], total: '1.0000' })
  await store.transaction(async (inside) => {
    expect(await inside.find([1, 2], [['price', '=', '9.5']])).toEqual([rows[1]])
  })
})
