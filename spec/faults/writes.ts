import { expect, vi } from 'vitest'
import type { Client, Reply } from '../support/http.js'
import type { Answer } from '../support/load.js'
import { BOUNDARY, FORM_TYPE } from '../support/multipart.js'

/** A request to the server of notes. */
export interface Write {
  readonly kind: 'read' | 'single' | 'bulk' | 'import' | 'idempotent' | 'member'
  /** The titles of the notes that it creates. */
  readonly titles: readonly string[]
  /** The note whose bumps a member counts. */
  readonly note: number
}

export const KINDS = ['single', 'bulk', 'read', 'import', 'idempotent', 'member'] as const
const ROWS: Readonly<Record<Write['kind'], number>> = { read: 0, single: 1, bulk: 20, import: 50, idempotent: 1,
  member: 0 }

/** Creates the note of a load whose bumps are counted. */
export async function createCounted({ post }: Client): Promise<number> {
  const { status, body } = await post('/notes', { title: 'counted' })
  expect(status).toBe(201)
  return (body.data as { readonly id: number }).id
}

/** Returns the n-th request of a load, whose titles begin with `name`. */
export const writeOf = (name: string, note: number) => (n: number): Write => {
  const kind = KINDS[n % KINDS.length] ?? 'read'
  return { kind, note, titles: Array.from({ length: ROWS[kind] }, (_, at) => `${name} ${n}.${at}`) }
}

/** Returns a function that sends a request of a load. */
export const senderTo = ({ get, post, send }: Client) => ({ kind, titles, note }: Write): Promise<Reply> => {
  const [title = ''] = titles
  switch (kind) {
    case 'read':
      return get('/notes?limit=5&sort=-id')
    case 'single':
      return post('/notes', { title })
    case 'bulk':
      return post('/notes/bulk', { items: titles.map((each) => ({ title: each })) })
    case 'import':
      return post('/notes/import', importOf(titles), { headers: { 'content-type': FORM_TYPE } })
    case 'idempotent':
      return post('/notes', { title }, { headers: { 'idempotency-key': `"${title}"` } })
    case 'member':
      return send('POST', `/notes/${note}/bump`)
  }
}

function importOf(titles: readonly string[]): string {
  const file = ['title', ...titles, ''].join('\r\n')
  return `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="notes.csv"\r\n`
    + `Content-Type: text/csv\r\n\r\n${file}\r\n--${BOUNDARY}--\r\n`
}

interface Rows {
  /** How often each title is there. */
  readonly counts: ReadonlyMap<string, number>
  /** The bumps of each note. */
  readonly bumps: ReadonlyMap<number, number>
}

async function rowsIn({ get }: Client): Promise<Rows> {
  const { status, text } = await get('/notes/export')
  expect(status).toBe(200)
  const [head, ...lines] = text.trim().split('\r\n')
  expect(head).toBe('id,title,bumps')
  const cells = lines.map((line) => line.split(','))
  const counts = new Map<string, number>()
  for (const [, title = ''] of cells) counts.set(title, (counts.get(title) ?? 0) + 1)
  return { counts, bumps: new Map(cells.map(([id, , bumps]) => [Number(id), Number(bumps)])) }
}

const isDone = ({ reply }: Answer<Write>): boolean => reply !== undefined && reply.status < 300

/** Expects that no acknowledged write is lost, that none was made twice, and that each is there as a whole or not at all. */
export async function expectWhole(client: Client, answers: readonly Answer<Write>[]): Promise<void> {
  const { counts, bumps } = await rowsIn(client)
  const faults = answers.flatMap((answer) => {
    const { kind, titles } = answer.asked
    const found = new Set(titles.map((title) => counts.get(title) ?? 0))
    // The commit of a write without a success may have reached the database.
    const isWhole = found.size <= 1 && (isDone(answer) ? !found.has(0) : true) && [...found].every((each) => each <= 1)
    return isWhole ? [] : [`${kind} ${titles[0] ?? ''}, ${answer.reply?.status}: ${[...found].join(' and ')} times`]
  })
  expect(faults).toEqual([])
  const members = answers.filter(({ asked: { kind } }) => kind === 'member')
  const counted = bumps.get(members[0]?.asked.note ?? 0)
  expect(counted).toBeGreaterThanOrEqual(members.filter(isDone).length)
  expect(counted).toBeLessThanOrEqual(members.length)
}

/** Repeats the writes with a key that have no success, and expects that then each is there once. */
export async function expectRepeatable(client: Client, answers: readonly Answer<Write>[]): Promise<void> {
  const keyed = answers.filter(({ asked: { kind } }) => kind === 'idempotent')
  const send = senderTo(client)
  await Promise.all(
    keyed.filter((answer) => !isDone(answer)).map(({ asked }) =>
      vi.waitFor(async () => expect((await send(asked)).status).toBe(201), { timeout: 20_000, interval: 100 })
    ),
  )
  const { counts } = await rowsIn(client)
  expect(keyed.map(({ asked: { titles } }) => counts.get(titles[0] ?? ''))).toEqual(keyed.map(() => 1))
}
