import { sql, type Generated, type RawBuilder } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { raw } from 'resourcery/crud'
import { kyselyStore } from 'resourcery/kysely'
import { openPlace, type Place } from './places.js'

/* The conditions on JSON lists in docs/stores.md. */

interface Tables {
  tickets: { id: Generated<number>; tags: string[] }
}

const CASES = {
  postgres: { type: 'jsonb', has: (tag: string) => sql`tags @> ${JSON.stringify([tag])}::jsonb` },
  mysql: { type: 'json', has: (tag: string) => sql`json_contains(tags, ${JSON.stringify(tag)})` },
  sqlite: { type: 'text', has: (tag: string) => sql`exists (select 1 from json_each(tags) where value = ${tag})` },
} as const satisfies Record<string, { type: string; has: (tag: string) => RawBuilder<unknown> }>

describe.each(Object.entries(CASES))('a condition on a JSON list on %s', (dialect, { type, has }) => {
  let place: Place<Tables>
  beforeAll(async () => {
    place = await openPlace<Tables>(dialect as keyof typeof CASES)
    await sql`create table tickets (id integer primary key, tags ${sql.raw(type)} not null)`.execute(place.admin)
  })
  afterAll(() => place.drop())

  it('selects the rows whose list has the value', async () => {
    const store = kyselyStore(place.admin, 'tickets', { columns: { tags: 'json' } })
    const lists = [['hot', 'office'], ['"hot'], [], ['hot%']]
    for (const [at, tags] of lists.entries()) await store.create({ id: at + 1, tags })
    for (const [tag, ids] of [['hot', [1]], ['"hot', [2]], ['hot%', [4]], ['ho', []]] as const) {
      const rows = await store.find([1, 2, 3, 4], [raw(has(tag))])
      expect(rows.map(({ id, tags }) => ({ id, tags }))).toEqual(ids.map((id) => ({ id, tags: lists[id - 1] })))
    }
  })
})
