import { beforeEach, describe, expect, it } from 'vitest'
import { ValidationError } from 'resourcery'
import { paginate } from 'resourcery'
import { fromDrizzle, type DrizzleQuery } from 'resourcery/drizzle'
import type { Config } from '../../lib/adapters/drizzle/library.js'

interface Row {
  id: number
  title: string
}

/** Renders a statement; parts that are neither strings nor statements are parameters. */
class Statement {
  readonly chunks: readonly unknown[]
  readonly written?: string
  readonly columnType?: string
  readonly sql?: Statement

  constructor(chunks: readonly unknown[]) {
    this.chunks = chunks
  }

  getSQL(): this {
    return this
  }

  toString(): string {
    return this.written
      ?? this.chunks.map((chunk) => chunk instanceof Statement ? chunk.toString() : textOf(chunk)).join('')
  }
}

/** Drizzle recognises strings of statements by this symbol, also those of another copy of itself. */
function textOf(chunk: unknown): string {
  const { constructor, value } = Object(chunk) as { constructor: Record<symbol, unknown>; value: string[] }
  return constructor[Symbol.for('drizzle:entityKind')] === 'StringChunk' ? value.join('') : `$${String(chunk)}`
}

const raw = (text: string) => Object.assign(new Statement([]), { written: text })
const column = (name: string) => Object.assign(raw(name), { columnType: 'PgText' })
const aliased = (text: string) => Object.assign(raw('alias'), { sql: raw(text) })

const asked: string[] = []

/** A query with the interface that the source uses; the real library is tested in spec/libraries. */
class Query implements DrizzleQuery<Row> {
  declare readonly _: { readonly result: Row[]; readonly selectMode: 'single' }
  readonly config: Config
  readonly answers: Record<string, unknown>[][]

  constructor(config: Partial<Config> = {}, ...answers: Record<string, unknown>[][]) {
    this.config = { fields: { id: column('id'), title: column('title') }, setOperators: [], ...config }
    this.answers = answers
  }

  prepare(): { execute(): Promise<Record<string, unknown>[]> } {
    asked.push(written(this.config))
    return { execute: async () => this.answers.shift() ?? [] }
  }

  readonly dialect = { buildSelectQuery: (config: Config) => raw(written(config)) }

  readonly session = {
    count: async (sql: unknown) => {
      asked.push(String(sql))
      return Number(this.answers.shift()?.[0]?.count)
    },
  }
}

function written({ fields, where, orderBy, limit, offset, setOperators }: Config): string {
  const last = setOperators.at(-1)
  const parts = [
    `select ${Object.values(fields).map(String).join(', ')}`,
    where === undefined ? '' : `where ${(where as Statement).toString()}`,
    last === undefined ? '' : `union (${written({ ...last, setOperators: [] })})`,
    orderBy === undefined || orderBy.length === 0 ? '' : `order by ${orderBy.map(String).join(', ')}`,
    limit === undefined ? '' : `limit ${limit as number}`,
    offset === undefined ? '' : `offset ${offset as number}`,
  ]
  return parts.filter((part) => part !== '').join(' ')
}

describe('fromDrizzle', () => {
  beforeEach(() => void asked.splice(0))

  const orderBy = [column('id')]

  it('pages by number, and counts the same query', async () => {
    const rows = [{ id: 1 }, { id: 2 }]
    const source = fromDrizzle(
      new Query({ where: raw('title = x'), orderBy, lockingClause: { strength: 'update' } }, rows, [{ count: 7 }]),
    )
    expect(await paginate(source, { page: 2, limit: 2 })).toEqual({ items: rows, page: 2, limit: 2, total: 7 })
    expect(asked).toEqual([
      'select id, title where title = x order by id limit 2 offset 2',
      'select count(*) as count where title = x',
    ])
  })

  it.each<[what: string, config: Partial<Config>]>([
    ['groups', { groupBy: [column('title')] }],
    ['conditions on groups', { having: 'count(*) > 1' }],
    ['distinct rows', { distinct: true }],
    ['an expression', { fields: { last: raw('max(title)') } }],
    ['an expression of a join', { fields: { posts: { id: column('id'), last: raw('max(title)') } } }],
  ])('counts %s in a subquery', async (_what, config) => {
    expect(await fromDrizzle(new Query({ orderBy, ...config }, [{ count: 3 }])).count?.()).toBe(3)
    expect(asked).toEqual([expect.stringMatching(/^select count\(\*\) as count from \(select .*\) as counted$/)])
    expect(asked[0]).not.toContain('order by')
  })

  it('counts the columns of a join without a subquery', async () => {
    const fields = { posts: { id: column('posts.id') }, users: { id: column('users.id') } }
    expect(await fromDrizzle(new Query({ orderBy, fields, distinct: false }, [{ count: 3 }])).count?.()).toBe(3)
    expect(asked).toEqual(['select count(*) as count'])
  })

  it('limits a union as a whole, and counts it without its order', async () => {
    const part = { fields: { id: column('id') }, setOperators: [] }
    const union = new Query({ setOperators: [part, { ...part, orderBy }] }, [{ id: 1 }], [{ count: 5 }])
    expect((await paginate(fromDrizzle(union), 1)).total).toBe(5)
    expect(asked).toEqual([
      'select id, title union (select id order by id limit 1 offset 0)',
      'select count(*) as count from (select id, title union (select id)) as counted',
    ])
  })

  it('pages by cursor with the keys as strings, and keeps the condition of the query together', async () => {
    const page = (id: number) => ({ id, title: 'x', cursorkey0: 'x', cursorkey1: String(id) })
    const source = fromDrizzle(new Query({ where: raw('a or b') }, [page(1), page(2)], [page(2)]), {
      by: ['-title', 'id'],
    })
    const first = await paginate(source, { cursor: '', limit: 1 })
    expect(first.items).toEqual([{ id: 1, title: 'x' }])
    expect((await paginate(source, { cursor: first.next, limit: 1 })).next).toBeNull()
    const columns = 'select id, title, concat(title), concat(id)'
    const order = 'order by title desc, id limit 2'
    expect(asked).toEqual([
      `${columns} where a or b ${order}`,
      `${columns} where (a or b) and ((title <= $x and (title < $x or id > $1))) ${order}`,
    ])
  })

  it('reads joined columns and aliased expressions, and refuses forged values', async () => {
    const fields = { posts: { id: column('posts.id') }, loud: aliased('upper(title)') }
    const source = fromDrizzle(new Query({ fields }), { by: ['loud', 'posts.id'] as never })
    expect(await source.sliceAfter?.(['loud,posts.id', 'X', '5'], 2)).toEqual({ items: [], next: null })
    expect(asked[0]).toContain(
      'where (upper(title), posts.id) > ($X, $5) order by upper(title), posts.id',
    )
    await expect(source.sliceAfter?.(['loud,posts.id', 'X', 5], 2)).rejects.toThrow(ValidationError)
  })

  it.each<[code: string, fault: string, misuse: () => unknown]>([
    ['drizzle_query', 'another value is given', () => fromDrizzle([] as never)],
    ['drizzle_query', 'null or undefined is given', () => fromDrizzle(null as never)],
    [
      'drizzle_query',
      'a relational query is given',
      () => fromDrizzle({ config: {}, session: {}, prepare: () => undefined } as never),
    ],
    ['drizzle_query', 'a query without a configuration is given', () => fromDrizzle({ config: null } as never)],
    ['drizzle_query', 'the query has a limit', () => fromDrizzle(new Query({ orderBy, limit: 5 }))],
    ['drizzle_query', 'the query has an offset', () => fromDrizzle(new Query({ orderBy, offset: 5 }))],
    ['drizzle_order', 'there is no order', () => fromDrizzle(new Query())],
    ['drizzle_order', 'there is an empty order', () => fromDrizzle(new Query({ orderBy: [] }))],
    ['drizzle_order', 'there are two orders', () => fromDrizzle(new Query({ orderBy }), { by: ['id'] })],
    ['drizzle_order', 'a union is ordered by keys', () => (
      fromDrizzle(new Query({ setOperators: [{ fields: {}, setOperators: [] }] }), { by: ['id'] })
    )],
    [
      'drizzle_order',
      'a `distinct on` is ordered by keys',
      () => fromDrizzle(new Query({ distinct: { on: [] } }), { by: ['id'] }),
    ],
    [
      'drizzle_cursor',
      'a cursor is asked without keys',
      () => paginate(fromDrizzle(new Query({ orderBy })), { cursor: '', limit: 3 }),
    ],
    ['drizzle_key', 'a key is null', () => (
      paginate(fromDrizzle(new Query({}, [{ id: null, cursorkey0: '' }]), { by: ['id'] }), { cursor: '', limit: 3 })
    )],
    ['drizzle_key', 'a key is not selected', () => fromDrizzle(new Query(), { by: ['constructor' as 'id'] })],
    ['drizzle_key', 'a key leads nowhere', () => fromDrizzle(new Query(), { by: ['id.a.b' as 'id'] })],
  ])('throws %s if %s', async (code, _fault, misuse) => {
    await expect(Promise.resolve().then(misuse)).rejects.toMatchObject({
      code,
      message: expect.stringMatching(/^\S+ .+\.$/) as string,
    })
  })
})
