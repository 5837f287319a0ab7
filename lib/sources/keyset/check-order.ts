import { MisuseError, type Library } from '../../errors.js'
import type { Order } from './key.js'

/** @throws MisuseError `<library>_order` when a list has no order, or one of its own beside the keys. */
export function checkOrder(library: Library, order: Order, hasOwn: boolean): void {
  const isKeyed = order.keys.length > 0
  if (isKeyed && hasOwn) throw new MisuseError(`${library}_order`, 'The query has an order already, and `by` is the whole order.')
  if (!isKeyed && !hasOwn) {
    const sentence = 'Pages without an order repeat and miss rows: order the query, or give { by }, a unique key last.'
    throw new MisuseError(`${library}_order`, sentence)
  }
}
