import { PGlite } from '@electric-sql/pglite'
import type { Router } from 'express'
import { Kysely, PostgresDialect, sql, type Generated } from 'kysely'
import { mountResource, mountRoutes, param } from 'resourcery'
import { crud } from 'resourcery/crud'
import { kyselyStore } from 'resourcery/kysely'
import { z } from 'zod'
import { poolOfOne } from '../../../support/databases.js'
import type { Has } from './replies.js'

/** Faults of resources on a database, each with its route. */
export const PRODUCT_FAULTS = {
  hookResets: 'PATCH /shop/products/:id',
  rawSql: 'GET /shop/cheapest',
  hookFails: 'POST /shop/products',
  rightsOfOne: 'POST /shop/products/:id/restock',
} as const

interface Tables {
  makers: { id: Generated<number>; name: string }
  products: {
    id: Generated<number>
    name: string
    sku: string
    makerId: number
    price: string
    stock: number
    weight: number
    isSold: boolean
    releasedOn: string | null
    soldAt: Date | null
    cost: number
    version: number
    deletedAt: Date | null
  }
}

export async function openProducts(): Promise<Kysely<Tables>> {
  const pglite = await PGlite.create()
  await pglite.exec(`
    create table makers (id serial primary key, name text not null unique);
    create table products (id serial primary key, name text not null, sku text not null unique,
      "makerId" int not null references makers, price numeric(10, 2) not null, stock int not null,
      weight double precision not null, "isSold" boolean not null, "releasedOn" date, "soldAt" timestamptz,
      cost int not null default 7, version int not null default 1, "deletedAt" timestamptz);
    insert into makers (name) values ('Acme'), ('Brill');
    insert into products (name, sku, "makerId", price, stock, weight, "isSold", "releasedOn", "soldAt", cost)
      select 'Product ' || n, 'SKU-' || n, 1 + n % 2, n + 0.5, n, n / 4.0, n % 2 = 0, '2026-01-31', now(), n * 3
      from generate_series(1, 9) n;`)
  return new Kysely<Tables>({ dialect: new PostgresDialect({ pool: poolOfOne(pglite) }) })
}

const Product = z.object({ id: z.int(), name: z.string(), sku: z.string(), makerId: z.int(), price: z.string(),
  stock: z.int(), weight: z.number(), isSold: z.boolean(), releasedOn: z.string().nullable(),
  soldAt: z.date().nullable() })

const NewProduct = z.object({
  name: z.string().trim().min(1).max(120),
  sku: z.string().min(2).max(30),
  makerId: param.int(),
  price: param.decimal({ scale: 2 }),
  stock: param.int().min(0).max(10_000).default(0),
  weight: param.number().min(0).max(1e6),
  isSold: param.bool().default(false),
  releasedOn: param.calendarDate().nullable().default(null),
  soldAt: param.date().nullable().default(null),
})

export function mountProducts(router: Router, db: Kysely<Tables>, has: Has): void {
  const makers = crud(kyselyStore(db, 'makers'), {
    input: z.object({ name: z.string().trim().min(1).max(80) }),
    output: z.object({ id: z.int(), name: z.string() }),
    sort: ['name'],
    search: ['name'],
  })
  mountResource(router, { app: 'shop', route: '/makers', name: 'makers', ...makers })
  mountResource(router, {
    app: 'shop',
    route: '/products',
    name: 'products',
    ...crud(kyselyStore(db, 'products', { columns: { releasedOn: 'calendarDate' } }), {
      input: NewProduct,
      output: Product,
      sort: ['name', 'price', 'stock', 'releasedOn'],
      search: ['name', 'sku'],
      filters: { makerId: { eq: param.int() }, stock: { range: param.int() }, isSold: { eq: param.bool() } },
      references: { makerId: makers },
      softDelete: { field: 'deletedAt' },
      version: 'version',
      ifMatch: 'optional',
      export: { columns: ['id', 'name', 'sku'] },
      before: {
        create: (row) => {
          if (has('hookFails') && row.name.includes('&')) throw new Error('a label cannot be printed')
          return row
        },
        store: (row) => has('hookResets') ? { ...row, isSold: false } : row,
      },
      members: {
        restock: { input: z.object({ count: param.int().min(1).max(100) }), change: (row, { count }) => {
          if (has('rightsOfOne') && row.stock % 2 === 1) throw new Error('the stock is odd')
          return { stock: Math.min(10_000, row.stock + count) }
        } },
      },
    }),
  })
  mountRoutes(router, { app: 'shop', route: '/cheapest', name: 'cheapest', routes: {
    show: { methods: ['GET'], route: '', query: z.object({ like: z.string().max(60).default('') }),
      handler: async (req, res, { like }) => {
        const query = has('rawSql')
          ? sql.raw(`select id from products where name like '%${like}%' order by price limit 1`)
          : sql`select id from products where strpos(name, ${like}) > 0 order by price limit 1`
        const { rows } = await query.execute(db)
        return rows
      } },
  } })
}
