import { describe, expect, it } from 'vitest'
import { CheckViolation, NotNullViolation, raw } from 'resourcery/crud'
import { sequelizeStore } from 'resourcery/sequelize'

/* These specs use the interface that the store needs; the real library is tested in spec/libraries. */

interface Note {
  id: number
  title: string
  doneOn: string | null
  at: Date
}

interface Options {
  readonly dialect?: string
  readonly key?: readonly string[]
  readonly isInitialized?: boolean
  readonly paranoid?: boolean
  readonly scope?: object
  readonly table?: string | object
  readonly failure?: object
  readonly hook?: string
}

const ROW = { id: 1, title: 'Milk', doneOn: null, at: new Date(0) }
const DESCRIBED = [['note_id', 'int4'], ['title', 'varchar'], ['done_on', 'date'], ['at', 'timestamptz']].map((
  [name, value],
) => ({ part: 'column', name, value }))

/** Renders the options of a call, with literals as strings. */
function told(options: object): string {
  return JSON.stringify(
    Object.fromEntries(
      Reflect
        .ownKeys(options)
        .map((name) => [String(name), (options as Record<string | symbol, unknown>)[name]]),
    ),
    (_key, value: unknown): unknown => {
      const own = typeof value === 'object' && value !== null ? Object.getOwnPropertySymbols(value) : []
      return own.length > 0
        ? Object.fromEntries(own.map((name) => [name.description, (value as Record<symbol, unknown>)[name]]))
        : value
    },
  )
}

/** A recording model. */
function recording(
  { dialect = 'postgres', key = ['id'], isInitialized = true, paranoid = false, scope = {}, table = 'notes', failure,
    hook }: Options = {},
) {
  const asked: string[] = []
  const transaction = { name: 'transaction' }
  const instance = (values: Record<string, unknown>): object => ({
    get: (name: string) => values[name],
    getDataValue: (name: string) => values[name],
    set: (name: string, value: unknown) => void asked.push(`set ${name} ${String(value)}`),
    setDataValue: (name: string, value: unknown) => void asked.push(`setDataValue ${name} ${String(value)}`),
    save: async () => void asked.push('save'),
  })
  const recorded = <T>(name: string, result: T) => async (options: object): Promise<T> => {
    asked.push(`${name} ${told(options)}`)
    return result
  }
  const type = (name: string) => ({ key: name, stringify: (value: Date) => `stored ${value.toISOString()}` })
  const sequelize = {
    getDialect: () => dialect,
    literal: (text: string) => ({ text }),
    options: { timezone: '+00:00' },
    query: async (_text: string, { bind }: { bind: unknown[] }) => {
      asked.push(`catalog ${bind.join()}`)
      return DESCRIBED
    },
    transaction: (work: (inside: object) => Promise<unknown>) => work(transaction),
    hasHook: () => false,
  }
  const model = {
    name: 'Note',
    sequelize: isInitialized ? sequelize : undefined,
    options: { paranoid },
    _scope: scope,
    primaryKeyAttributes: key,
    getTableName: () => table,
    rawAttributes: {
      id: { field: 'note_id', type: type('INTEGER') },
      title: { type: type('STRING'), set: () => undefined },
      doneOn: { field: 'done_on', type: type('DATEONLY') },
      at: { type: type('DATE') },
      shout: { type: type('VIRTUAL') },
    },
    queryGenerator: {
      quoteIdentifier: (name: string) => `"${name}"`,
      escape: (value: unknown) => `<${String(value)}>`,
      getWhereConditions: (where: object) => told(where),
    },
    hasHook: (name: string) => name === (hook ?? 'afterDestroy'),
    bulkCreate: async (rows: readonly object[]) => {
      asked.push(`bulkCreate ${JSON.stringify(rows)}`)
      return rows.map(() => instance(ROW))
    },
    findAll: recorded('findAll', [instance(ROW)]),
    findOne: recorded('findOne', instance(ROW)),
    count: recorded('count', 1),
    destroy: recorded('destroy', 1),
    create: async (fields: object) => {
      asked.push(`create ${JSON.stringify(fields)}`)
      if (failure !== undefined) throw failure as Error
      return instance(ROW)
    },
  }
  return { model: model as never, asked, questions: () => asked.filter((question) => !question.startsWith('catalog')) }
}

const storeOf = ({ model }: { model: never }) => sequelizeStore<Note, object>(model)

describe('sequelizeStore', () => {
  it.each<[code: string, misuse: () => unknown]>([
    ['sequelize_model', () => storeOf(recording({ isInitialized: false }))],
    ['sequelize_model', () => storeOf(recording({ dialect: 'mssql' }))],
    ['sequelize_model', () => storeOf(recording({ key: ['id', 'title'] }))],
    ['sequelize_model', () => storeOf(recording({ paranoid: true }))],
    ['sequelize_model', () => storeOf(recording({ scope: { where: {}, include: [] } }))],
    ['sequelize_option_unknown', () => sequelizeStore(recording().model, { colums: {} } as never)],
    [
      'sequelize_columns',
      () => sequelizeStore<Note, object>(recording().model, { columns: { id: 'int' as 'integer' } } as never),
    ],
    [
      'sequelize_columns',
      () => sequelizeStore<Note, object>(recording().model, { columns: { shout: 'string' } } as never),
    ],
  ])('refuses %s', (code, misuse) => {
    expect(misuse).toThrow(expect.objectContaining({ code, message: expect.stringMatching(/\.$/) as string }))
  })

  it("reads the catalog of the model's table and schema", async () => {
    const named = recording({ table: { tableName: 'notes', schema: 'app' } })
    await storeOf(named).find([1])
    expect(named.asked[0]).toBe('catalog "app"."notes"')
  })

  it('adds rows by one statement, or one by one where a hook of the model sees each of them', async () => {
    const [together, single, sqlite] = [recording(), recording({ hook: 'beforeSave' }),
      recording({ dialect: 'sqlite' })]
    const rows = [{ title: 'Milk' }, { title: 'Salt' }]
    expect(await storeOf(together).createMany?.(rows)).toEqual([ROW, ROW])
    expect(together.questions()).toEqual(['bulkCreate [{"title":"Milk"},{"title":"Salt"}]'])
    expect(await storeOf(single).createMany?.(rows)).toEqual([ROW, ROW])
    expect(single.questions()).toEqual(['create {"title":"Milk"}', 'create {"title":"Salt"}'])
    expect('createMany' in storeOf(sqlite)).toBe(false)
  })

  it('returns the inserted row, by its key if the database returns no row', async () => {
    const [postgres, sqlite] = [recording(), recording({ dialect: 'sqlite' })]
    expect(await storeOf(postgres).create({ title: 'Milk' })).toEqual(ROW)
    expect(await storeOf(sqlite).create({ title: 'Milk' })).toEqual(ROW)
    expect(postgres.questions()).toEqual(['create {"title":"Milk"}'])
    expect(sqlite.questions()[1]).toContain('"Note\\".\\"note_id\\" in (<1>)')
  })

  it('counts, pages, changes and deletes, and locks rows found in a transaction', async () => {
    const recorded = recording()
    const store = storeOf(recorded)
    const list = store.list({ where: [['title', '=', 'Milk'], ['at', '<', new Date(0)]], order: ['-doneOn', 'id'] })
    expect([await list.count?.(), await store.delete([1])]).toEqual([1, 1])
    await list.slice(4, 2)
    await list.sliceAfter?.(null, 1)
    await store.transaction((inside) => inside.update(1, { title: 'Tea', doneOn: '2026-12-01' }))
    const [count, destroy, page, behind, , findOne, ...changes] = recorded.questions()
    expect(count).toBe(
      'count {"transaction":null,"paranoid":false,"where":{"and":[{"text":"(\\"Note\\".\\"title\\" in (<Milk>) and '
        + '\\"Note\\".\\"at\\" < <stored 1970-01-01T00:00:00.000Z>)"}]}}',
    )
    expect(destroy).toContain(
      '[{"text":"\\"note_id\\" in (cast(<1> as bigint))"}]},"force":true,"individualHooks":true}',
    )
    expect(page).toContain(
      '"attributes":{"include":[]},"order":{"text":"\\"Note\\".\\"done_on\\" desc nulls last, \\"Note\\".\\"note_id\\""},"limit":2,"offset":4}',
    )
    expect(behind).toContain(
      '"include":[[{"text":"concat(\\"Note\\".\\"done_on\\")"},"cursorkey0"],[{"text":"concat(\\"Note\\".\\"note_id\\")"},"cursorkey1"]]',
    )
    expect(findOne).toMatch(/^findOne \{"transaction":\{"name":"transaction"\}.*"lock":true\}$/)
    expect(changes.slice(0, 3)).toEqual(['set title Tea', 'setDataValue doneOn 2026-12-01', 'save'])
    expect(changes[3]).toContain('"lock":true')
  })

  it('names the columns that the validation of the model refuses', async () => {
    const refused = async (error: object, fields: object): Promise<unknown> => (
      storeOf(recording({ failure: Object.assign(new Error('no'), error) })).create(fields).catch((caught: unknown) =>
        caught
      )
    )
    const isNull = {
      name: 'SequelizeValidationError',
      errors: [{ type: 'notNull Violation', path: 'title', message: 'Note.title cannot be null' }],
    }
    expect(await refused(isNull, {})).toMatchObject({
      constructor: NotNullViolation,
      columns: ['title'],
      fields: { _: ['Required'] },
    })
    const checked = { path: 'title', type: 'Validation error', validatorKey: 'len', validatorName: 'len' }
    const wrong = {
      name: 'SequelizeValidationError',
      errors: [{ ...checked, message: 'Validation len on title failed' }, { ...checked, message: 'Too short' }, {
        ...checked,
        message: 'select 1',
        validatorName: null,
      }],
    }
    expect(await refused(wrong, { title: 'a' })).toMatchObject({
      constructor: CheckViolation,
      fields: { title: ['Is not allowed', 'Too short', 'Is not allowed'] },
    })
    expect(await refused({ name: 'SequelizeOptimisticLockError' }, {})).toMatchObject({ status: 409 })
    expect(await refused({ name: 'Error', message: 'else' }, {})).toMatchObject({ message: 'else' })
  })

  it('accepts a `where` of findAll with attribute names, and functions of Sequelize', async () => {
    class Literal {
      readonly val = 'a'
    }
    const recorded = recording()
    const store = storeOf(recorded)
    await store.find([1], [
      raw({ doneOn: 5, [Symbol.for('or')]: [{ id: 1 }, { at: { [Symbol.for('gt')]: 2 } }] }),
      raw(new Literal()),
    ])
    expect(JSON.parse(recorded.questions()[0]?.slice('findAll '.length) ?? '{}')).toMatchObject({
      where: {
        and: [{
          text: '("Note"."note_id" in (cast(<1> as bigint)) and '
            + '({"done_on":5,"Symbol(or)":[{"note_id":1},{"at":{"gt":2}}]}) and ({"val":"a"}))',
        }],
      },
    })
    for (const wrong of ['1 = 1', null, {}, [], () => 5]) {
      await expect(store.find([1], [raw(wrong)])).rejects.toMatchObject({ code: 'store_raw' })
    }
  })
})
