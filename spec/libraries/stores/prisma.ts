import { PrismaLibSql } from '@prisma/adapter-libsql'
import { PrismaMariaDb } from '@prisma/adapter-mariadb'
import { PrismaPg } from '@prisma/adapter-pg'
import { prismaStore } from 'resourcery/prisma'
import { PrismaClient as OnMysql } from '../generated/mysql/client.js'
import { Prisma, PrismaClient as OnPostgres } from '../generated/postgres/client.js'
import { PrismaClient as OnSqlite } from '../generated/sqlite/client.js'
import type { Connect, Stores } from './tables.js'

const SAMPLES = { columns: { id: 'integer', views: 'integer' } } as const

const raw = (quote: string): Stores['things']['raw'] => ({
  hasChildren: Prisma.sql`exists (select 1 from things as child where child.parent = ${
    Prisma.raw(`${quote}things${quote}`)
  }.id)`,
  isAged: (age) => Prisma.sql`age = ${age} or 1 = 0`,
  wrong: ['1 = 1', true, () => true, null, {}, Prisma.empty, { strings: ['1 = 1'], values: [] }, { tenant: 1 }],
})

const schemaOf = (url: string): string => /search_path%3D(\w+)/.exec(url)?.[1] ?? ''

/** A client of a transaction. */
interface Transaction {
  $executeRawUnsafe(text: string): Promise<number>
}

const statement: Stores['statement'] = (transaction: Transaction, text) => transaction.$executeRawUnsafe(text)

const onPostgres: Connect = {
  dialect: 'postgres',
  open: (url) => {
    const prisma = new OnPostgres({ adapter: new PrismaPg({ connectionString: url }, { schema: schemaOf(url) }) })
    return {
      samples: prismaStore(prisma, 'sample', SAMPLES),
      things: {
        store: prismaStore(prisma, 'thing', { columns: { dueOn: 'calendarDate' } }) as never,
        withColumns: (columns) => prismaStore(prisma, 'thing', { columns: columns as never }),
        raw: raw('"'),
      },
      statement,
      close: () => prisma.$disconnect(),
    }
  },
}

const onMariadb: Connect = {
  dialect: 'mysql',
  open: (url) => {
    const prisma = new OnMysql({ adapter: new PrismaMariaDb(url.replace('mysql:', 'mariadb:')) })
    return {
      samples: prismaStore(prisma, 'sample', SAMPLES),
      things: {
        store: prismaStore(prisma, 'thing', { columns: { dueOn: 'calendarDate' } }) as never,
        withColumns: (columns) => prismaStore(prisma, 'thing', { columns: columns as never }),
        raw: raw('`'),
      },
      statement,
      close: () => prisma.$disconnect(),
    }
  },
}

const onSqlite: Connect = {
  dialect: 'sqlite',
  open: (url) => {
    const prisma = new OnSqlite({ adapter: new PrismaLibSql({ url: `file:${url}` }) })
    return {
      samples: prismaStore(prisma, 'sample', SAMPLES),
      things: {
        store: prismaStore(prisma, 'thing') as never,
        withColumns: (columns) => prismaStore(prisma, 'thing', { columns: columns as never }),
        raw: raw('"'),
      },
      statement,
      close: () => prisma.$disconnect(),
    }
  },
}

export const databases = [['PostgreSQL', onPostgres], ['MariaDB', onMariadb], ['SQLite', onSqlite]] as const
