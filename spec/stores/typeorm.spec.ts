import { describe, expect, it } from 'vitest'
import { raw } from 'resourcery/crud'
import { typeormStore } from 'resourcery/typeorm'

/* These specs use the interface that the store needs; the real library is tested in spec/libraries. */

class Note {
  declare id: number
  declare title: string
  declare doneOn: string | null
  declare points: number
  declare at: Date
}

interface Recorded {
  readonly type?: string
  readonly rows?: readonly object[]
  readonly columns?: readonly object[]
  readonly deleteDateColumn?: object
  readonly primary?: readonly string[]
  readonly isInitialized?: boolean
}

const ROW = { id: 1, title: 'Milk', doneOn: null, points: 5, at: new Date(0) }
const NAMES = { id: 'note_id', title: 'title', doneOn: 'done_on', points: 'points', at: 'at' }
const TYPES: Readonly<Record<string, unknown>> = {
  id: 'integer',
  title: 'varchar',
  doneOn: 'date',
  points: 'integer',
  at: Date,
}

const described = (dialect: string) =>
  [
    ['note_id', { postgres: 'int4', sqlite: 'INTEGER' }],
    ['title', { postgres: 'varchar', sqlite: 'TEXT' }],
    ['done_on', { postgres: 'date', sqlite: 'DATE' }],
    ['points', { postgres: 'int4', sqlite: 'INTEGER' }],
    ['at', { postgres: 'timestamptz', sqlite: 'DATETIME' }],
  ]
    .map(([name, types]) => ({ part: 'column', name, value: (types as Record<string, string>)[dialect] }))

/** A recording data source. */
function recording(
  { type = 'postgres', rows = [ROW], columns = [], deleteDateColumn, primary = ['id'], isInitialized = true }:
    Recorded = {},
) {
  const asked: string[] = []
  const column = (propertyName: string, databaseName: string): object => ({
    propertyName,
    databaseName,
    propertyPath: propertyName,
    type: TYPES[propertyName],
    isArray: false,
    isInsert: true,
    isVirtual: false,
    isVirtualProperty: false,
    getEntityValue: (entity: Record<string, unknown>) => entity[propertyName],
    ...(propertyName === 'points' && { transformer: [{ to: (value: number) => value * 2, from: Number }] }),
  })
  const own = Object.entries(NAMES).map(([name, stored]) => column(name, stored))
  const metadata = {
    name: 'Note',
    tableName: 'notes',
    columns: [...own, ...columns],
    deleteDateColumn,
    primaryColumns: own.filter((each) => primary.includes((each as { propertyName: string }).propertyName)),
  }
  const answer = (first: string) => {
    const steps = [first]
    const parameters: Record<string, unknown> = {}
    const filled = (text: string): string =>
      text.replace(/:(resourcery\d+)/g, (_all, name: string) => `<${String(parameters[name])}>`)
    const done = <T>(result: T): Promise<T> => {
      asked.push(filled(steps.join(' ')))
      return Promise.resolve(result)
    }
    const builder: Record<string, unknown> = {
      getParameters: () => parameters,
      setParameter: (name: string, value: unknown) => void (parameters[name] = value),
      subQuery: () => answer('subquery'),
      getQuery: () => `(${steps.join(' ')})`,
      getCount: () => done(1),
      getRawAndEntities: () => done({ entities: rows, raw: rows.map(() => ({ cursorkey0: 'a', cursorkey1: '1' })) }),
      execute: () => done({ affected: 1, identifiers: [{ id: 1 }], raw: [{ note_id: 1, title: 'Milk' }] }),
    }
    for (
      const name of [
        'withDeleted',
        'select',
        'addSelect',
        'from',
        'where',
        'setFindOptions',
        'addOrderBy',
        'limit',
        'offset',
        'setLock',
        'insert',
        'into',
        'values',
        'update',
        'set',
        'delete',
        'returning',
      ]
    ) {
      builder[name] = (...parts: readonly unknown[]) => {
        if (name !== 'withDeleted') {
          steps.push(
            name,
            ...parts.filter((part) => part !== Note && part !== undefined).map((
              part,
            ) => (typeof part === 'string' ? part : JSON.stringify(part))),
          )
        }
        return builder
      }
    }
    return builder
  }
  const managerOf = (isTransactionActive: boolean): object => ({
    queryRunner: { isTransactionActive },
    query: async (text: string, parameters: unknown[]) => {
      asked.push(`catalog ${parameters.join()}${text.includes('pg_attribute') ? '' : ' elsewhere'}`)
      return described(type === 'postgres' ? 'postgres' : 'sqlite')
    },
    create: (_entity: unknown, fields: object) => fields,
    createQueryBuilder: (entity?: unknown, alias?: string) =>
      answer(entity === undefined ? 'statement' : `select ${alias ?? ''}`),
    transaction: (work: (manager: object) => Promise<unknown>) => work(managerOf(true)),
  })
  const dataSource = {
    isInitialized,
    options: { type },
    manager: managerOf(false),
    getMetadata: () => metadata,
    driver: {
      escape: (name: string) => `"${name}"`,
      isReturningSqlSupported: () => type === 'postgres',
      preparePersistentValue: (value: Date) => `stored ${value.toISOString()}`,
      prepareHydratedValue: (value: unknown) => value,
    },
  }
  return {
    dataSource: dataSource as never,
    asked,
    questions: () => asked.filter((question) => !question.startsWith('catalog')),
  }
}

const storeOf = (recorded: { dataSource: never }) => typeormStore(recorded.dataSource, Note)

describe('typeormStore', () => {
  it.each<[code: string, misuse: () => unknown]>([
    ['typeorm_entity', () => storeOf(recording({ isInitialized: false }))],
    ['typeorm_entity', () => storeOf(recording({ type: 'mongodb' }))],
    ['typeorm_entity', () => storeOf(recording({ primary: ['id', 'title'] }))],
    ['typeorm_entity', () => storeOf(recording({ deleteDateColumn: {} }))],
    ['typeorm_option_unknown', () => typeormStore(recording().dataSource, Note, { colums: {} } as never)],
    ['typeorm_columns', () => typeormStore(recording().dataSource, Note, { columns: { id: 'int' as 'integer' } })],
    ['typeorm_columns', () => typeormStore(recording().dataSource, Note, { columns: { titel: 'string' } as never })],
  ])('refuses %s', (code, misuse) => {
    expect(misuse).toThrow(expect.objectContaining({ code, message: expect.stringMatching(/\.$/) as string }))
  })

  it('reads the table by its name in the database, and a repository by its entity', async () => {
    const recorded = recording()
    await typeormStore(recorded.dataSource, { target: Note, find: async () => [new Note()] }).find([1])
    expect(recorded.asked).toEqual(['catalog "notes"', 'select note where "note"."note_id" in (cast(<1> as bigint))'])
  })

  it('returns the inserted row, by its key if the database returns no row', async () => {
    const postgres = recording()
    expect(await storeOf(postgres).create({ title: 'Milk' })).toMatchObject({ id: 1, title: 'Milk' })
    expect(await storeOf(postgres).create({ id: 4, title: 'Milk' })).toMatchObject({ id: 1 })
    expect(postgres.questions()).toEqual([
      'statement insert into [] values [{"title":"Milk"}] returning *',
      'statement insert into ["id","title","doneOn","points","at"] values [{"id":4,"title":"Milk"}] returning *',
    ])
    const sqlite = recording({ type: 'sqljs' })
    expect(await storeOf(sqlite).create({ title: 'Milk' })).toEqual(ROW)
    expect(sqlite.questions()).toEqual([
      'statement insert into [] values [{"title":"Milk"}]',
      'select note where "note"."note_id" in (<1>)',
    ])
  })

  it('counts, pages, changes and deletes, and locks rows found in a transaction', async () => {
    const recorded = recording()
    const store = storeOf(recorded)
    const list = store.list({ where: [['title', '=', 'Milk']], order: ['-doneOn', 'id'] })
    expect([await list.count?.(), await store.delete([1])]).toEqual([1, 1])
    await list.slice(4, 2)
    await store.list({ where: [], order: ['title', 'id'] }).sliceAfter?.(null, 1)
    await store.transaction((inside) => inside.update(1, { title: 'Tea' }))
    expect(recorded.questions()).toEqual([
      'select note where "note"."title" in (<Milk>)',
      'statement delete from where "note_id" in (cast(<1> as bigint))',
      'select note where "note"."title" in (<Milk>) addOrderBy "note"."done_on" DESC NULLS LAST addOrderBy "note"."note_id" ASC limit 2 offset 4',
      'select note where (1 = 1 and "note"."title" is not null) addSelect concat("note"."title") cursorkey0 addSelect concat("note"."note_id") cursorkey1 addOrderBy "note"."title" ASC addOrderBy "note"."note_id" ASC limit 2',
      'select note where (1 = 1 and "note"."title" is null) addSelect concat("note"."title") cursorkey0 addSelect concat("note"."note_id") cursorkey1 addOrderBy "note"."note_id" ASC limit 1',
      'statement update set {"title":"Tea"} where "note_id" in (cast(<1> as bigint))',
      'select note where "note"."note_id" in (cast(<1> as bigint)) addOrderBy "note"."note_id" ASC setLock pessimistic_write',
    ])
  })

  it('compares a column with the transformed value', async () => {
    const recorded = recording({ type: 'better-sqlite3' })
    await storeOf(recorded).find([1], [['points', '=', 5], ['at', '=', new Date(0)]])
    expect(recorded.questions()[0]).toContain(
      '"note"."points" in (<10>) and "note"."at" in (<stored 1970-01-01T00:00:00.000Z>)',
    )
    await expect(storeOf(recorded).find([1], [['points', '=', 1e308]])).rejects.toMatchObject({
      code: 'store_condition',
    })
  })

  it('accepts a function, brackets and a `where` of find as a condition', async () => {
    const recorded = recording()
    const store = storeOf(recorded)
    await store.find([1], [{
      any: [[raw((_query: unknown, alias: string) => `${alias}.title = 'a'`)], [raw({ title: 'b' })], [
        raw({ '@instanceof': Symbol.for('Brackets') }),
      ]],
    }])
    expect(recorded.questions()[0]).toContain(
      `((note.title = 'a') or ("note"."note_id" in (subquery select note.id from note setFindOptions {"where":{"title":"b"},"withDeleted":true,"loadEagerRelations":false})) or ("note"."note_id" in (subquery select note.id from note where {})))`,
    )
    const wrong: readonly unknown[] = ['1 = 1', null, () => 5]
    const ofAllRows: readonly unknown[] = [{}, [], [{}], [{ title: 'b' }, {}], { team: {} }, { team: { members: [] } },
      { title: undefined }, new Date(), Promise.resolve({ title: 'b' }), [Promise.resolve({ title: 'b' })]]
    for (const condition of [...wrong, ...ofAllRows]) {
      await expect(store.find([1], [raw(condition)])).rejects.toMatchObject({ code: 'store_raw' })
    }
  })
})
