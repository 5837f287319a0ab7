import { describe, expect, it } from 'vitest'
import { raw } from 'resourcery/crud'
import { drizzleStore } from 'resourcery/drizzle'

/* These specs use the interface that the store needs; the real library is tested in spec/libraries. */

const KIND = Symbol.for('drizzle:entityKind')

class Sql {
  static readonly [KIND]: string = 'SQL'
  readonly chunks: readonly unknown[]

  constructor(chunks: readonly unknown[]) {
    this.chunks = chunks
  }

  getSQL(): this {
    return this
  }

  /** The statement, with parameters in angle brackets. */
  toString(): string {
    return this
      .chunks
      .map((chunk) => {
        if (chunk instanceof Sql) return String(chunk)
        if (typeof chunk === 'object' && chunk !== null && 'columnName' in chunk) return String(chunk.columnName)
        return typeof chunk === 'object' && chunk !== null && 'value' in chunk
          ? String((chunk.value as unknown[])[0])
          : `<${String(chunk)}>`
      })
      .join('')
  }
}

class Table {
  static readonly [KIND]: string = 'Table'

  getSQL(): Sql {
    return new Sql([this])
  }
}

/** Creates an object of a kind that extends another. */
function ofKind<T extends object>(kind: string, base: new() => T): T {
  const Kind = class extends (base as new() => object) {}
  Object.defineProperty(Kind, KIND, { value: kind })
  return new Kind() as T
}

const mysqlTable = (columns?: object) => tableOf(ofKind('MySqlTable', Table), columns)
const sqliteTable = () => tableOf(ofKind('SQLiteTable', Table))
const mysqlDialect = ofKind('MySqlDialect', Object)
const sqliteDialect = ofKind('SQLiteDialect', Object)

const column = (columnName: string, dataType: string, type: string, more: object = {}) => ({
  columnName,
  name: columnName,
  dataType,
  primary: columnName === 'uid',
  getSQLType: () => type,
  mapToDriverValue: (value: unknown) => value,
  ...more,
})

const COLUMNS = {
  uid: column('uid', 'string', 'varchar(36)'),
  title: column('title', 'string', 'varchar(50)'),
  items: column('items', 'json', 'json'),
  seenAt: column('seen_at', 'date', 'integer'),
}

interface Note {
  uid: string
  title: string
  items: unknown
  seenAt: Date
}

function tableOf(table: Table, columns: object = COLUMNS): Table & { readonly $inferSelect: Note } {
  const parts = {
    [Symbol.for('drizzle:Name')]: 'notes',
    [Symbol.for('drizzle:Columns')]: columns,
    $inferSelect: {} as Note,
  }
  return Object.assign(table, parts)
}

const LINES = [
  ...[['uid', 'varchar(36)'], ['title', 'varchar(50)'], ['items', 'longtext'], ['seen_at', 'integer']]
    .map(([name, value]) => ({ part: 'column', name, value })),
  { part: 'table', name: 'notes', value: 'create table notes (uid varchar(36) primary key, title varchar(50), …)' },
]

/** A recording database that always returns the same row. */
function recording(dialect: object, rows: readonly object[] = [{ uid: 'a', title: 'Milk', items: '[1]' }]) {
  const asked: string[] = []
  const answer = (question: string, result: unknown) => {
    const steps: string[] = [question]
    const builder: Record<string, unknown> = {
      then: (resolve: (value: unknown) => void) => {
        asked.push(steps.join(' '))
        resolve(result)
      },
    }
    for (const name of ['where', 'orderBy', 'limit', 'offset', 'for', 'set', 'returning', 'values']) {
      builder[name] = (...parts: unknown[]) => {
        steps.push(name, ...parts.map((part) => (part instanceof Sql ? String(part) : JSON.stringify(part ?? ''))))
        return builder
      }
    }
    return builder
  }
  const db = {
    dialect,
    select: (fields: object) => ({
      from: (
        source: object,
      ) => (source instanceof Sql
        ? answer('catalog', LINES)
        : answer(`select ${Object.keys(fields).join()}`, 'total' in fields ? [{ total: 1 }] : rows)),
    }),
    insert: () => answer('insert', [{ insertId: 7, affectedRows: 1 }]),
    update: () => answer('update', []),
    delete: () => answer('delete', [{ affectedRows: 1 }]),
    transaction: async (work: (inside: object) => unknown) => work({ ...db, rollback: () => undefined }),
    run: (statement: Sql) => asked.push(String(statement)),
  }
  return { asked, db: db as never, questions: () => asked.filter((question) => !question.startsWith('catalog')) }
}

describe('drizzleStore', () => {
  it.each<[code: string, misuse: () => unknown]>([
    ['drizzle_table', () => drizzleStore(recording(mysqlDialect).db, {} as never)],
    ['drizzle_table', () => drizzleStore(recording(mysqlDialect).db, 'notes' as never)],
    ['drizzle_dialect', () => drizzleStore(recording(mysqlDialect).db, tableOf(new Table()))],
    ['drizzle_dialect', () => drizzleStore(recording(sqliteDialect).db, mysqlTable())],
    ['drizzle_option_unknown', () => drizzleStore(recording(mysqlDialect).db, mysqlTable(), { keys: 'uid' } as never)],
    ['drizzle_key', () => drizzleStore(recording(mysqlDialect).db, mysqlTable(), { key: 'id' as 'uid' })],
    ['drizzle_key', () => drizzleStore(recording(mysqlDialect).db, mysqlTable({ title: COLUMNS.title }))],
  ])('refuses %s', (code, misuse) => {
    expect(misuse).toThrow(expect.objectContaining({ code, message: expect.stringMatching(/\.$/) as string }))
  })

  it('takes the key from the schema, and generates it if drizzle does', async () => {
    const { db, questions } = recording(mysqlDialect, [{ uid: 'made', title: 'Milk', items: '[1]' }])
    const table = mysqlTable({ ...COLUMNS, uid: { ...COLUMNS.uid, defaultFn: () => 'made' } })
    expect(await drizzleStore(db, table).create({ title: 'Milk' })).toMatchObject({ uid: 'made', items: [1] })
    expect(questions()).toEqual([
      'insert values {"title":"Milk","uid":"made"}',
      'select uid,title,items,seenAt where uid in (<made>)',
    ])
  })

  it('counts, changes and deletes, and locks rows found in a transaction', async () => {
    const { db, questions } = recording(mysqlDialect, [{ uid: 'a', title: 'Milk', items: null }])
    const store = drizzleStore(db, mysqlTable())
    const list = store.list({ where: [['title', 'startsWith', 'M']], order: ['-title', 'uid'] })
    expect([await list.count?.(), await store.delete(['a'])]).toEqual([1, 1])
    await list.slice(5, 5)
    await store.transaction(async (inside) => {
      await inside.update('a', { title: 'Tea' })
    })
    expect(
      questions().map((question) =>
        question.replace(/convert\(lower\((\S+)\) using utf8mb4\) collate utf8mb4_bin/g, '$1')
      ),
    )
      .toEqual([
        "select total where title like <M%> escape '!'",
        'delete where (uid in (<a>) and cast(convert(uid using utf8mb4) as binary) = cast(convert(<a> using utf8mb4) '
        + 'as binary))',
        "select uid,title,items,seenAt where title like <M%> escape '!' orderBy title desc, uid limit 5 offset 5",
        expect.stringMatching(/^update set .*title.*Tea.* where /),
        expect.stringMatching(/ orderBy uid for "update"$/),
      ])
  })

  it('begins transactions itself with a synchronous driver, one after the other', async () => {
    const { db, asked } = recording(sqliteDialect, [])
    const store = drizzleStore(Object.assign(db, { resultKind: 'sync' }), sqliteTable())
    await Promise.all([
      store.transaction(async (inside) => inside.transaction(async (same) => same.find(['a']))),
      expect(store.transaction(async () => Promise.reject(new Error('no')))).rejects.toThrow('no'),
      store.find(['b']),
    ])
    expect(asked.filter((question) => !question.includes('where') && question !== 'catalog')).toEqual([
      'begin immediate',
      'commit',
      'begin immediate',
      'rollback',
    ])
    expect(asked.indexOf('select uid,title,items,seenAt where uid in (<b>)')).toBeGreaterThan(asked.indexOf('rollback'))
  })

  it('compares converted columns, and accepts only conditions of drizzle', async () => {
    const { db, questions } = recording(sqliteDialect, [])
    const store = drizzleStore(db, sqliteTable())
    await store.find(['a'], [['seenAt', '>=', new Date(7)], raw(new Sql([{ value: ['1 = 1'] }]))])
    expect(questions()).toEqual([expect.stringMatching(/seen_at >= <.*1970.*> and \(1 = 1\)\)$/)])
    await expect(store.find(['a'], [['items', '=', 'x'] as never])).rejects.toMatchObject({ code: 'store_condition' })
    await expect(store.find(['a'], [raw('1 = 1')])).rejects.toMatchObject({ code: 'store_raw' })
  })
})
