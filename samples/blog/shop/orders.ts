import type { Router } from 'express'
import { BusinessError, mountResource } from 'resourcery'
import { crud } from 'resourcery/crud'
import { kyselyStore } from 'resourcery/stores/kysely'
import { callerOf } from '../caller.js'
import type { Database } from '../database/schema.js'
import { NewOrder, Order, totalOf } from './order.js'

/** The resource `orders`: everybody has their own, an admin sees them all. */
export function mountOrders(router: Router, db: Database): void {
  mountResource(router, {
    app: 'shop', route: '/orders', name: 'orders', tags: ['Orders'], actions: ['list', 'show', 'create'],
    ...crud(kyselyStore(db, 'orders', { columns: { items: 'json', total: 'number' } }), {
      input: NewOrder,
      output: Order,
      order: ['-id'],
      before: {
        create: ({ items }, { req }) => ({ items, total: totalOf(items), userId: callerOf(req).id, status: 'open', createdAt: new Date() }),
      },
      scope: {
        list: (req) => {
          const { id, isAdmin } = callerOf(req)
          return isAdmin ? [] : [['userId', '=', id]]
        },
      },
      check: ({ userId }, { req }) => {
        const { id, isAdmin } = callerOf(req)
        if (!isAdmin && userId !== id) throw new BusinessError('This is not your order', 403, { reason: 'order.not_yours' })
      },
    }),
  })
}
