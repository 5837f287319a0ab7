import { MisuseError } from '../../errors.js'
import { invalidCursor, type Position } from '../../paging/cursor.js'
import type { PageSource } from '../../types.js'
import type { Order } from './key.js'
import { isUnreadable } from './unreadable.js'

/** A row, and what it has in the columns of the order. */
export interface KeyedRow<Row> {
  readonly row: Row
  readonly values: readonly unknown[]
}

/** Reads rows behind the one with these values, from the start for `null`. */
export type ReadBehind<Row> = (values: readonly unknown[] | null, limit: number) => Promise<readonly KeyedRow<Row>[]>

/**
 * Pages by cursor over an order of keys; a cursor holds their values in the last row.
 *
 * @throws MisuseError `<library>_cursor` when there are no keys, `<library>_key` when one of them is null or not selected.
 */
export function sliceAfter<Row>(library: string, order: Order, read: ReadBehind<Row>): NonNullable<PageSource<Row>['sliceAfter']> {
  return async (position, limit) => {
    if (order.keys.length === 0) {
      throw new MisuseError(`${library}_cursor`, "A cursor needs an order that ends in a unique column: give { by: ['id'] } to the source.")
    }
    const found = await readBehind(read, order, position, limit + 1)
    for (const { values } of found) checkValues(library, order, values)
    const last = found.length > limit ? found[limit - 1] : undefined
    return { items: found.slice(0, limit).map(({ row }) => row), next: last === undefined ? null : [order.spelling, ...last.values] }
  }
}

async function readBehind<Row>(read: ReadBehind<Row>, order: Order, position: Position | null, limit: number) {
  if (position === null) return read(null, limit)
  try {
    return await read(valuesOf(position, order), limit)
  } catch (error) {
    throw isUnreadable(error) ? invalidCursor() : error
  }
}

function valuesOf([spelling, ...values]: Position, order: Order): Position {
  if (spelling !== order.spelling || values.length !== order.keys.length || values.includes(null)) throw invalidCursor()
  return values
}

function checkValues(library: string, { keys }: Order, values: readonly unknown[]): void {
  const missing = keys.find((_key, index) => values[index] === null || values[index] === undefined)
  if (missing !== undefined) {
    throw new MisuseError(`${library}_key`, `A cursor cannot be made of "${missing.column}": it must be selected and never null.`)
  }
}
