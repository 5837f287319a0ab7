/** The projects that `resourcery add` is run in, each with a library, a database, a language and a test runner. */

const PG = `
const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL })
pool.on('error', (error) => console.error('An idle connection was lost:', error.message))
pool.on('connect', (client) => client.on('error', () => undefined))
`

/** The types of the program name some of the tables, and one of them in a way that the rows do not have. */
const KYSELY_TYPES = `
interface Tables {
  authors: {
    id: Generated<number>
    name: string
    email: string
    passwordHash: Generated<string>
    bio: string | null
    created_at: Generated<Date>
  }
  settings: { key: string; value: number }
}
`

const ALL = ['authors', 'books', 'order', 'settings', 'categories']
const REFUSED = [
  ['book_tags', 1, '`book_tags` has a primary key of several columns'],
  ['logs', 1, '`logs` has no primary key'],
  ['recent', 1, '`recent` is a view'],
  ['files', 1, 'The column `data` of `files` is required and has the type'],
  ['autors', 2, 'Did you mean `authors`?'],
]

const DRIZZLE_PG =
  `import { bigint, boolean, char, date, integer, jsonb, numeric, pgEnum, pgSchema, pgTable, primaryKey, smallint, text, timestamp, uuid, varchar } from 'drizzle-orm/pg-core'

export const genre = pgEnum('genre', ['novel', 'essay', 'poem'])
export const authors = pgTable('authors', {
  id: integer().primaryKey().generatedByDefaultAsIdentity(),
  name: varchar({ length: 80 }).notNull(),
  email: varchar({ length: 120 }).notNull().unique(),
  passwordHash: text().notNull().default(''),
  bio: text(),
  createdAt: timestamp('created_at', { withTimezone: true }).notNull().defaultNow(),
})
export const books = pgTable('books', {
  id: uuid().primaryKey().defaultRandom(),
  authorId: integer('author_id').notNull().references(() => authors.id),
  isbn: char({ length: 13 }).notNull().unique(),
  genre: genre().notNull().default('novel'),
  status: text({ enum: ['draft', 'it\\'s live'] }).notNull(),
  price: numeric({ precision: 8, scale: 2 }).notNull(),
  discount: numeric({ precision: 4, scale: 2, mode: 'number' }).notNull().default(0),
  stars: smallint().notNull().default(3),
  nick: varchar({ length: 30 }).notNull(),
  tags: text().array().notNull().default([]),
  meta: jsonb().notNull().default({}),
  published: date(),
  views: bigint({ mode: 'bigint' }).notNull().default(0n),
  available: boolean().notNull().default(true),
  updatedAt: timestamp('updated_at').notNull().$onUpdate(() => new Date()),
})
export const order = pgTable('order', {
  id: integer().primaryKey().generatedByDefaultAsIdentity(),
  select: text().notNull(),
  oddName: varchar('odd name', { length: 20 }).notNull(),
  'first-line': text(),
  total: numeric({ mode: 'bigint' }).notNull(),
})
export const categories = pgTable('categories', {
  id: bigint({ mode: 'number' }).primaryKey(),
  parentId: bigint('parent_id', { mode: 'number' }),
  tenantId: integer('tenant_id').notNull(),
  name: text().notNull(),
})
export const events = pgSchema('audit').table('events', {
  id: bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
  kind: text().notNull(),
  at: timestamp({ withTimezone: true, mode: 'string' }).notNull(),
})
export const bookTags = pgTable('book_tags', { bookId: uuid('book_id').notNull(), tag: text().notNull() }, (table) => [
  primaryKey({ columns: [table.bookId, table.tag] }),
])
`

const DRIZZLE_SQLITE = `import { integer, real, sqliteTable, text } from 'drizzle-orm/sqlite-core'

export const authors = sqliteTable('authors', {
  id: integer().primaryKey(),
  name: text({ length: 80 }).notNull(),
  email: text().notNull().unique(),
  passwordHash: text().notNull().default(''),
  bio: text(),
})
export const books = sqliteTable('books', {
  id: integer().primaryKey({ autoIncrement: true }),
  authorId: integer('author_id').notNull().references(() => authors.id),
  isbn: text({ length: 13 }).notNull().unique(),
  genre: text({ enum: ['novel', 'essay', 'it\\'s a poem'] }).notNull().default('novel'),
  price: real().notNull(),
  stars: integer().notNull().default(3),
  meta: text({ mode: 'json' }).notNull().default({}),
  available: integer({ mode: 'boolean' }).notNull().default(true),
  seenAt: integer('seen_at', { mode: 'timestamp' }),
})
export const settings = sqliteTable('settings', { key: text().primaryKey(), value: text({ mode: 'json' }).notNull() })
`

const PRISMA_PG = `generator client {
  provider            = "prisma-client"
  output              = "../src/generated"
  engineType          = "client"
  importFileExtension = "js"
}

datasource db {
  provider = "postgresql"
}

enum Genre {
  novel
  essay
  verse @map("poem")

  @@map("genre")
}

model Author {
  id           Int      @id @default(autoincrement())
  name         String   @db.VarChar(80)
  email        String   @unique @db.VarChar(120)
  passwordHash String   @default("")
  bio          String?
  createdAt    DateTime @default(now()) @map("created_at") @db.Timestamptz
  books        Book[]

  @@map("authors")
}

model Book {
  id        String    @id @default(uuid()) @db.Uuid
  authorId  Int       @map("author_id")
  author    Author    @relation(fields: [authorId], references: [id])
  isbn      String    @unique @db.Char(13)
  genre     Genre     @default(novel)
  status    String
  price     Decimal   @db.Decimal(8, 2)
  discount  Decimal   @default(0) @db.Decimal(4, 2)
  stars     Int       @default(3) @db.SmallInt
  nick      String    @db.VarChar(30)
  tags      String[]  @default([])
  meta      Json      @default("{}")
  published DateTime? @db.Date
  views     BigInt    @default(0)
  available Boolean   @default(true)
  opens     DateTime? @db.Time
  updatedAt DateTime  @updatedAt @map("updated_at") @db.Timestamp

  @@map("books")
}

model Setting {
  key   String @id @db.VarChar(40)
  value Json

  @@map("settings")
}

model BookTag {
  bookId String @map("book_id") @db.Uuid
  tag    String

  @@id([bookId, tag])
  @@map("book_tags")
}
`

const PRISMA_SQLITE = `generator client {
  provider   = "prisma-client-js"
  engineType = "client"
  output     = "../src/generated"
}

datasource db {
  provider = "sqlite"
}

model Author {
  id           Int    @id @default(autoincrement())
  name         String
  email        String @unique
  passwordHash String @default("")
  bio          String?

  @@map("authors")
}

model Setting {
  key   String @id
  value Json

  @@map("settings")
}
`

export const PROJECTS = {
  kysely: {
    database: 'postgres',
    tests: 'vitest',
    files: {
      'src/db/database.ts': `import { Kysely, PostgresDialect, type Generated } from 'kysely'
import pg from 'pg'
${KYSELY_TYPES}${PG}
export const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) })
`,
    },
    tables: [...ALL, 'audit.events', 'reviews'],
    todo: ['ranges'],
    refused: [...REFUSED, ['events', 2, 'Did you mean `audit.events`?']],
  },
  'kysely-commonjs': {
    database: 'postgres',
    tests: 'vitest',
    isCommonJs: true,
    files: {
      'src/db.js': `const { Kysely, PostgresDialect } = require('kysely')
const pg = require('pg')
${PG}
module.exports = { db: new Kysely({ dialect: new PostgresDialect({ pool }) }) }
`,
    },
    tables: ['authors', 'books', 'settings'],
    refused: [],
  },
  'knex-js': {
    database: 'mariadb',
    tests: 'node',
    isCommonJs: true,
    files: {
      'knexfile.js': `module.exports = { client: 'mysql2', connection: process.env.DATABASE_URL }\n`,
      'db.js': `const knex = require('knex')
const settings = require('./knexfile')

module.exports = { db: knex(settings) }
`,
    },
    tables: ALL,
    todo: ['ranges'],
    refused: REFUSED,
  },
  drizzle: {
    database: 'postgres',
    tests: 'node',
    files: {
      'src/schema.ts': DRIZZLE_PG,
      'src/database.ts': `import { drizzle } from 'drizzle-orm/node-postgres'

export const db = drizzle(process.env.DATABASE_URL ?? '')
`,
    },
    tables: ['authors', 'books', 'categories', 'audit.events'],
    refused: [['book_tags', 1, 'several columns (bookId, tag)'], ['autors', 2, 'Did you mean `authors`?']],
  },
  prisma: {
    database: 'postgres',
    tests: 'vitest',
    files: {
      'prisma/schema.prisma': PRISMA_PG,
      'src/lib/prisma.ts': `import { PrismaPg } from '@prisma/adapter-pg'
import { PrismaClient } from '../generated/client.js'

const prisma = new PrismaClient({ adapter: new PrismaPg({ connectionString: process.env.DATABASE_URL ?? '' }) })

export default prisma
`,
    },
    tables: ['Author', 'books', 'setting'],
    leftOut: { books: '`opens` (time without time zone) is left out' },
    refused: [['BookTag', 1, 'several columns (bookId, tag)'], ['Autor', 2, 'Did you mean `author`?']],
  },
  'kysely-js': {
    database: 'sqlite',
    tests: 'node',
    files: {
      'src/database.js': `import Sqlite from 'better-sqlite3'
import { Kysely, SqliteDialect } from 'kysely'

const database = new Sqlite(process.env.DATABASE_URL)
database.pragma('foreign_keys = ON')

export const db = new Kysely({ dialect: new SqliteDialect({ database }) })

export async function closeDatabase() {
  await db.destroy()
}
`,
    },
    tables: ALL,
    todo: ['ranges'],
    refused: REFUSED,
  },
  'kysely-camel': {
    database: 'postgres',
    tests: 'node',
    files: {
      'src/database.ts': `import { CamelCasePlugin, Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
${PG}
interface Tables {
  authors: { id: number }
}

export const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }), plugins: [new CamelCasePlugin()] })
`,
    },
    tables: ['categories', 'books'],
    refused: [],
  },
  knex: {
    database: 'postgres',
    tests: 'vitest',
    files: {
      'src/database.ts': `import makeKnex from 'knex'

export default makeKnex({ client: 'pg', connection: process.env.DATABASE_URL ?? '' })
`,
    },
    tables: [...ALL, 'audit.events'],
    todo: ['ranges'],
    refused: REFUSED,
  },
  'kysely-mariadb': {
    database: 'mariadb',
    tests: 'vitest',
    files: {
      'src/database.ts': `import { Kysely, MysqlDialect } from 'kysely'
import { createPool } from 'mysql2'

interface Tables {
  members: { id: number }
}

export const db = new Kysely<Tables>({
  dialect: new MysqlDialect({ pool: createPool(process.env.DATABASE_URL ?? '') }),
})
`,
    },
    tables: ALL,
    refused: REFUSED,
  },
  'knex-sqlite': {
    database: 'sqlite',
    tests: 'vitest',
    files: {
      'src/database.ts': `import makeKnex from 'knex'

export const knex = makeKnex({
  client: 'better-sqlite3',
  connection: { filename: process.env.DATABASE_URL ?? '' },
  useNullAsDefault: true,
})
`,
    },
    tables: ALL,
    refused: REFUSED,
  },
  'drizzle-sqlite': {
    database: 'sqlite',
    tests: 'vitest',
    files: {
      'src/schema.ts': DRIZZLE_SQLITE,
      'src/database.ts': `import { drizzle } from 'drizzle-orm/libsql'

export const db = drizzle(\`file:\${process.env.DATABASE_URL ?? ''}\`)
`,
    },
    tables: ['authors', 'books', 'settings'],
    refused: [],
  },
  'prisma-js': {
    database: 'sqlite',
    tests: 'node',
    isCommonJs: true,
    files: {
      'prisma/schema.prisma': PRISMA_SQLITE,
      'src/database.js': `const { PrismaLibSql } = require('@prisma/adapter-libsql')
const { PrismaClient } = require('./generated')

const prisma = new PrismaClient({ adapter: new PrismaLibSql({ url: \`file:\${process.env.DATABASE_URL}\` }) })

module.exports = { prisma }
`,
    },
    tables: ['author', 'Setting'],
    refused: [['Books', 2, 'There are `author`, `setting`.']],
  },
}
