import { PrismaMariaDb } from '@prisma/adapter-mariadb'
import { PrismaPg } from '@prisma/adapter-pg'
import { prismaStore } from 'resourcery/prisma'
import { ConfigError } from '../config.js'
import type { Pool } from '../database/open.js'
import type { Stores } from '../stores.js'
import { PrismaClient as OnMysql } from './generated/mysql/client.js'
import { PrismaClient as OnPostgres } from './generated/postgres/client.js'

/**
 * The stores of the blog by Prisma, which opens connections of its own.
 *
 * @throws ConfigError on the embedded database, which has no address.
 */
export function makeStores({ kind, url }: Pool): Stores {
  if (url === undefined) throw new ConfigError('STORE=prisma needs a server: set DATABASE_URL.')
  return kind === 'mysql' ? onMysql(url) : onPostgres(url)
}

/** `items` is any JSON to Prisma, and `unknown` to the blog. */
const ORDERS = { columns: { id: 'integer', userId: 'integer', total: 'number' } } as const

function onPostgres(url: string): Stores {
  const schema = /search_path=(\w+)/.exec(new URL(url).searchParams.get('options') ?? '')?.[1] ?? 'public'
  const prisma = new OnPostgres({ adapter: new PrismaPg({ connectionString: url }, { schema }) })
  const keys = prismaStore(prisma, 'idempotencyKey', { columns: { expiresAt: 'integer' } })
  return {
    users: prismaStore(prisma, 'user', { columns: { id: 'integer' } }),
    posts: prismaStore(prisma, 'post', { columns: { id: 'integer', authorId: 'integer' } }),
    orders: prismaStore(prisma, 'order', ORDERS) as unknown as Stores['orders'],
    idempotencyKeys: (db) => keys.on?.(db as typeof keys.db) ?? keys,
    close: () => prisma.$disconnect(),
  }
}

function onMysql(url: string): Stores {
  const prisma = new OnMysql({ adapter: new PrismaMariaDb(url.replace(/^mysql:/, 'mariadb:')) })
  const keys = prismaStore(prisma, 'idempotencyKey', { columns: { expiresAt: 'integer' } })
  return {
    users: prismaStore(prisma, 'user', { columns: { id: 'integer' } }),
    posts: prismaStore(prisma, 'post', { columns: { id: 'integer', authorId: 'integer' } }),
    orders: prismaStore(prisma, 'order', ORDERS) as unknown as Stores['orders'],
    idempotencyKeys: (db) => keys.on?.(db as typeof keys.db) ?? keys,
    close: () => prisma.$disconnect(),
  }
}
