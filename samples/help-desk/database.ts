import { PGlite } from '@electric-sql/pglite'
import { Kysely, PostgresDialect, type Generated, type PostgresPool } from 'kysely'
import { hashOf } from './passwords.js'

export interface Tables {
  agents: { id: Generated<number>; name: string; email: string; role: 'lead' | 'agent'; passwordHash: string }
  members: { team: string; agentId: number }
  customers: { id: Generated<number>; name: string; email: string }
  categories: { id: Generated<number>; name: string; parentId: number | null }
  tickets: {
    id: Generated<number>
    team: string
    customerId: number
    categoryId: number | null
    agentId: number | null
    title: string
    status: string
    tags: string[]
    dueOn: string | null
    minutes: number
    version: number
    deletedAt: Date | null
  }
  comments: { id: Generated<number>; ticketId: number; agentId: number; text: string; createdAt: Generated<Date> }
  attachments: { id: Generated<number>; ticketId: number; name: string; type: string; size: number; path: string }
}
export type Database = Kysely<Tables>

/** Opens PostgreSQL inside this process, in memory; `log` receives each statement. */
export async function openDatabase(password: string, log?: (statement: string) => void): Promise<Database> {
  const pglite = await PGlite.create('memory://')
  await pglite.exec(schema(hashOf(password)))
  const query = async (text: string, values: readonly unknown[]) => {
    log?.(text)
    const { rows, affectedRows = rows.length } = await pglite.query(text, [...values])
    return { command: text.slice(0, 6).toUpperCase(), rows, rowCount: affectedRows }
  }
  let free = Promise.resolve()
  const pool = { // has one connection, so each caller waits for the one before
    async connect() {
      const before = free
      let release = (): void => {}
      free = new Promise((resolve) => (release = resolve))
      await before
      return { query, release }
    },
    end: () => pglite.close(),
  }
  return new Kysely<Tables>({ dialect: new PostgresDialect({ pool: pool as unknown as PostgresPool }) })
}

const schema = (passwordHash: string): string => `
  create table agents (id serial primary key, name text not null, email text not null unique, role text not null,
    "passwordHash" text not null default '${passwordHash}');
  create table members (team text, "agentId" int references agents, primary key ("agentId", team));
  create table customers (id serial primary key, name text not null, email text not null unique);
  create table categories (id serial primary key, name text not null, "parentId" int references categories);
  create table tickets (id serial primary key, team text not null, title text not null,
    "customerId" int not null constraint tickets_customer references customers,
    "categoryId" int references categories, "agentId" int references agents,
    status text not null default 'open', tags jsonb not null default '[]', "dueOn" date,
    minutes int not null, version int not null, "deletedAt" timestamptz);
  create table comments (id serial primary key, "ticketId" int not null references tickets,
    "agentId" int not null references agents, text text not null, "createdAt" timestamptz(3) not null default now());
  create table attachments (id serial primary key, "ticketId" int not null references tickets, name text not null,
    type text not null, size int not null, path text not null);
  create index on tickets ("dueOn", id); create index on comments ("ticketId");
  insert into agents (name, email, role) values
    ('Lea', 'lea@example.test', 'lead'), ('Max', 'max@example.test', 'agent');
  insert into members (team, "agentId") values ('hardware', 1), ('software', 1), ('hardware', 2);
  insert into customers (name, email) values ('Ada', 'ada@example.test'), ('Bob', 'bob@example.test');
  insert into categories (name, "parentId") values ('Devices', null), ('Printers', 1), ('Accounts', null);
`
