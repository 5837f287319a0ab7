import type { Router } from 'express'
import { BusinessError, mountResource } from 'resourcery'
import { crud } from 'resourcery/crud'
import { callerOf } from '../caller.js'
import type { Stores } from '../stores.js'
import { NewOrder, Order, totalOf } from './order.js'

/** The resource `orders`: everybody has their own, an admin sees them all. */
export function mountOrders(router: Router, { orders }: Stores): void {
  mountResource(router, {
    app: 'shop',
    route: '/orders',
    name: 'orders',
    tags: ['Orders'],
    actions: ['list', 'show', 'create'],
    ...crud(orders, {
      input: NewOrder,
      output: Order,
      order: ['-id'],
      before: {
        create: ({ items }, { req }) => ({
          items,
          total: totalOf(items),
          userId: callerOf(req).id,
          status: 'open',
          createdAt: new Date(),
        }),
      },
      scope: {
        list: (req) => {
          const { id, isAdmin } = callerOf(req)
          return isAdmin ? [] : [['userId', '=', id]]
        },
      },
      check: ({ userId }, { req }) => {
        const { id, isAdmin } = callerOf(req)
        if (!isAdmin && userId !== id) {
          throw new BusinessError('This is not your order', 403, { reason: 'order.not_yours' })
        }
      },
    }),
  })
}
