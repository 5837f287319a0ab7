import express, { type Express } from 'express'
import { auth, errorHandler, mountResource, notFound, param, permission } from 'resourcery'
import { crud, filter, memoryStore } from 'resourcery/crud'
import { openapiRouter } from 'resourcery/openapi'
import { z } from 'zod'

interface Product {
  id: number
  name: string
  kind: string
  price: string
  stock: number
  weight: number | null
  released: string | null
  seenAt: Date | null
  isActive: boolean
  note: string | null
  version: number
  deletedAt: Date | null
}

const NewProduct = z.object({
  name: z.string().trim().min(1).max(40),
  kind: z.enum(['tool', 'toy', 'book']),
  price: param.decimal({ scale: 2 }),
  stock: param.int().min(0).max(1000).default(0),
  weight: param.number().min(0).nullable().default(null),
  released: param.calendarDate().nullable().default(null),
  seenAt: param.date().nullable().default(null),
  isActive: param.bool().default(true),
  note: z.string().max(100).nullable().default(null),
})
const Product = z.object({ id: z.int(), ...NewProduct.shape, seenAt: z.date().nullable(),
  reviews: z.array(z.object({ id: z.int() })).optional() })
const Folder = z.object({ id: z.int(), name: z.string(), parentId: z.int().nullable() })
const Tag = z.object({ id: z.uuid(), label: z.string() })
const Line = z.object({ id: z.int(), text: z.string(), amount: z.int(), productId: z.int().nullable() })
const Order = z.object({ id: z.int(), title: z.string() })
const Review = z.object({ id: z.int(), productId: z.int(), stars: z.int(), text: z.string() })

/** Mounts crud resources in memory with all features. */
export function recordsApp(): Express {
  const app = express()
  const desk = express.Router()
  app.use('/desk',
    auth('desk', { verify: (req) => (req.get('cookie')?.includes('sid=ok') ? { id: 1, permissions: ['*'] } : null) }, {
      scheme: { type: 'apiKey', in: 'cookie', name: 'sid' },
    }), permission('desk'), desk)

  const products = memoryStore<Product>({
    key: 'id',
    unique: [['name']],
    rows: [{ id: 1, name: 'Hammer', kind: 'tool', price: '12.50', stock: 3, weight: 1.5, released: '2020-01-01',
      seenAt: null, isActive: true, note: null, version: 1, deletedAt: null }],
    defaults: { version: 1, deletedAt: null },
    columns: { price: 'decimal' },
  })
  const ofProducts = crud(products, {
    input: NewProduct,
    output: Product,
    sort: ['name', 'price', 'stock'],
    search: ['name', 'note'],
    filters: {
      name: { contains: true },
      kind: { oneOf: z.enum(['tool', 'toy', 'book']), ne: z.string() },
      price: { range: param.decimal({ scale: 2 }) },
      stock: { eq: param.int(), range: param.int() },
      released: { range: param.calendarDate(), isNull: true },
      seenAt: { range: param.date(), isNull: true },
      isActive: { eq: param.bool() },
    },
    customFilters: { cheap: filter(param.bool(), (cheap) => (cheap ? [['stock', '>=', 1]] : [])) },
    bulk: true,
    ifMatch: 'optional',
    version: 'version',
    softDelete: { field: 'deletedAt' },
    export: true,
    import: true,
    aggregates: { stock: 'sum' },
    members: {
      restock: { input: z.object({ count: param.int().min(1).max(5) }),
        change: ({ stock }: Product, { count }: { count: number }) => ({ stock: Math.min(1000, stock + count) }) },
      ping: { change: () => ({ seenAt: new Date(0) }) },
    },
    include: { reviews: (rows: readonly Product[]) => Promise.resolve(new Map(rows.map(({ id }) => [id, []]))) },
  } as never)
  mountResource(desk, { app: 'desk', route: '/products', name: 'products', ...ofProducts } as never)

  const reviews = crud(
    memoryStore<z.infer<typeof Review>>({ key: 'id', rows: [{ id: 1, productId: 1, stars: 5, text: 'Good' }] }),
    {
      input: z.object({ stars: z.int().min(1).max(5), text: z.string().max(50) }),
      output: Review,
      parent: { arg: 'productId', column: 'productId', of: ofProducts as never },
      unknownFields: 'refuse',
    },
  )
  mountResource(desk, { app: 'desk', route: '/products/:productId/reviews', name: 'reviews', ...reviews } as never)

  const folders = crud(
    memoryStore<z.infer<typeof Folder>>({ key: 'id', rows: [{ id: 1, name: 'Root', parentId: null }] }),
    {
      input: Folder.omit({ id: true }),
      output: Folder,
      sort: ['name'],
      tree: { parent: 'parentId', onDelete: 'restrict' },
    },
  )
  mountResource(desk, { app: 'desk', route: '/folders', name: 'folders', ...folders })

  const tags = crud(
    memoryStore<z.infer<typeof Tag>>(
      { key: 'id', rows: [{ id: '0b5a8d6e-6a1c-4a6e-9a3e-1f2d3c4b5a69', label: 'red' }],
        newKey: () => crypto.randomUUID() } as never,
    ),
    {
      id: z.uuid(),
      input: z.strictObject({ label: z.string().min(1).max(12) }),
      output: Tag,
      search: ['label'],
      paramNames: { limit: 'pageSize', search: 'q' },
    } as never,
  )
  mountResource(desk, { app: 'desk', route: '/tags', name: 'tags', ...tags } as never)

  const lines = crud(
    memoryStore<z.infer<typeof Line> & { orderId: number }>(
      { key: 'id', rows: [], defaults: { productId: null } } as never,
    ),
    {
      input: z.object({ orderId: param.int(), text: z.string().min(1).max(20), amount: z.int().min(1).default(1),
        productId: param.int().nullable().optional() }),
      output: Line,
      references: { productId: ofProducts as never },
    } as never,
  )
  const orders = crud(memoryStore<z.infer<typeof Order>>({ key: 'id', rows: [{ id: 1, title: 'one' }] }), {
    input: Order.omit({ id: true }),
    output: Order,
    bulk: true,
    children: { lines: { of: lines as never, column: 'orderId', max: 3 } },
  } as never)
  mountResource(desk, { app: 'desk', route: '/orders', name: 'orders', ...orders } as never)

  app.use(openapiRouter(app, { title: 'Records', version: '1.0.0' }), notFound(),
    errorHandler({ log: () => undefined }))
  return app
}
