import type { Router } from 'express'
import { formatData, mountResource, paginate, RequestParam } from 'resourcery'
import { z } from 'zod'
import { callerOf } from '../caller.js'
import type { Database } from '../database/schema.js'
import { NewOrder, Order, OrderId } from './order.js'
import { createOrder, findOrder, listOrders, toOrder } from './orders-table.js'

/** The resource `orders`: everybody has their own, an admin sees them all. */
export function mountOrders(router: Router, db: Database): void {
  mountResource(router, {
    app: 'shop', route: '/orders', name: 'orders', tags: ['Orders'],
    handlers: {
      list: {
        output: z.array(Order),
        handler: async (req) => {
          const { page, limit } = RequestParam.page(req)
          return formatData(await paginate(listOrders(db, callerOf(req)), { page, limit }), toOrder)
        },
      },
      show: { input: OrderId, output: Order, handler: async (req, res, { id }) => toOrder(await findOrder(db, callerOf(req), id)) },
      create: {
        input: NewOrder, output: Order, message: 'Ordered',
        handler: async (req, res, { items }) => toOrder(await createOrder(db, callerOf(req), items)),
      },
    },
  })
}
