import Libsql from 'libsql'

/*
 * SQLite by the methods of the package `sqlite3`, which Sequelize loads and which has an install script: `libsql` has
 * none.
 */

type Callback = (this: object, error: Error | null, rows?: unknown[]) => void

class Statement {
  lastID: unknown
  changes = 0
}

export class Database {
  readonly filename: string
  readonly #database: InstanceType<typeof Libsql>

  constructor(filename: string, _mode: number, opened: (error: Error | null) => void) {
    this.filename = filename
    this.#database = new Libsql(filename)
    queueMicrotask(() => opened(null))
  }

  serialize(work: () => void): void {
    work()
  }

  all(text: string, parameters: Parameters | Callback = {}, done: Callback = () => undefined): void {
    this.#run(text, parameters, done)
  }

  run(text: string, parameters: Parameters | Callback = {}, done: Callback = () => undefined): void {
    this.#run(text, parameters, done)
  }

  close(done: (error: Error | null) => void = () => undefined): void {
    this.#database.close()
    done(null)
  }

  #run(text: string, given: Parameters | Callback, callback: Callback): void {
    const [parameters, done] = typeof given === 'function' ? [{}, given] : [given, callback]
    const statement = new Statement()
    let rows: unknown[] = []
    let failure: Error | null = null
    try {
      const prepared = this.#database.prepare(text)
      const values = Object.keys(parameters).length === 0
        ? []
        : [Object.fromEntries(
          Object
            .entries(parameters)
            .map(([name, value]) => [name.slice(1), typeof value === 'boolean' ? Number(value) : value]),
        )]
      if (prepared.reader) rows = prepared.all(...values)
      else {
        const result = prepared.run(...values)
        statement.changes = result.changes
        statement.lastID = Number(result.lastInsertRowid)
      }
    } catch (error) {
      failure = error as Error
    }
    queueMicrotask(() => done.call(statement, failure, rows))
  }
}

type Parameters = Readonly<Record<string, unknown>>

export const OPEN_READWRITE = 2
export const OPEN_CREATE = 4
