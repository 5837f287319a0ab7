import { Router } from 'express'
import { auth, permission } from 'resourcery'
import { mountLogin } from '../login.js'
import type { Services } from '../services.js'
import { mountOrders } from './orders.js'

/** Everybody who is signed in may do this, whatever the role; whose orders they are is the handlers' business. */
const EVERYBODY = new Set(['shop.orders.list', 'shop.orders.show', 'shop.orders.create'])

/** The application `shop`: orders, with sign-ins of its own. */
export function shopRouter(services: Services): Router {
  const shop = Router()
  shop.use(auth('shop', { secret: services.secret }), permission('shop', { allows: (auth, id) => EVERYBODY.has(id) }))
  mountLogin(shop, 'shop', services)
  mountOrders(shop, services.stores)
  return shop
}
