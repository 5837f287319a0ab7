import { sql, type Kysely } from 'kysely'
import type { Store } from 'resourcery/crud'
import type { SampleRow } from 'resourcery/testing'
import { createSamples, type SampleTables } from '../../support/sample-store.js'
import { clearThings, createThings, type AnyDialect, type ThingsBench,
  type TypedTables } from '../../support/typed-table.js'
import { endMariaDbConnection, openPlace } from './places.js'

/** Two stores of a library. */
export interface Stores {
  readonly samples: Store<SampleRow>
  readonly things: Omit<ThingsBench, 'dialect'>
  /** Runs SQL on the `db` of a transaction, or of a store. */
  readonly statement: (db: never, text: string) => PromiseLike<unknown>
  readonly close: () => Promise<void>
}

/** Connects a library to a database. */
export interface Connect {
  readonly dialect: AnyDialect
  /** The type of columns of instants, if it differs from the default. */
  readonly time?: string
  /** Opens the database at a `postgres://…`, a `mysql://…`, or the path of a file. */
  readonly open: (url: string) => Stores | Promise<Stores>
}

export interface Tables {
  readonly samples: Store<SampleRow>
  readonly things: ThingsBench
  readonly statement: (db: unknown, text: string) => Promise<unknown>
  /** Deletes all rows. */
  readonly clear: () => Promise<void>
  /** Ends all connections to the database except that of the suite. */
  readonly endConnections: () => Promise<void>
  readonly close: () => Promise<void>
}

async function endConnections(admin: Kysely<unknown>, dialect: AnyDialect): Promise<void> {
  if (dialect === 'postgres') {
    // A connection that has not run a query may still lack the error listener of its library.
    await sql`select pg_terminate_backend(pid) from pg_stat_activity
      where application_name = current_schema() and query ilike '%samples%'`.execute(admin)
    return
  }
  const { rows } = await sql<
    { id: number }
  >`select id from information_schema.processlist where db = database() and id <> connection_id()`
    .execute(admin)
  for (const { id } of rows) await endMariaDbConnection(admin, id)
}

/** Creates the tables in an empty database, and opens them by a library. */
export async function openTables({ dialect, time, open }: Connect): Promise<Tables> {
  const place = await openPlace<SampleTables & TypedTables>(dialect)
  await createSamples({ db: place.admin, dialect }, time)
  await createThings(place.admin as never, dialect, time)
  const { samples, things, statement, close } = await open(place.url)
  return {
    samples,
    things: { ...things, dialect },
    statement: async (db, text) => statement(db as never, text),
    clear: async () => {
      await place.admin.deleteFrom('samples').execute()
      await clearThings(place.admin as never)
    },
    endConnections: () => endConnections(place.admin as never, dialect),
    close: () => close().then(place.drop),
  }
}
