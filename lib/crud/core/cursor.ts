import type { z } from 'zod'
import { invalidCursor, markPage, messageOf, messagesOf, MisuseError, paginate, sliceAfter, sourceOf, stateOf, toJson,
  ValidationError, type CursorPage, type Message, type PageSource, type Source } from '../../core/index.js'
import type { CursorSeal } from './cursor-seal.js'
import { digest } from './digest.js'
import type { Call, ToOutput } from './feature.js'
import { fieldOf, wireName } from './list-parameters.js'
import type { ListedQuery } from './list-query.js'
import type { Row } from './any-resource.js'
import { pathConditions } from './call.js'

interface List {
  readonly found: Source<Row>
  readonly cursor: string
  readonly limit: number
  readonly toOutput: ToOutput
}

/**
 * Reads a page by cursor. A cursor is bound to its list: the application, the resource, its parent, the order, and the
 * values of the scope's `=` conditions.
 *
 * Without a secret a cursor contains the values of the order in the last row of its page, so the output of that row
 * must have them as they are.
 *
 * @throws ValidationError naming the cursor, for a cursor of another list and for one that would reveal fields that
 * the caller may not read.
 */
export async function cursorPage(call: Call, query: ListedQuery, list: List): Promise<CursorPage<Row>> {
  try {
    return await readAfter(call, query, list)
  } catch (error) {
    const message = cursorMessage(error)
    throw message === undefined
      ? error
      : new ValidationError({ [wireName('cursor', call.plan.options.paramNames ?? {})]: [message] })
  }
}

function cursorMessage(error: unknown): string | Message | undefined {
  if (error instanceof ValidationError) return messagesOf(error.fields).cursor?.[0]
  const isTooLong = error instanceof MisuseError && error.code === 'cursor_length'
  return isTooLong ? messageOf('field.cursor_length') : undefined
}

async function readAfter(call: Call, query: ListedQuery, list: List): Promise<CursorPage<Row>> {
  const { cursor, limit, toOutput } = list
  const { cursorSeal: seal, schemas } = call.plan
  const shape: Readonly<Record<string, z.ZodType>> = schemas.output.shape
  const fields = query.keys === undefined ? query.order.map(fieldOf) : []
  if (seal === undefined && fields.some((field) => query.denied.has(field) || !Object.hasOwn(shape, field))) {
    throw hiddenOrder()
  }
  const { source, lastOf } = boundSource(sourceOf(list.found), bindingOf(call, query), fields)
  const page = await paginate(source, {
    cursor: seal === undefined || cursor === '' ? cursor : openCursor(seal, cursor),
    limit,
  })
  const items = await toOutput(page.items)
  if (seal === undefined && !await isUnchanged(shape, lastOf(), items.at(-1))) throw hiddenOrder()
  return markPage({ items, limit, next: page.next === null || seal === undefined ? page.next : seal.seal(page.next) })
}

function openCursor(seal: CursorSeal, sealed: string): string {
  const cursor = seal.open(sealed)
  if (cursor === undefined) throw invalidCursor()
  return cursor
}

function hiddenOrder(): ValidationError {
  return new ValidationError({ cursor: [messageOf('field.cursor_order')] })
}

/** Returns a digest of the list: twelve characters, so that cursors stay short. */
function bindingOf(call: Call, { order, tenancy }: ListedQuery): string {
  const { route } = stateOf(call.req)
  const list = [route?.app ?? null, route?.name ?? null, order, ...pathConditions(call.plan.features, call)]
  return digest(tenancy.length === 0 ? list : [...list, tenancy]).slice(0, 12)
}

/**
 * Returns a source whose positions are bound to a list; `lastOf` returns the values of the order in the last row, as
 * the store gave them, none where there is no next page.
 */
function boundSource(inner: PageSource<Row>, binding: string, fields: readonly string[]) {
  let last: Row = {}
  const source: PageSource<Row> = {
    ...inner,
    sliceAfter: async (position, limit) => {
      if (position !== null && position[0] !== binding) throw invalidCursor()
      const { items, next } = await sliceAfter(inner, position === null ? null : position.slice(1), limit)
      const row = next === null ? undefined : items.at(-1)
      last = row === undefined ? {} : Object.fromEntries(fields.map((field) => [field, row[field]]))
      return { items, next: next === null ? null : [binding, ...next] }
    },
  }
  return { source, lastOf: () => last }
}

/**
 * True if the output of a row has these values as they are stored; an output that does not fit its schema is refused
 * elsewhere.
 */
async function isUnchanged(shape: Readonly<Record<string, z.ZodType>>, stored: Row, shown: Row = {}): Promise<boolean> {
  for (const [field, value] of Object.entries(stored)) {
    const sent = await shape[field]?.safeParseAsync(shown[field])
    if (sent?.success === true && wireText(sent.data) !== wireText(value)) return false
  }
  return true
}

/** Returns a value as it is sent; a driver may return a string for a number of the output. */
function wireText(value: unknown): string {
  if (value instanceof Date) return JSON.stringify(value).slice(1, -1)
  return typeof value === 'object' || value === undefined
    ? `json ${toJson(value ?? null)}`
    : `${value as string | number | bigint | boolean}`
}
