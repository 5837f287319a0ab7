import { expect, it } from 'vitest'
import { readAt, readAfterData, type DataQuery } from '../../lib/adapters/sql/keyset/data-rows.js'
import { readOrder, type Condition } from '../../lib/adapters/sql/keyset/order.js'

interface Row {
  readonly id: number
  readonly score: number | null
}

const ROWS: readonly Row[] = [3, null, 1, 2, null, 2, 5, null].map((score, id) => ({ id, score }))
const operators = { and: 'AND', or: 'OR', less: 'lt', greater: 'gt', notEqual: 'not', atMost: 'lte',
  atLeast: 'gte' } as const

const BOUNDS: Readonly<Record<string, (own: number, bound: number) => boolean>> = {
  lt: (own, bound) => own < bound,
  gt: (own, bound) => own > bound,
  lte: (own, bound) => own <= bound,
  gte: (own, bound) => own >= bound,
}

function meets(row: Row, where: Condition): boolean {
  return Object.entries(where).every(([name, value]) => {
    if (name === 'AND') return (value as Condition[]).every((one) => meets(row, one))
    if (name === 'OR') return (value as Condition[]).some((one) => meets(row, one))
    const own = row[name as keyof Row]
    if (typeof value !== 'object' || value === null) return own === value
    const { not, ...bounds } = value as { not?: null } & Record<string, number>
    if (not === null) return own !== null
    return own !== null && Object.entries(bounds).every(([word, bound]) => BOUNDS[word]?.(own, bound))
  })
}

/** A table in memory, which counts its queries. */
function table(): DataQuery<Row> & { readonly queries: () => number } {
  let count = 0
  const matching = (where: Condition = {}): Row[] => {
    count++
    return ROWS.filter((row) => meets(row, where))
  }
  return {
    operators,
    queries: () => count,
    count: async (where) => Promise.resolve(matching(where).length),
    read: async (where, keys, { offset = 0, limit }) =>
      Promise.resolve(matching(where).sort((one, other) => {
        for (const { column, descending } of keys) {
          const [a, b] = [one, other].map((row) => row[column as keyof Row] ?? -Infinity)
          if (a !== b) return ((a ?? 0) < (b ?? 0)) === descending ? 1 : -1
        }
        return 0
      }).slice(offset, offset + limit)),
  }
}

const EXPECTED = {
  'score': [2, 3, 5, 0, 6, 1, 4, 7],
  '-score': [6, 0, 3, 5, 2, 1, 4, 7],
} as const

it.each(['score', '-score'] as const)('reads rows without a value last, by number, in the order %s', async (key) => {
  const order = readOrder('prisma', { by: [key, 'id'], nullable: ['score'] })
  for (const limit of [1, 2, 3, 5, 8, 20]) {
    for (let offset = 0; offset <= ROWS.length + 1; offset++) {
      const page = await readAt(table(), order, offset, limit)
      expect([offset, limit, page.map(({ id }) => id)])
        .toEqual([offset, limit, EXPECTED[key].slice(offset, offset + limit)])
    }
  }
})

it.each(['score', '-score'] as const)('reads rows without a value last, by cursor, in the order %s', async (key) => {
  const order = readOrder('prisma', { by: [key, 'id'], nullable: ['score'] })
  for (const limit of [1, 2, 3, 8]) {
    const seen: number[] = []
    for (let values: readonly unknown[] | null = null, page: readonly Row[];;) {
      page = await readAfterData(table(), order, values, limit)
      seen.push(...page.map(({ id }) => id))
      const last = page.at(-1)
      if (last === undefined) break
      values = [last.score, last.id]
    }
    expect([limit, seen]).toEqual([limit, EXPECTED[key]])
  }
})

it.each([['score', 'gte'], ['-score', 'lte']] as const)(
  'gives the first key a bound in the order %s, so that an index is not read from its start',
  async (key, bound) => {
    const asked: unknown[] = []
    const read: DataQuery<Row>['read'] = (where) => {
      asked.push(where)
      return Promise.resolve([])
    }
    const order = readOrder('prisma', { by: [key, 'id'] })
    await readAfterData({ ...table(), read }, order, [3, 0], 2)
    expect(asked).toEqual([{ AND: [{ score: { [bound]: 3 } }, { OR: expect.any(Array) as unknown }] }])
    await readAfterData({ ...table(), read, labelsOf: () => [1, 3] }, order, [3, 0], 2)
    expect(asked[1]).toHaveProperty('OR')
  },
)

it('reads an order without null by one query', async () => {
  const order = readOrder('prisma', { by: ['-id'] })
  const rows = table()
  expect((await readAt(rows, order, 1, 2)).map(({ id }) => id)).toEqual([6, 5])
  expect((await readAfterData(rows, order, [5], 2)).map(({ id }) => id)).toEqual([4, 3])
  expect((await readAfterData(rows, order, null, 2)).map(({ id }) => id)).toEqual([7, 6])
  expect(rows.queries()).toBe(3)
})
