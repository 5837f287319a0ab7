import { MisuseError } from '../errors.js'
import type { CursorPage, PageSource } from '../types.js'
import { decodeCursor, encodeCursor, invalidCursor, type Position } from './cursor.js'
import { markPage } from './page.js'
import { positive } from './positive.js'
import { rowsOf } from './rows.js'
import { sourceOf, type Source } from './source.js'

export interface CursorOptions {
  readonly cursor: string | null
  readonly limit: number
}

/** The page behind a cursor, the first one for `''` and `null`; its `next` is `null` at the end of the list. */
export async function pageByCursor<T>(given: Source<T>, options: CursorOptions): Promise<CursorPage<T>> {
  const source = sourceOf(given)
  const limit = positive('limit', options.limit)
  const position = options.cursor === null || options.cursor === '' ? null : decodeCursor(options.cursor)
  const { items, next } = await sliceAfter(source, position, limit)
  const rows = rowsOf(items, limit)
  // To cut them would lose them: the next page begins behind the last row that the source gave.
  if (items.length > limit) throw new MisuseError('page_source', 'sliceAfter must return at most as many rows as it was asked for.')
  return markPage({ items: rows, limit, next: next === null ? null : encodeCursor(next) })
}

type Slice<T> = Awaited<ReturnType<NonNullable<PageSource<T>['sliceAfter']>>>

/** Reads behind a position; a source that knows offsets only has them as positions. */
export async function sliceAfter<T>(source: PageSource<T>, position: Position | null, limit: number): Promise<Slice<T>> {
  if (source.sliceAfter !== undefined) return source.sliceAfter(position, limit)
  const offset = position === null ? 0 : offsetOf(position, limit)
  const items = rowsOf(await source.slice(offset, limit + 1), limit + 1)
  return { items: items.slice(0, limit), next: items.length > limit ? [OFFSET, offset + limit] : null }
}

/** Tells the cursor of a source that only knows offsets from every other. */
const OFFSET = 'offset'

function offsetOf(position: Position, limit: number): number {
  const [kind, offset] = position
  const readable = position.length === 2 && kind === OFFSET && typeof offset === 'number' && offset > 0
  if (!readable || !Number.isSafeInteger(offset) || !Number.isSafeInteger(offset + limit + 1)) throw invalidCursor()
  return offset
}
