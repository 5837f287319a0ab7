import { drizzleFiles, kyselyFiles, prismaFiles } from './libraries.js'

const LIBRARIES = { kysely: kyselyFiles, drizzle: drizzleFiles, prisma: prismaFiles }

/** Writes the store of notes, and what a database needs: connections, tables, the embedded PostgreSQL. */
export function databaseFiles(context) {
  const { hasDatabase, ext, library } = context
  if (!hasDatabase) return { [`src/database.${ext}`]: memory(context) }
  return {
    [`src/pool.${ext}`]: pool(context),
    [`src/embedded.${ext}`]: embedded(context),
    [`src/migrate.${ext}`]: migrate(context),
    'migrations/0001_init.sql': tables(context),
    ...(context.database === 'postgres' && { [`src/run-migrations.${ext}`]: runMigrations }),
    ...LIBRARIES[library](context),
  }
}

const memory = ({ auth, ts, isTs, when }) =>
  `import { memoryStore } from 'resourcery/crud'
${
    when(isTs, `
interface NoteRow {
  id: number
  title: string
  done: boolean${when(auth, '\n  ownerId: number')}
}
`)
  }
/** The notes, which are lost when the process ends. */
export const notes = memoryStore${ts('<NoteRow>')}({ key: 'id', defaults: { done: false } })

export async function closeDatabase()${ts(': Promise<void>')} {}
`

const pool = ({ database }) =>
  `import pg from 'pg'
import { ${database === 'pglite' ? 'dataFolder, ' : ''}databaseUrl } from './config.js'

/** The connections: to the server of DATABASE_URL, otherwise to a PostgreSQL in this process. */
export const pool = new pg.Pool(
  databaseUrl === undefined
    ? (await import('./embedded.js')).embedded(${database === 'pglite' ? 'dataFolder' : ''})
    : { connectionString: databaseUrl },
)
pool.on('error', (error) => console.error('An idle connection was lost:', error.message)) // the pool replaces it
pool.on('connect', (client) => client.on('error', () => undefined)) // one in use was lost: its statements fail
`

const embedded = ({ ts, isTs, database, when }) =>
  `import { Duplex } from 'node:stream'
import { PGlite } from '@electric-sql/pglite'
${when(isTs, "import type { PoolConfig } from 'pg'\n")}
/** Stands in for the socket of a connection: it passes the protocol of PostgreSQL to PGlite. */
class EmbeddedStream extends Duplex {
${when(isTs, '  readonly #database: () => Promise<PGlite>\n')}${when(!isTs, '  #database\n')}
  constructor(database${ts(': () => Promise<PGlite>')}) {
    super()
    this.#database = database
  }

  connect()${ts(': this')} {
    this.#database().then(() => this.emit('connect'), (error${ts(': unknown')}) => this.destroy(error${
    ts(' as Error')
  }))
    return this
  }

  setNoDelay()${ts(': this')} {
    return this
  }

  ref()${ts(': this')} {
    return this
  }

  unref()${ts(': this')} {
    return this
  }

  ${ts('override ')}_read()${ts(': void')} {}

  ${ts('override ')}_write(chunk${ts(': Uint8Array')}, _encoding${ts(': string')}, done${
    ts(': (error?: Error) => void')
  })${ts(': void')} {
    this.#database().then((database) => database.execProtocolRaw(chunk)).then((reply) => {
      this.push(reply)
      done()
    }, done)
  }

  ${ts('override ')}_final(done${ts(': () => void')})${ts(': void')} {
    this.push(null)
    done()
  }
}

/** The options of a pool on a PostgreSQL in this process, ${
    database === 'pglite' ? 'which keeps its rows in a folder, or' : 'which keeps its rows'
  } in memory. It has one connection. */
export function embedded(${when(database === 'pglite', `folder${ts('?: string')}`)})${ts(': PoolConfig')} {
  let opened${ts(': Promise<PGlite> | undefined')}
  const database = ()${ts(': Promise<PGlite>')} => (opened ??= PGlite.create(${when(database === 'pglite', 'folder')}))
  return { max: 1, user: 'postgres', database: 'postgres', stream: () => new EmbeddedStream(database) }
}
`

const migrate = ({ ts }) =>
  `import { readdir, readFile } from 'node:fs/promises'
import { pool } from './pool.js'

const folder = new URL('../migrations/', import.meta.url)

/** Runs the files of migrations/ that the database does not have yet, in the order of their names. */
export async function migrate()${ts(': Promise<void>')} {
  const client = await pool.connect()
  try {
    await client.query('begin')
    await client.query('select pg_advisory_xact_lock(20261125)') // one process at a time
    await client.query('create table if not exists migrations (name text primary key)')
    const { rows } = await client.query${ts('<{ name: string }>')}('select name from migrations')
    const done = new Set(rows.map(({ name }) => name))
    for (const name of (await readdir(folder)).sort()) {
      if (!name.endsWith('.sql') || done.has(name)) continue
      await client.query(await readFile(new URL(name, folder), 'utf8'))
      await client.query('insert into migrations (name) values ($1)', [name])
    }
    await client.query('commit')
  } catch (error) {
    await client.query('rollback')
    throw error
  } finally {
    client.release()
  }
}
`

const runMigrations = `import { migrate } from './migrate.js'
import { pool } from './pool.js'

await migrate()
await pool.end()
`

const tables = ({ auth, when }) =>
  `${
    when(auth, `create table users (
  id integer generated by default as identity primary key,
  email text not null unique,
  "passwordHash" text not null,
  role text not null default 'user'
);

`)
  }create table notes (
  id integer generated by default as identity primary key,
  title text not null,
  done boolean not null default false${when(auth, ',\n  "ownerId" integer not null references users')}
);
${when(auth, '\ncreate index on notes ("ownerId");\n')}`
