import { describe, expect, it } from 'vitest'
import { UnavailableError } from 'resourcery'
import { NotNullViolation, UniqueViolation, raw, type Store } from 'resourcery/crud'
import { prismaStore } from 'resourcery/prisma'

/* By the interface that we use: the real client is in spec/libraries. */

type Provider = 'postgresql' | 'mysql' | 'sqlite' | 'mongodb'

interface Recorded {
  readonly provider?: Provider
  readonly query?: (text: string) => readonly object[]
  readonly create?: () => object
  readonly options?: object | undefined
  readonly extensions?: Partial<Record<'getAllQueryCallbacks' | 'getAllComputedFields', unknown>>
  readonly omit?: object
  readonly inlineSchema?: string
}

const SCHEMA = `
enum Status {
  OPEN
  CLOSED @map("shut \\"down\\"") // closed
}

model Note {
  id     BigInt   @id @default(autoincrement())
  title  String   @map("note_title")
  status Status
  marks  Status[]
  doneOn DateTime? @db.Date
  at     DateTime
  open   Boolean
  extra  Json?
  author User     @relation(fields: [title], references: [id])
}
`
const TYPES: Readonly<Record<string, string>> = {
  id: 'BigInt',
  title: 'String',
  status: 'Status',
  marks: 'Status',
  doneOn: 'DateTime',
  at: 'DateTime',
  open: 'Boolean',
  extra: 'Json',
  author: 'User',
}
const KINDS: Readonly<Record<string, string>> = { status: 'enum', marks: 'enum', author: 'object' }
const STORED = {
  id: 'int8',
  note_title: 'varchar',
  status: 'Status',
  marks: '_Status',
  doneOn: 'date',
  at: 'timestamp',
  open: 'bool',
  extra: 'jsonb',
}
const SELECTED = {
  id: 1n,
  title: 'Milk',
  status: 'OPEN',
  marks: '["shut \\"down\\""]',
  doneOn: null,
  at: new Date(0),
  open: 1,
  extra: '{"a":1}',
}
const ROW = {
  id: 1n,
  title: 'Milk',
  status: 'OPEN',
  marks: ['CLOSED'],
  doneOn: null,
  at: new Date(0),
  open: true,
  extra: { a: 1 },
}

/** A client that writes down what it is asked. */
function recording(recorded: Recorded = {}) {
  const {
    provider = 'postgresql',
    query = () => [SELECTED],
    create = () => ({ ...ROW }),
    options,
    omit,
    inlineSchema = SCHEMA,
  } = recorded
  const asked: string[] = []
  const given: object[] = []
  const note = (text: string, values: unknown): void => {
    asked.push(
      `${text} ${JSON.stringify(values, (_key, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value))}`,
    )
  }
  const labels = ['OPEN', 'shut "down"'].map((value) => ({ part: 'label', name: 'status', value }))
  const described = [
    { part: 'table', name: 'notes', value: '' },
    ...Object.entries(STORED).map(([name, value]) => ({ part: 'column', name, value })),
    ...labels,
  ]
  const clientOf = (isTransaction: boolean): object => ({
    ...(!isTransaction && { $connect: () => undefined }),
    _activeProvider: provider,
    _runtimeDataModel: {
      models: {
        Note: {
          dbName: 'notes',
          schema: null,
          fields: Object.entries(TYPES).map(([name, type]) => ({
            name,
            type,
            kind: KINDS[name] ?? 'scalar',
            dbName: name === 'title' ? 'note_title' : undefined,
          })),
        },
        Pair: { dbName: null, schema: 'other', fields: [{ name: 'a', type: 'Int', kind: 'scalar' }] },
      },
    },
    _engineConfig: { inlineSchema, adapter: { options } },
    _extensions: { getAllQueryCallbacks: () => [], getAllComputedFields: () => undefined, ...recorded.extensions },
    _globalOmit: omit,
    $queryRawUnsafe: async (text: string, ...values: unknown[]) => {
      if (/pg_attribute|pragma_table_xinfo|information_schema|'json' as part/.test(text)) {
        return provider === 'postgresql'
          ? described
          : []
      }
      note(text, values)
      return query(text)
    },
    $transaction: async (work: (client: object) => Promise<unknown>, limits: object) => {
      given.push(limits)
      return work(clientOf(true))
    },
    note: {
      create: async ({ data, select }: { data: object; select: object }) => {
        note(`create ${Object.keys(select).join()}`, data)
        return create()
      },
      createManyAndReturn: async ({ data, select }: { data: readonly object[]; select: object }) => {
        note(`createManyAndReturn ${Object.keys(select).join()}`, data)
        return data.map(() => create())
      },
      updateMany: async ({ data, where }: { data: object; where: object }) => note('updateMany', [where, data]),
      deleteMany: async ({ where }: { where: object }) => {
        note('deleteMany', where)
        return { count: 1 }
      },
    },
  })
  return { client: clientOf(false) as never, asked, given }
}

interface Note {
  id: number | bigint
  title: string
  status: string
  marks: string[]
  doneOn: Date | string | null
  at: Date
  open: boolean
  extra: object | null
}

const storeOf = (recorded: Recorded = {}, options = {}): { store: Store<Note>; asked: string[] } => {
  const { client, asked } = recording(recorded)
  return { store: prismaStore(client, 'note' as never, options) as unknown as Store<Note>, asked }
}

const thrown = (fields: object): Error => Object.assign(new Error('message'), fields)
const adapterError = (cause: object): Error =>
  thrown({ name: 'PrismaClientKnownRequestError', code: 'P2010', meta: { driverAdapterError: { cause } } })

describe('prismaStore', () => {
  it.each<[code: string, fault: string, misuse: () => unknown]>([
    ['prisma_client', 'it is given no client', () => prismaStore(undefined as never, 'note' as never)],
    ['prisma_client', 'the database is another', () => storeOf({ provider: 'mongodb' })],
    [
      'prisma_client',
      'queries are extended',
      () =>
        storeOf({
          extensions: { getAllQueryCallbacks: (_model: string, name: string) => (name === 'findMany' ? [1] : []) },
        }),
    ],
    [
      'prisma_client',
      'results are extended',
      () => storeOf({ extensions: { getAllComputedFields: () => ({ up: {} }) } }),
    ],
    [
      'prisma_client',
      'the client is of an unknown version',
      () => storeOf({ extensions: { getAllComputedFields: undefined } }),
    ],
    ['prisma_model', 'the model does not exist', () => prismaStore(recording().client, 'notes' as never)],
    ['prisma_model', 'the model has no key of one column', () => prismaStore(recording().client, 'pair' as never)],
    ['prisma_model', 'the key is no column', () => storeOf({}, { key: 'author' })],
    ['prisma_option_unknown', 'an option does not exist', () => storeOf({}, { colums: {} })],
    ['prisma_columns', 'a column does not exist', () => storeOf({}, { columns: { author: 'integer' } })],
    ['prisma_columns', 'a column has no other type', () => storeOf({}, { columns: { title: 'integer' } })],
    ['prisma_columns', 'a type does not exist', () => storeOf({}, { columns: { id: 'int' } })],
  ])('refuses %s if %s', (code, _fault, misuse) => {
    expect(misuse).toThrow(expect.objectContaining({ code, message: expect.stringMatching(/\.$/) as string }))
  })

  it('reads rows by SQL with the mapped names and values of the model', async () => {
    const { store, asked } = storeOf({ options: { schema: 'app' } })
    const where = [['status', 'in', ['CLOSED', 'shut "down"']], ['title', 'contains', 'i'], [
      'doneOn',
      '=',
      new Date('2026-12-01'),
    ]]
    expect(await store.find([1n], where as never)).toEqual([ROW])
    expect(asked).toEqual([
      'select "id" as "id", "note_title" as "title", cast("status" as text) as "status", cast(to_jsonb("marks") as text) as "marks", "doneOn" as "doneOn", '
      + '"at" as "at", "open" as "open", cast("extra" as text) as "extra" from "app"."notes" where ("id" in (cast($1 as bigint)) and "status" in ($2) '
      + `and lower("note_title") like lower($3) escape '!' and "doneOn" in ($4)) ["1","shut \\"down\\"","%i%","2026-12-01"]`,
    ])
    await expect(store.find([1n], [['doneOn', '=', new Date(1)]] as never)).rejects.toMatchObject({
      code: 'store_condition',
    })
  })

  it('adds rows by one statement, and reads again what the client does not return', async () => {
    const { store, asked } = storeOf()
    const rows = [{ title: 'Milk' }, { title: 'Salt' }] as never
    expect(await store.createMany?.(rows)).toEqual([ROW, ROW])
    expect(asked.filter((one) => one.startsWith('createManyAndReturn'))).toHaveLength(1)
    expect('createMany' in storeOf({ provider: 'mysql' }).store).toBe(false)
    const sums = storeOf({ query: () => [{ sum0: Buffer.from('12') }] })
    expect(await sums.store.sum?.(['id'])).toEqual({ id: '12' })
    await expect(sums.store.sum?.(['title'])).rejects.toMatchObject({ code: 'store_sum' })
    expect(await storeOf({ query: () => [{ sum0: '0.00' }] }).store.sum?.(['id'])).toEqual({ id: '0' })
  })

  it('gives a transaction the time that is left, and none of its own without one', async () => {
    const { client, given } = recording()
    const store = prismaStore(client, 'note' as never)
    const nothing = (): Promise<void> => Promise.resolve()
    await store.transaction(nothing, { seconds: 90.5 })
    await store.transaction(nothing)
    await store.transaction((inside) => inside.transaction(nothing, { seconds: 1 }), { seconds: 0.25 })
    expect(given).toEqual([{ maxWait: 90_500, timeout: 90_500 }, {}, { maxWait: 250, timeout: 250 }])
  })

  it('counts, pages, changes and deletes, and locks rows found in a transaction', async () => {
    const { store, asked } = storeOf({
      omit: { note: { title: true, status: true, marks: true, doneOn: true, at: true, open: true, extra: true } },
      query: (
        text,
      ) => (text.includes('count(*)')
        ? [{ total: 7n }]
        : text.includes('resourcerykey')
        ? [{ resourcerykey0: 1n }]
        : [{ id: 1n }]),
    }, { columns: { id: 'integer' } })
    const list = store.list({ where: [], order: ['-doneOn', 'id'] })
    expect([await list.slice(4, 2), await list.count?.(), await store.delete([1])]).toEqual([[{ id: 1 }], 7, 1])
    await store.transaction((inside) => inside.update(1, { title: 'Tea', extra: null, marks: ['OPEN'] }))
    const matching = 'from "public"."notes" where "id" in (cast($1 as bigint))'
    expect(asked).toEqual([
      'select "id" as "id" from "public"."notes" where 1 = 1 order by "doneOn" desc nulls last, "id" limit 2 offset 4 []',
      'select count(*) as total from "public"."notes" where 1 = 1 []',
      `select "id" as resourcerykey0 ${matching} ["1"]`,
      'deleteMany {"id":{"in":["1n"]}}',
      `select "id" as resourcerykey0 ${matching} for update ["1"]`,
      'updateMany [{"id":{"in":["1n"]}},{"title":"Tea","extra":{},"marks":{"set":["OPEN"]}}]',
      `select "id" as "id" ${matching} order by "id" for update ["1"]`,
    ])
  })

  it('names a key that is an enum as the model does', async () => {
    const { store, asked } = storeOf({ query: () => [{ resourcerykey0: 'shut "down"' }] }, { key: 'status' })
    await store.delete(['CLOSED'])
    expect(asked).toEqual([
      'select cast("status" as text) as resourcerykey0 from "public"."notes" where "status" in ($1) ["shut \\"down\\""]',
      'deleteMany {"status":{"in":["CLOSED"]}}',
    ])
  })

  it('adds rows one by one if their keys cannot be told apart by their text', () => {
    expect('createMany' in storeOf({}, { key: 'at' }).store).toBe(false)
  })

  it('creates a row by the method of the model', async () => {
    const { store, asked } = storeOf({}, { columns: { doneOn: 'calendarDate' } })
    expect(await store.create({ title: 'Milk', doneOn: '2026-12-01', extra: { set: 1 }, id: 5, open: true })).toEqual({
      ...ROW,
      doneOn: null,
    })
    expect(asked).toEqual([
      'create id,title,status,marks,doneOn,at,open,extra '
      + '{"title":"Milk","doneOn":"2026-12-01T00:00:00.000Z","extra":{"set":1},"id":"5n","open":true}',
    ])
    for (
      const fields of [
        { title: { set: 'x' } },
        { marks: { push: 'OPEN' } },
        { marks: ['OPEN', null] },
        { marks: [{ set: ['OPEN'] }] },
        { at: '2026-12-01' },
        { at: new Date('+010000-01-01') },
        { at: new Date('0000-12-31') },
        { title: ['x'] },
      ]
    ) {
      await expect(store.create(fields as never)).rejects.toMatchObject({ status: 422 })
    }
    await expect(store.create({ author: { create: {} } } as never)).rejects.toMatchObject({ code: 'store_column' })
  })

  it('writes the SQL of MySQL and SQLite', async () => {
    const find = async (provider: Provider, options?: object): Promise<string | undefined> => {
      const { store, asked } = storeOf({ provider, options })
      await store.find([1n], [['open', '=', true], ['at', '<', new Date(0)]] as never)
      return asked[0]?.replace(/^select .* from/, 'from')
    }
    expect(await find('mysql')).toBe(
      'from `notes` where (`id` in (?) and `open` in (?) and `at` < ?) ["1n",1,"1970-01-01T00:00:00.000Z"]',
    )
    expect(await find('sqlite', { timestampFormat: 'unixepoch-ms' })).toBe(
      'from "notes" where ("id" in (?) and "open" in (?) and "at" < ?) ["1n",1,"1970-01-01T00:00:00.000Z"]',
    )
  })

  it('accepts a fragment of SQL as a condition', async () => {
    const { store, asked } = storeOf()
    const fragment = (strings: readonly string[], ...values: readonly unknown[]): object => ({
      strings,
      values,
      inspect: () => '',
    })
    await store.find([1n], [raw(fragment(['length(note_title) > ', ' or 1 = ', ''], 5, 0))])
    expect(asked[0]).toContain('and (length(note_title) > $2 or 1 = $3)) ["1",5,0]')
    for (const wrong of ['1 = 1', null, {}, fragment(['']), { strings: ['1 = 1'], values: [] }]) {
      await expect(store.find([1n], [raw(wrong)])).rejects.toMatchObject({ code: 'store_raw' })
    }
  })

  it.each<[fault: string, error: Error, expected: object]>([
    [
      'an index of PostgreSQL',
      adapterError({ originalCode: '23505', originalMessage: 'duplicate key', constraint: { index: 'notes_title' } }),
      { constructor: UniqueViolation, constraint: 'notes_title' },
    ],
    [
      'a column of PostgreSQL',
      adapterError({ originalCode: '23502', originalMessage: 'null value in column "note_title" of relation' }),
      { constructor: NotNullViolation, columns: ['title'] },
    ],
    [
      'a number of MySQL',
      adapterError({ originalCode: '1048', originalMessage: "Column 'note_title' cannot be null" }),
      { constructor: NotNullViolation, columns: ['title'] },
    ],
    [
      'an index of another table, which a trigger writes',
      adapterError({
        originalCode: '23505',
        originalMessage: 'duplicate key',
        constraint: { index: 'audit_title' },
        table: 'audit',
      }),
      { name: 'DriverFailure', code: '23505' },
    ],
    ['a connection', adapterError({ kind: 'ConnectionClosed' }), { constructor: UnavailableError }],
    ['a server of MariaDB that only reads', adapterError({ originalCode: '1290' }), { constructor: UnavailableError }],
    ['a server of MySQL that only reads', adapterError({ originalCode: '1836' }), { constructor: UnavailableError }],
    [
      'a lost connection of MySQL by its SQLSTATE',
      adapterError({ originalCode: '1158', state: '08S01' }),
      { constructor: UnavailableError },
    ],
    [
      'an error of an adapter',
      thrown({ name: 'DriverAdapterError', cause: { originalCode: '57P01', message: 'terminated' } }),
      { constructor: UnavailableError },
    ],
    ['a transaction that has lasted too long', thrown({ name: 'PrismaClientKnownRequestError', code: 'P2028' }), {
      constructor: UnavailableError,
    }],
    ['a pool without a connection', thrown({ name: 'PrismaClientKnownRequestError', code: 'P2024' }), {
      constructor: UnavailableError,
    }],
    [
      'an argument that is missing',
      thrown({ name: 'PrismaClientValidationError', message: 'Invalid call\n\nArgument `title` is missing.' }),
      { constructor: NotNullViolation, columns: ['title'] },
    ],
    [
      'an argument of another type',
      thrown({
        name: 'PrismaClientValidationError',
        message: 'Argument `title`: Invalid value provided. Expected String.',
      }),
      { fields: { title: ['Cannot be read'] } },
    ],
    [
      'an integer of more than 64 bits',
      thrown({
        name: 'PrismaClientValidationError',
        message: 'Unable to fit value 1e+300 into a 64-bit signed integer for field `title`',
      }),
      { fields: { title: ['Is out of range'] } },
    ],
    [
      'an element of a list of another type',
      thrown({
        name: 'PrismaClientValidationError',
        message: 'Argument `set`: Invalid value provided. Expected String.',
      }),
      { fields: { title: ['Cannot be read'] } },
    ],
    ['an unknown error of Prisma', thrown({ name: 'PrismaClientUnknownRequestError' }), { message: 'message' }],
    ['an error of another library', new TypeError('of a hook'), { message: 'of a hook' }],
  ])('converts %s', async (_fault, error, expected) => {
    const { store } = storeOf({
      create: () => {
        throw error
      },
    })
    await expect(store.create({ title: 'Milk' })).rejects.toMatchObject(expected)
  })
})
