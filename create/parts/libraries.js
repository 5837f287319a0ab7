/** The library between the program and the tables: its client, the tables as it knows them, the store of notes. */

export function kyselyFiles({ auth, ts, isTs, when, ext }) {
  return {
    [`src/database.${ext}`]: `import { Kysely, PostgresDialect${ts(', type Generated')} } from 'kysely'
import { kyselyStore } from 'resourcery/kysely'
import { pool } from './pool.js'
${
      when(isTs, `
interface Tables {
${when(auth, '  users: { id: Generated<number>; email: string; passwordHash: string; role: Generated<string> }\n')}\
  notes: { id: Generated<number>; title: string; done: Generated<boolean>${when(auth, '; ownerId: number')} }
}
`)
    }
export const db = new Kysely${ts('<Tables>')}({ dialect: new PostgresDialect({ pool }) })
export const notes = kyselyStore(db, 'notes')

export async function closeDatabase()${ts(': Promise<void>')} {
  await db.destroy()
}
`,
  }
}

export function drizzleFiles({ auth, ts, when, ext }) {
  return {
    [`src/schema.${ext}`]: `import { boolean, ${
      when(auth, 'index, ')
    }integer, pgTable, text } from 'drizzle-orm/pg-core'
${
      when(auth, `
export const users = pgTable('users', {
  id: integer().primaryKey().generatedByDefaultAsIdentity(),
  email: text().notNull().unique(),
  passwordHash: text().notNull(),
  role: text().notNull().default('user'),
})
`)
    }
export const notes = pgTable('notes', {
  id: integer().primaryKey().generatedByDefaultAsIdentity(),
  title: text().notNull(),
  done: boolean().notNull().default(false),
${when(auth, '  ownerId: integer().notNull().references(() => users.id),\n')}\
}${when(auth, ', (table) => [index().on(table.ownerId)]')})
`,
    [`src/database.${ext}`]: `import { drizzle } from 'drizzle-orm/node-postgres'
import { drizzleStore } from 'resourcery/drizzle'
import { pool } from './pool.js'
import * as tables from './schema.js'

export const db = drizzle({ client: pool })
export const notes = drizzleStore(db, tables.notes)

export async function closeDatabase()${ts(': Promise<void>')} {
  await pool.end()
}
`,
  }
}

export function prismaFiles({ auth, ts, when, ext }) {
  return {
    'prisma/schema.prisma': `generator client {
${
      ext === 'ts'
        ? `  provider            = "prisma-client"
  output              = "../src/generated"
  engineType          = "client"
  importFileExtension = "js"`
        : `  provider   = "prisma-client-js"
  engineType = "client"`
    }
}

datasource db {
  provider = "postgresql"
}
${
      when(auth, `
model User {
  id           Int    @id @default(autoincrement())
  email        String @unique
  passwordHash String
  role         String @default("user")
  notes        Note[]

  @@map("users")
}
`)
    }
model Note {
  id    Int     @id @default(autoincrement())
  title String
  done  Boolean @default(false)
${
      when(auth, `
  ownerId Int
  owner   User @relation(fields: [ownerId], references: [id])

  @@index([ownerId])
`)
    }
  @@map("notes")
}
`,
    [`prisma.config.${ext}`]: `import { defineConfig } from 'prisma/config'

export default defineConfig({
  schema: 'prisma/schema.prisma',
  datasource: { url: process.env.DATABASE_URL ?? '' },
})
`,
    [`src/database.${ext}`]: `import { PrismaPg } from '@prisma/adapter-pg'
${
      ext === 'ts'
        ? "import { prismaStore } from 'resourcery/prisma'\nimport { PrismaClient } from './generated/client.js'"
        : "import { PrismaClient } from '@prisma/client'\nimport { prismaStore } from 'resourcery/prisma'"
    }
import { pool } from './pool.js'

export const prisma = new PrismaClient({ adapter: new PrismaPg(pool) })
export const notes = prismaStore(prisma, 'note')

export async function closeDatabase()${ts(': Promise<void>')} {
  await prisma.$disconnect()
  await pool.end()
}
`,
  }
}
