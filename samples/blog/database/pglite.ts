import { mkdir } from 'node:fs/promises'
import { PGlite, type QueryOptions } from '@electric-sql/pglite'

/** PostgreSQL inside this process, in a folder or in memory. A folder belongs to one process at a time. */
export async function pglitePool(folder: string | undefined): Promise<EmbeddedPool> {
  if (folder !== undefined) await mkdir(folder, { recursive: true })
  return new EmbeddedPool(await PGlite.create(folder ?? 'memory://'))
}

/** A statement as `pg` takes it: a text, or a text with parameters and the form of its rows. */
type Statement = string | {
  readonly text: string
  readonly values?: readonly unknown[]
  readonly rowMode?: 'array'
  readonly types?: { getTypeParser(oid: number, format: 'text'): (value: string) => unknown }
}

interface Result {
  readonly command: string
  readonly rowCount: number
  readonly rows: unknown[]
}

type Callback = (error: unknown, result?: Result) => void

/** Dates and times, which some libraries read themselves. */
const TIMES = [1082, 1114, 1184]

/** A pool of `pg` with a single connection: a transaction keeps it to itself, and the next caller waits. */
export class EmbeddedPool {
  readonly #pglite: PGlite
  #released = Promise.resolve()

  constructor(pglite: PGlite) {
    this.#pglite = pglite
  }

  async connect() {
    const free = this.#released
    let release = (): void => {}
    this.#released = new Promise((resolve) => (release = resolve))
    await free
    return { query: this.#query, release }
  }

  async query(statement: Statement, values?: readonly unknown[]): Promise<Result> {
    const { query, release } = await this.connect()
    return query(statement, values).finally(release)
  }

  end(): Promise<void> {
    return this.#pglite.close()
  }

  readonly #query = (
    statement: Statement,
    values?: readonly unknown[] | Callback,
    callback?: Callback,
  ): Promise<Result> => {
    const { text, types, rowMode, ...more } = typeof statement === 'string' ? { text: statement } : statement
    const parsers = types && Object.fromEntries(TIMES.map((oid) => [oid, types.getTypeParser(oid, 'text')]))
    const options: QueryOptions = { ...(rowMode && { rowMode }), ...(parsers && { parsers }) }
    const bound = Array.isArray(values) ? values as readonly unknown[] : more.values ?? []
    const asked = this.#pglite.query(text, [...bound], options).then(({ rows, affectedRows }): Result => (
      { command: text.trimStart().slice(0, 6).toUpperCase(), rowCount: affectedRows ?? rows.length, rows }
    ))
    const done = callback ?? (typeof values === 'function' ? values : undefined)
    if (done !== undefined) asked.then((result) => done(undefined, result), done)
    return asked
  }
}
