import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ValidationError } from 'resourcery'
import { paginate, toPage } from 'resourcery'
import { encodeCursor } from '../lib/core/paging/cursor.js'
import type { CursorPage, PageSource } from 'resourcery'

const letters = ['a', 'b', 'c', 'd', 'e']
const NOT_POSITIVE = [0, -1, 1.5, NaN, Infinity, 2 ** 53, '1', '1e9', [1], null, undefined, true, 1n]

function misuse(code: string): unknown {
  return expect.objectContaining({ name: 'MisuseError', code })
}

async function fieldOf(promise: Promise<unknown>): Promise<string | undefined> {
  const error: unknown = await promise.then(() => undefined, (thrown: unknown) => thrown)
  return error instanceof ValidationError && error.status === 422 ? Object.keys(error.fields).join() : undefined
}

describe('paginate by number', () => {
  it('returns page 1 for a bare limit', async () => {
    expect(await paginate(letters, 2)).toEqual({ items: ['a', 'b'], page: 1, limit: 2, total: 5 })
  })

  it('returns the requested page, and a shorter last one', async () => {
    expect(await paginate(letters, { page: 3, limit: 2 })).toEqual({ items: ['e'], page: 3, limit: 2, total: 5 })
  })

  it('returns an empty list with the right total past the end', async () => {
    expect(await paginate(letters, { page: 4, limit: 2 })).toEqual({ items: [], page: 4, limit: 2, total: 5 })
    expect(await paginate([], 2)).toEqual({ items: [], page: 1, limit: 2, total: 0 })
  })

  it('returns the whole list in pages of any size', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer(), { maxLength: 40 }),
        fc.integer({ min: 1, max: 50 }),
        async (list, limit) => {
          const numbers = Array.from({ length: Math.ceil(list.length / limit) + 1 }, (_, index) => index + 1)
          const pages = await Promise.all(numbers.map((page) => paginate(list, { page, limit })))
          expect(pages.flatMap(({ items }) => items)).toEqual(list)
          expect(pages.every(({ total }) => total === list.length)).toBe(true)
        },
      ),
    )
  })

  it.each(NOT_POSITIVE)('refuses %o as page or limit', async (value) => {
    const number = value as number
    expect(await fieldOf(paginate(letters, { page: number, limit: 2 }))).toBe('page')
    expect(await fieldOf(paginate(letters, { page: 1, limit: number }))).toBe('limit')
    expect(await fieldOf(paginate(letters, { page: 1, limit: number, total: false }))).toBe('limit')
    expect(await fieldOf(paginate(letters, { cursor: '', limit: number }))).toBe('limit')
  })

  it.each([0, -1, 1.5, NaN, '20'])('refuses %o as a bare limit', async (value) => {
    expect(await fieldOf(paginate(letters, value as number))).toBe('limit')
  })

  it('refuses a page whose offset is too large', async () => {
    expect(await fieldOf(paginate(letters, { page: Number.MAX_SAFE_INTEGER, limit: 2 }))).toBe('page')
    expect(await paginate(letters, Number.MAX_SAFE_INTEGER)).toMatchObject({ items: letters, total: 5 })
  })

  it('does not count if no total is requested', async () => {
    const count = (): never => expect.fail('counted')
    const source: PageSource<string> = { slice: () => letters, count, sliceAndCount: count }
    expect(await paginate(source, { page: 1, limit: 5, total: false })).toEqual({ items: letters, page: 1, limit: 5 })
  })

  it('does not read the source if the figures are refused', async () => {
    const source: PageSource<string> = { slice: () => expect.fail('read') }
    expect(await fieldOf(paginate(source, { page: 1, limit: -1 }))).toBe('limit')
  })
})

describe('paginate of a source', () => {
  it('reads the rows at an offset, then the count', async () => {
    const asked: unknown[] = []
    const source: PageSource<string> = {
      slice: (...range) => Promise.resolve(asked.push(range)).then(() => ['x']),
      count: () => Promise.resolve(asked.push('count')).then(() => 57),
    }
    expect(await paginate(source, { page: 3, limit: 20 })).toEqual({ items: ['x'], page: 3, limit: 20, total: 57 })
    expect(asked).toEqual([[40, 20], 'count'])
  })

  it('reads once if the source returns rows and count together', async () => {
    const source: PageSource<string> = {
      slice: () => expect.fail('sliced'),
      count: () => expect.fail('counted'),
      sliceAndCount: (offset, limit) => Promise.resolve({ items: [`${offset}+${limit}`], total: 57 }),
    }
    expect(await paginate(source, { page: 3, limit: 20 })).toEqual({ items: ['40+20'], page: 3, limit: 20, total: 57 })
  })

  it('supports sources that are instances of classes', async () => {
    class Rows implements PageSource<string> {
      readonly #rows = letters
      slice(offset: number, limit: number): string[] {
        return this.#rows.slice(offset, offset + limit)
      }

      count(): number {
        return this.#rows.length
      }
    }
    expect(await paginate(new Rows(), 2)).toMatchObject({ items: ['a', 'b'], total: 5 })
  })

  it('never returns more rows than requested', async () => {
    const source: PageSource<string> = { slice: () => letters, count: () => 5 }
    expect((await paginate(source, 2)).items).toEqual(['a', 'b'])
    expect((await paginate(source, { page: 1, limit: 2, total: false })).items).toEqual(['a', 'b'])
    expect(await paginate(source, { cursor: '', limit: 2 })).toMatchObject({ items: ['a', 'b'] })
  })

  it('copies the list of the source', async () => {
    const page = await paginate({ slice: () => letters, count: () => 5 }, 5)
    page.items.push('f')
    expect(letters).toHaveLength(5)
  })

  it.each([['57'], [57n]])('converts a count of %o to a number', async (counted) => {
    const count = (): number => counted as unknown as number
    const slice = (): string[] => []
    const sliceAndCount = async () => ({ items: [], total: count() })
    expect(await paginate({ slice, count }, 1)).toMatchObject({ total: 57 })
    expect(await paginate({ slice, sliceAndCount }, 1)).toMatchObject({ total: 57 })
  })

  it('refuses an invalid count, a list of another type, and a source without a count', async () => {
    await expect(paginate({ slice: () => [], count: () => -1 }, 1)).rejects.toThrow(misuse('page_count'))
    await expect(paginate({ slice: () => 'rows' as never, count: () => 1 }, 1)).rejects.toThrow(misuse('page_source'))
    await expect(paginate({ slice: () => [] }, 1)).rejects.toThrow(misuse('page_count'))
    await expect(paginate({ slice: () => [] }, 1)).rejects.toThrow('total: false')
    expect(await paginate({ slice: () => ['a'] }, { page: 1, limit: 1, total: false })).toMatchObject({ items: ['a'] })
  })

  it.each([[null], [undefined], ['text'], [5], [{}], [new Map()], [Buffer.from('bytes')], [{ slice: 5 }], [
    Promise.resolve([]),
  ]])(
    'refuses %o with advice',
    async (value) => {
      await expect(paginate(value as never, 20)).rejects.toThrow(misuse('page_source'))
      await expect(paginate(value as never, 20)).rejects.toThrow('fromKysely of resourcery/kysely')
    },
  )

  it('passes on errors of a source', async () => {
    const down = new Error('down')
    const source: PageSource<string> = { slice: () => Promise.reject(down), count: () => 0 }
    await expect(paginate(source, 1)).rejects.toBe(down)
    await expect(paginate(source, { cursor: '', limit: 1 })).rejects.toBe(down)
  })
})

describe('paginate by cursor', () => {
  async function walk<T>(source: readonly T[] | PageSource<T>, limit: number): Promise<T[]> {
    const seen: T[] = []
    let cursor: string | null = null
    do {
      const page: CursorPage<T> = await paginate(source, { cursor, limit })
      expect(page.items.length).toBeLessThanOrEqual(limit)
      seen.push(...page.items)
      cursor = page.next
    } while (cursor !== null)
    return seen
  }

  it('begins without a cursor and ends with null', async () => {
    const first = await paginate(letters, { cursor: '', limit: 3 })
    expect(first).toEqual({ items: ['a', 'b', 'c'], limit: 3, next: expect.any(String) as string })
    expect(await paginate(letters, { cursor: null, limit: 3 })).toEqual(first)
    expect(await paginate(letters, { cursor: first.next, limit: 3 })).toEqual({
      items: ['d', 'e'],
      limit: 3,
      next: null,
    })
    expect(await paginate(letters, { cursor: null, limit: 5 })).toEqual({ items: letters, limit: 5, next: null })
  })

  it('returns the whole list in steps of any size', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer(), { maxLength: 30 }),
        fc.integer({ min: 1, max: 35 }),
        async (list, limit) => {
          expect(await walk(list, limit)).toEqual(list)
        },
      ),
    )
  })

  it('pages by number if the cursor is undefined', async () => {
    const query: { cursor?: string } = {}
    expect(await paginate(letters, { page: 2, limit: 2, cursor: query.cursor })).toEqual({
      items: ['c', 'd'],
      page: 2,
      limit: 2,
      total: 5,
    })
    expect(await paginate(letters, { page: 2, limit: 2, cursor: '' })).toHaveProperty('next')
  })

  it('uses the positions of a source that has them', async () => {
    const source: PageSource<number> = {
      slice: () => expect.fail('sliced'),
      sliceAfter(position, limit) {
        const start = position === null ? 0 : Number(position[0])
        const items = [0, 1, 2, 3, 4, 5, 6].slice(start, start + limit)
        return Promise.resolve({
          items,
          next: start + limit < 7 ? [BigInt(start + limit), new Date(0), 'x', null] : null,
        })
      },
    }
    expect(await walk(source, 3)).toEqual([0, 1, 2, 3, 4, 5, 6])
  })

  it('refuses a source that returns more rows than requested, since rows would be lost', async () => {
    const source: PageSource<string> = {
      slice: () => [],
      sliceAfter: () => Promise.resolve({ items: letters, next: null }),
    }
    await expect(paginate(source, { cursor: '', limit: 2 })).rejects.toThrow(misuse('page_source'))
  })

  it.each([['nonsense'], ['AQAAAAA'], [['a', 'b']], [{}], [5]])('refuses the cursor %o', async (cursor) => {
    expect(await fieldOf(paginate(letters, { cursor: cursor as string, limit: 2 }))).toBe('cursor')
  })

  it.each([
    [[]],
    [['offset']],
    [[2]],
    [['id', 2]],
    [['offset', 2, 3]],
    [['offset', '2']],
    [['offset', -2]],
    [['offset', 0]],
    [['offset', 1.5]],
    [['offset', 2n]],
    [['offset', Number.MAX_SAFE_INTEGER]],
  ])('refuses the cursor of another source, %o', async (position) => {
    expect(await fieldOf(paginate(letters, { cursor: encodeCursor(position), limit: 2 }))).toBe('cursor')
  })

  it('returns an empty page if the list has become shorter', async () => {
    const { next } = await paginate(letters, { cursor: '', limit: 3 })
    expect(await paginate(['a'], { cursor: next, limit: 3 })).toEqual({ items: [], limit: 3, next: null })
  })
})

describe('toPage', () => {
  it.each([null, undefined, 5, 'abc', {}, Promise.resolve([])])('refuses %o, which is no list', (items) => {
    expect(() => toPage(items as never, { page: 1, limit: 2, total: 2 })).toThrow(misuse('page_source') as Error)
  })
})
