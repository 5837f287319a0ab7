import type { PageSource } from '../../types.js'

type Counted<Row> = Required<Pick<PageSource<Row>, 'slice' | 'count' | 'sliceAndCount'>>

/** Slices and counts one after the other: a transaction has one connection. */
export function counted<Row>(
  slice: (offset: number, limit: number) => Promise<readonly Row[]>,
  count: () => Promise<number>,
): Counted<Row> {
  return {
    slice,
    count,
    async sliceAndCount(offset, limit) {
      const items = await slice(offset, limit)
      // A page that is not full is the last one, and tells how many rows there are.
      const isLast = items.length < limit && (items.length > 0 || offset === 0)
      return { items, total: isLast ? offset + items.length : await count() }
    },
  }
}
