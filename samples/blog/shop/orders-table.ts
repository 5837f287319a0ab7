import type { Selectable } from 'kysely'
import { BusinessError, ConflictError, findOrFail, type PageSource } from 'resourcery'
import { fromKysely } from 'resourcery/sources/kysely'
import type { Caller } from '../caller.js'
import { insertRow } from '../database/insert.js'
import type { Database, OrderTable } from '../database/schema.js'
import { isForeignKeyViolation } from '../database/violations.js'
import { totalOf, type Items, type Order } from './order.js'

type Row = Selectable<OrderTable>

/** The newest first: the caller's own, for an admin everybody's. */
export function listOrders(db: Database, caller: Caller): PageSource<Row> {
  const orders = db.selectFrom('orders').selectAll()
  return fromKysely(caller.isAdmin ? orders : orders.where('userId', '=', caller.id), { by: ['-id'] })
}

/**
 * @throws NotFoundError when there is no such order.
 * @throws BusinessError 403 `order.not_yours` when it is somebody else's and the caller is no admin.
 */
export async function findOrder(db: Database, caller: Caller, id: number): Promise<Row> {
  const order = await findOrFail(db.selectFrom('orders').selectAll().where('id', '=', id).executeTakeFirst(), 'No such order')
  if (caller.isAdmin || order.userId === caller.id) return order
  throw new BusinessError('This is not your order', 403, { reason: 'order.not_yours' })
}

export async function createOrder(db: Database, buyer: Caller, items: Items): Promise<Row> {
  const order = { userId: buyer.id, items: JSON.stringify(items), total: totalOf(items).toFixed(2), status: 'open', createdAt: new Date() }
  try {
    return await findOrder(db, buyer, await insertRow(db, 'orders', order))
  } catch (error) {
    throw isForeignKeyViolation(error) ? new ConflictError('Your account is gone') : error
  }
}

/** An order as it is sent, from the row as it is stored. */
export function toOrder({ items, total, ...order }: Row): Order {
  return { ...order, items: JSON.parse(items) as Items, total: Number(total) }
}
