import { describe, expect, it } from 'vitest'
import { ValidationError } from 'resourcery'
import { paginate } from 'resourcery'
import { fromKnex, type KnexQuery } from 'resourcery/knex'

interface Row {
  id: number
  title: string
}

/** A part of a query in the format of knex. */
interface Statement {
  readonly grouping: string
  readonly type?: string
  readonly value?: unknown
  readonly distinct?: boolean
  readonly distinctOn?: boolean
}

interface Where extends Statement {
  readonly bool: 'and' | 'or'
  readonly text: string
}

/** A recording query with the interface that the source uses; the real library is tested in spec/libraries. */
class Query implements KnexQuery<Row> {
  readonly client
  readonly _method: string = 'select'
  readonly _single: { limit?: number; offset?: number; lock?: string; source?: string } = {}
  readonly _statements: Statement[] = []
  readonly #answers: Record<string, unknown>[][]
  readonly #asked: string[]

  constructor(answers: Record<string, unknown>[][] = [], asked: string[] = []) {
    this.#answers = answers
    this.#asked = asked
    this.client = {
      queryBuilder: () => new Query(answers, asked),
      raw: (sql: string, bindings: readonly unknown[]) =>
        bindings.reduce<string>((text, part) => text.replace(/\?\??/, String(part)), sql),
    }
  }

  clone(): Query {
    const copy = new Query(this.#answers, this.#asked)
    Object.assign(copy._single, this._single)
    copy._statements.push(...this._statements)
    return copy
  }

  with(statement: Statement): this {
    this._statements.push(statement)
    return this
  }

  as(alias: string): this {
    this._single.source = `(${this.toSQL()}) ${alias}`
    return this
  }

  from(source: Query): this {
    this._single.source = String(source._single.source)
    return this
  }

  select(column: unknown): this {
    return this.with({ grouping: 'columns', value: [column] })
  }

  count(column: string): this {
    return this.select(`count(${column})`)
  }

  where(...condition: unknown[]): this {
    return this.#condition('and', condition)
  }

  orWhere(...condition: unknown[]): this {
    return this.#condition('or', condition)
  }

  whereRaw(condition: unknown): this {
    return this.where(String(condition))
  }

  orderByRaw(order: unknown): this {
    return this.with({ grouping: 'order', value: String(order) })
  }

  orderBy(column: string, direction: string): this {
    return this.with({ grouping: 'order', value: `${column} ${direction}` })
  }

  limit(limit: number): this {
    this._single.limit = limit
    return this
  }

  offset(offset: number): this {
    this._single.offset = offset
    return this
  }

  clearSelect(): this {
    return this.#clear('columns')
  }

  clearWhere(): this {
    return this.#clear('where')
  }

  clearOrder(): this {
    return this.#clear('order')
  }

  toSQL(): string {
    const { limit, offset, source } = this._single
    const values = (name: string) =>
      this._statements.filter(({ grouping }) => grouping === name).flatMap(({ value }) => value as string[])
    const parts = [
      `select ${values('columns').join(', ') || '*'}`,
      source === undefined ? '' : `from ${source}`,
      this.#where() && `where ${this.#where()}`,
      values('order').length > 0 ? `order by ${values('order').join(', ')}` : '',
      limit === undefined ? '' : `limit ${limit}`,
      offset === undefined ? '' : `offset ${offset}`,
    ]
    return parts.filter((part) => part !== '').join(' ')
  }

  then: KnexQuery<Row>['then'] = (done?: unknown, failed?: unknown): never => {
    this.#asked.push(this.toSQL())
    const rows = Promise.resolve((this.#answers.shift() ?? []) as unknown as Row[])
    return rows.then(done as (rows: Row[]) => unknown, failed as () => unknown) as never
  }

  #where(): string {
    const wheres = this._statements.filter((part): part is Where => part.grouping === 'where')
    return wheres.map(({ bool, text }, index) => index === 0 ? text : `${bool} ${text}`).join(' ')
  }

  #condition(bool: 'and' | 'or', [first, ...rest]: unknown[]): this {
    if (typeof first !== 'function') {
      return this.with({ grouping: 'where', bool, text: [first, ...rest].join(' ') } as Where)
    }
    const group = new Query()
    const fill = first as (builder: Query) => void
    fill(group)
    if (group._statements.length === 0) return this
    return this.with({ grouping: 'where', bool, text: `(${group.#where()})` } as Where)
  }

  #clear(grouping: string): this {
    this._statements.splice(0, Infinity, ...this._statements.filter((part) => part.grouping !== grouping))
    return this
  }
}

describe('fromKnex', () => {
  const asked: string[] = []
  const query = (...answers: Record<string, unknown>[][]) => new Query(answers, asked)
  const lastAsked = () => asked.splice(0)

  it('pages by number, and counts the same query', async () => {
    const rows = [{ id: 1 }, { id: 2 }]
    const source = fromKnex(query(rows, [{ total: '7' }]).where('title', '=', 'x').orderBy('id', 'asc'))
    expect(await paginate(source, { page: 2, limit: 2 })).toEqual({ items: rows, page: 2, limit: 2, total: 7 })
    expect(lastAsked()).toEqual([
      'select * where title = x order by id asc limit 2 offset 2',
      'select count(* as total) where title = x',
    ])
  })

  it.each<[what: string, statement: Statement]>([
    ['groups', { grouping: 'group' }],
    ['a union', { grouping: 'union' }],
    ['distinct rows', { grouping: 'columns', value: ['title'], distinct: true }],
    ['rows distinct on a column', { grouping: 'columns', value: ['title'], distinctOn: true }],
    ['an aggregate', { grouping: 'columns', value: 'title', type: 'aggregate' }],
    ['an expression', { grouping: 'columns', value: [{ sql: 'max(title)' }] }],
  ])('counts %s in a subquery', async (_what, statement) => {
    expect(await fromKnex(query([{ total: 3 }]).with(statement).orderBy('id', 'asc')).count?.()).toBe(3)
    expect(lastAsked()).toEqual([expect.stringMatching(/^select count\(\* as total\) from \(select [^)]*\) counted$/)])
  })

  it('counts locked rows in a subquery', async () => {
    const locked = query([{ total: 3 }]).select('id').orderBy('id', 'asc')
    locked._single.lock = 'forUpdate'
    expect(await fromKnex(locked).count?.()).toBe(3)
    expect(lastAsked()).toEqual(['select count(* as total) from (select id) counted'])
  })

  it('pages by cursor with the keys as strings, and keeps the conditions of the query together', async () => {
    const page = (id: number) => ({ id, title: 'x', cursorkey0: 'x', cursorkey1: String(id) })
    const either = query([page(1), page(2)], [page(2)]).where('a', '=', 1).orWhere('b', '=', 2)
    const source = fromKnex<Row>(either, { by: ['-posts.title', 'id'] })
    const first = await paginate(source, { cursor: '', limit: 1 })
    expect(first.items).toEqual([{ id: 1, title: 'x' }])
    expect((await paginate(source, { cursor: first.next, limit: 1 })).next).toBeNull()
    const columns = 'select *, concat(posts.title) as cursorkey0, concat(id) as cursorkey1'
    const order = 'order by posts.title desc, id asc limit 2'
    expect(lastAsked()).toEqual([
      `${columns} where a = 1 or b = 2 ${order}`,
      `${columns} where (a = 1 or b = 2) and (posts.title <= x and (posts.title < x or id > 1)) ${order}`,
    ])
  })

  it('reads the selected columns, and refuses forged values', async () => {
    const source = fromKnex<Row>(query([]).select('id'), { by: ['id'] })
    expect(await source.sliceAfter?.(['id', '5'], 2)).toEqual({ items: [], next: null })
    expect(lastAsked()).toEqual(['select id, concat(id) as cursorkey0 where id > 5 order by id asc limit 3'])
    await expect(source.sliceAfter?.(['id', 5], 2)).rejects.toThrow(ValidationError)
  })

  it('reads rows with null last, by a second query', async () => {
    const page = (id: number, score: number | null) => ({
      id,
      score,
      cursorkey0: score === null ? '' : String(score),
      cursorkey1: String(id),
    })
    const scores = { by: ['-score', 'id'], nullable: ['score'] } as const
    const source = fromKnex<{ id: number; score: number | null }, 'score'>(
      query([page(1, 5)], [page(2, null), page(3, null)], [page(3, null)]) as never,
      scores,
    )
    const first = await paginate(source, { cursor: '', limit: 2 })
    expect(first.items).toEqual([{ id: 1, score: 5 }, { id: 2, score: null }])
    expect(await paginate(source, { cursor: first.next, limit: 2 })).toEqual({
      items: [{ id: 3, score: null }],
      limit: 2,
      next: null,
    })
    const columns = 'select *, concat(score) as cursorkey0, concat(id) as cursorkey1'
    expect(lastAsked()).toEqual([
      `${columns} where score is not null order by score desc, id asc limit 3`,
      `${columns} where score is null order by id asc limit 2`,
      `${columns} where (score is null and id > 2) order by id asc limit 3`,
    ])
    await paginate(source, { page: 2, limit: 2, total: false })
    expect(lastAsked()).toEqual(['select * order by score is null, score desc, id asc limit 2 offset 2'])
  })

  it.each<[code: string, fault: string, misuse: () => unknown]>([
    [
      'knex_order',
      'a nullable column is not in the order',
      () => fromKnex<Row, 'title'>(query(), { by: ['id'], nullable: ['title'] }),
    ],
    [
      'knex_order',
      'the last key is nullable',
      () => fromKnex<Row, 'id'>(query(), { by: ['title', 'id'], nullable: ['id'] }),
    ],
    ['knex_query', 'another value is given', () => fromKnex([] as never)],
    ['knex_query', 'null or undefined is given', () => fromKnex(null as never)],
    ['knex_query', 'the query is for one row', () => fromKnex(Object.assign(query(), { _method: 'first' }))],
    ['knex_query', 'the query has a limit', () => fromKnex(query().orderBy('id', 'asc').limit(5))],
    ['knex_query', 'the query has an offset', () => fromKnex(query().orderBy('id', 'asc').offset(5))],
    ['knex_order', 'there is no order', () => fromKnex(query())],
    ['knex_order', 'there are two orders', () => fromKnex<Row>(query().orderBy('id', 'asc'), { by: ['id'] })],
    [
      'knex_order',
      'a union is ordered by keys',
      () => fromKnex<Row>(query().with({ grouping: 'union' }), { by: ['id'] }),
    ],
    ['knex_order', 'a `distinct on` is ordered by keys', () => (
      fromKnex<Row>(query().with({ grouping: 'columns', value: ['id'], distinctOn: true }), { by: ['id'] })
    )],
    [
      'knex_cursor',
      'a cursor is asked without keys',
      () => paginate(fromKnex(query().orderBy('id', 'asc')), { cursor: '', limit: 3 }),
    ],
    ['knex_key', 'a key is null', () => (
      paginate(fromKnex<Row>(query([{ id: null, cursorkey0: '' }]), { by: ['id'] }), { cursor: '', limit: 3 })
    )],
  ])('throws %s if %s', async (code, _fault, misuse) => {
    await expect(Promise.resolve().then(misuse)).rejects.toMatchObject({
      code,
      message: expect.stringMatching(/^\S+ .+\.$/) as string,
    })
  })
})
