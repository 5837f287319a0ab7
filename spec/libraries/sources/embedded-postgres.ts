import { PGlite } from '@electric-sql/pglite'
import { PGLiteSocketServer } from '@electric-sql/pglite-socket'

export interface EmbeddedPostgres {
  readonly pglite: PGlite
  /** For the ordinary driver, which keeps to one connection. */
  readonly url: string
  close(): Promise<void>
}

const BEYOND_DOUBLES = 9_007_199_254_740_993n

/** The embedded PostgreSQL behind a port, with 3 users and the 23 posts of `seed`. */
export async function openPostgres(): Promise<EmbeddedPostgres> {
  const pglite = await PGlite.create()
  await pglite.exec(`
    create table users (id integer primary key, name text not null);
    create table posts (
      id bigint primary key, title text not null, category text not null, score integer,
      author_id integer not null references users, created_at timestamptz not null
    );
    insert into users values (1, 'Ada'), (2, 'Bob'), (3, 'Cyd');
  `)
  const server = new PGLiteSocketServer({ db: pglite, port: 0, maxConnections: 4 })
  const listening = new Promise<number>((resolve) =>
    server.addEventListener('listening', (event) => (
      resolve((event as CustomEvent<{ port: number }>).detail.port)
    ))
  )
  await server.start()
  const url = `postgres://postgres:postgres@127.0.0.1:${await listening}/postgres?sslmode=disable`
  return { pglite, url, close: () => server.stop().then(() => pglite.close()) }
}

/** Ids beyond 2^53, many equal times, and some that differ by the smallest unit: a microsecond, or a millisecond. */
export async function seed(pglite: PGlite, step: 'microsecond' | 'millisecond'): Promise<void> {
  await pglite.exec('delete from posts')
  for (let index = 0; index < 23; index++) await insertPost(pglite, index, step)
}

export async function insertPost(pglite: PGlite, index: number, step: 'microsecond' | 'millisecond'): Promise<void> {
  const fraction = step === 'microsecond' ? `12345${index % 5}` : `12${index % 5}`
  await pglite.query('insert into posts values ($1, $2, $3, $4, $5, $6)', [
    BEYOND_DOUBLES + BigInt(index),
    `Post ${index % 7}`,
    ['news', 'art', 'life'][index % 3],
    index % 2 === 0 ? null : index,
    1 + (index % 2),
    `2026-01-01 00:00:00.${fraction}+00`,
  ])
}

/** Returns the ids in an order of SQL. */
export async function idsOrderedBy(pglite: PGlite, order: string): Promise<string[]> {
  const { rows } = await pglite.query<{ id: string }>(`select id::text from posts order by ${order}`)
  return rows.map(({ id }) => id)
}
