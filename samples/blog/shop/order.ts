import { param } from 'resourcery'
import { z } from 'zod'

const Item = z.object({
  name: z.string().trim().min(1, 'A name is needed').max(100),
  quantity: param.int().min(1).max(1000).default(1),
  price: param.number().min(0).max(100_000).multipleOf(0.01, 'A price has at most two decimals').default(0),
})

/** The body of a new order; the server sets its owner and its total. */
export const NewOrder = z.object({ items: z.array(Item).min(1, 'An order has at least one item').max(50) })

/** An order as it is sent. */
export const Order = z.object({
  id: z.int(),
  userId: z.int().nullable(),
  items: z.array(z.object({ name: z.string(), quantity: z.int(), price: z.number() })),
  total: z.number(),
  status: z.string(),
  createdAt: z.date(),
})

export type Order = z.infer<typeof Order>
export type Items = Order['items']

/** The price of all items; summed in cents, because 0.1 + 0.2 is not 0.3. */
export function totalOf(items: Items): number {
  return items.reduce((cents, { quantity, price }) => cents + quantity * Math.round(price * 100), 0) / 100
}
