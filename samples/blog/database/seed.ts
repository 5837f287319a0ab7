import { sql, type Insertable } from 'kysely'
import { hashPassword } from '../passwords.js'
import { isMysql } from './dialect.js'
import type { Database, OrderTable, PostTable, RowTable, UserTable } from './schema.js'

/** Everybody in {@link SIGN_INS} has it. */
export const PASSWORD = 'correct horse battery staple'

/** Who can sign in: the first users, with ids from 1. */
export const SIGN_INS = [
  { name: 'Ada Admin', email: 'admin@example.test', role: 'admin' },
  { name: 'Edgar Editor', email: 'editor@example.test', role: 'editor' },
  { name: 'Ursula User', email: 'user@example.test', role: null },
] as const

/** Fills empty tables with 60 users, 200 posts and 100 orders, always the same; leaves tables with rows as they are. */
export async function seed(db: Database): Promise<void> {
  const { users } = await db.selectFrom('users').select((eb) => eb.fn.countAll().as('users')).executeTakeFirstOrThrow()
  if (Number(users) > 0) return
  const passwordHash = await hashPassword(PASSWORD)
  await db.insertInto('users').values(rows(60, (id) => userOf(id, passwordHash))).execute()
  await db.insertInto('posts').values(rows(200, postOf)).execute()
  await db.insertInto('orders').values(rows(100, orderOf)).execute()
  if (!isMysql(db)) await continueIds(db, { users: 60, posts: 200, orders: 100 })
}

/** PostgreSQL does not notice that ids were given by hand. */
async function continueIds(db: Database, last: Record<RowTable, number>): Promise<void> {
  for (const [table, id] of Object.entries(last)) {
    await sql`select setval(pg_get_serial_sequence(${table}, 'id'), ${sql.lit(id)})`.execute(db)
  }
}

function rows<Row>(count: number, rowOf: (id: number) => Row): Row[] {
  return Array.from({ length: count }, (_, index) => rowOf(index + 1))
}

const FIRST_NAMES = ['Alma', 'Bruno', 'Clara', 'Dario', 'Elif', 'Felix', 'Greta', 'Hugo', 'Ines', 'Jonas']
const LAST_NAMES = ['Abbott', 'Brandt', 'Costa', 'Dietrich', 'Eriksen', 'Fontaine']
const HOUR = 3_600_000

function hoursAfterNewYear(hours: number): Date {
  return new Date(Date.UTC(2026, 0, 1) + hours * HOUR)
}

function userOf(id: number, passwordHash: string): Insertable<UserTable> {
  const signIn = SIGN_INS[id - 1]
  const first = pick(FIRST_NAMES, id)
  const last = pick(LAST_NAMES, Math.floor(id / FIRST_NAMES.length))
  return {
    id,
    name: signIn?.name ?? `${first} ${last}`,
    email: signIn?.email ?? `${first}.${last}@example.test`.toLowerCase(),
    status: id % 7 === 0 ? 0 : 1,
    age: id % 5 === 0 ? null : 18 + ((id * 11) % 60),
    role: signIn?.role ?? null,
    avatarUrl: null,
    createdAt: hoursAfterNewYear(id),
    passwordHash: signIn === undefined ? null : passwordHash,
  }
}

const CATEGORIES = ['news', 'how-to', 'opinion', 'release']
const AUTHORS = 20

function postOf(id: number): Insertable<PostTable> {
  const category = pick(CATEGORIES, id)
  return {
    id,
    title: `Post ${id}: ${category}`,
    content: `What there is to say about ${category}, in part ${id}.`,
    category,
    status: id % 3 === 0 ? 0 : 1,
    authorId: (id % AUTHORS) + 1,
    createdAt: hoursAfterNewYear(100 + id),
    deletedAt: null,
  }
}

const GOODS = ['Notebook', 'Pencil', 'Eraser', 'Ruler', 'Stapler']
const BUYERS = 60

function orderOf(id: number): Insertable<OrderTable> {
  const quantity = 1 + (id % 3)
  const price = 2.5 + (id % 10)
  return {
    id,
    userId: ((id - 1) % BUYERS) + 1,
    items: JSON.stringify([{ name: pick(GOODS, id), quantity, price }]),
    total: (quantity * price).toFixed(2),
    status: id % 4 === 0 ? 'shipped' : 'open',
    createdAt: hoursAfterNewYear(200 + id),
  }
}

function pick<T>(list: readonly T[], index: number): T {
  return list[index % list.length] as T
}
