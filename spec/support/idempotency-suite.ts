import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { BusinessError } from 'resourcery'
import { mountResource } from 'resourcery'
import { servingRoutes } from '../crud/serving.js'
import { STARTING } from './blog.js'
import type { OpenDatabase, TestDatabase } from './databases.js'
import type { Reply } from './http.js'
import { createKeyedTables, keyedNotes, keysIn, notesIn, type KeyedTables } from './idempotency-keys.js'

type Options = Parameters<typeof keyedNotes>[1]

/** Tests idempotency keys on any database. */
export function idempotencySuite(open: OpenDatabase): void {
  let database: TestDatabase<KeyedTables>
  beforeAll(async () => {
    database = await open<KeyedTables>()
    await createKeyedTables(database.db, database.dialect)
  }, STARTING)
  beforeEach(async () => {
    await database.db.deleteFrom('notes').execute()
    await database.db.deleteFrom('idempotency_keys').execute()
  })
  afterAll(() => database.close())

  async function notes(options: Options = {}) {
    const { send } = await servingRoutes((app) =>
      mountResource(app, { route: '/notes', name: 'notes', ...keyedNotes(database.db, options) })
    )
    const create = (title: string, key: string): Promise<Reply> =>
      send('POST', '/notes', { body: { title }, headers: { 'idempotency-key': key } })
    const titles = async (): Promise<string[]> =>
      (await database.db.selectFrom('notes').select('title').orderBy('id').execute()).map(({ title }) => title)
    return { create, titles }
  }

  it('writes once for 50 concurrent requests with one key, with the same reply to all', async () => {
    const { create, titles } = await notes()
    const replies = await Promise.all(Array.from({ length: 50 }, () => create('Milk', 'one')))
    const done = replies.filter(({ status }) => status === 201)
    expect(new Set(done.map(({ text }) => text)).size).toBe(1)
    expect(done.filter(({ headers }) => !headers.has('idempotency-replayed'))).toHaveLength(1)
    expect(replies.filter(({ status }) => status !== 201).every(({ status }) => status === 409)).toBe(true)
    expect(await titles()).toEqual(['Milk'])
  })

  it('writes for each of 50 concurrent requests with different keys', async () => {
    const { create, titles } = await notes()
    const replies = await Promise.all(
      Array.from({ length: 50 }, (_, index) => create('Milk', `key ${index}`.replace(' ', '-'))),
    )
    expect(replies.map(({ status }) => status)).toEqual(Array.from({ length: 50 }, () => 201))
    expect(await titles()).toHaveLength(50)
  })

  it('stores a reply of any characters and length byte for byte', async () => {
    const { create } = await notes()
    const title = `"\\ \u0001 \u2028 é e\u0301 🥚 \ufeff ${'\u0002x'.repeat(13_000)}`
    const first = await create(title, 'one')
    const second = await create(title, 'one')
    expect([first.status, second.status, second.headers.get('idempotency-replayed'), second.text === first.text])
      .toEqual([201, 201, 'true', true])
  })

  it('undoes everything on a failure, and releases the key', async () => {
    let fails = true
    const { create, titles } = await notes({ after: { create: () => {
      if (fails) throw new BusinessError('Not now', 409)
    } } })
    expect((await create('Milk', 'one')).status).toBe(409)
    expect(await database.db.selectFrom('idempotency_keys').selectAll().execute()).toEqual([])
    fails = false
    expect((await create('Tea', 'one')).status).toBe(201)
    expect(await titles()).toEqual(['Tea'])
  })

  it('undoes everything after a conflict that ends the transaction', async () => {
    const { create, titles } = await notes({ after: { create: async (row, { store }) => {
      await store.create(row)
    } } })
    expect([(await create('Milk', 'one')).status, await titles()]).toEqual([500, []])
    expect(await database.db.selectFrom('idempotency_keys').selectAll().execute()).toEqual([])
  })

  it('writes nothing if the request has lost its claim', async () => {
    const { create, titles } = await notes({
      after: {
        create: async (_row, { store }) => {
          // Simulates a repeat that takes over before this request commits.
          await keysIn(store.db).update(
            (await keysIn(store.db).list({ where: [], order: ['id'] }).slice(0, 1))[0]?.id,
            { claim: 'of somebody else' },
          )
        },
      },
    })
    expect((await create('Milk', 'one')).body.meta).toEqual({ reason: 'idempotency_key_in_use' })
    expect(await titles()).toEqual([])
  })

  it('commits the row and its key in one transaction', async () => {
    const seen: unknown[] = []
    const look = async (db: KeyedDb): Promise<void> => {
      seen.push([
        await notesIn(db).list({ where: [], order: ['id'] }).count?.(),
        (await keysIn(db).list({ where: [], order: ['id'] }).slice(0, 1))[0]?.reply === null,
      ])
    }
    const { create } = await notes({
      after: { create: (_row, { store }) => look(store.db) },
      afterCommit: { create: () => look(database.db) },
    })
    await create('Milk', 'one')
    expect(seen).toEqual([[1, true], [1, false]])
  })

  it('lets one of 20 concurrent repeats take over an expired claim', async () => {
    const { create, titles } = await notes()
    await create('Milk', 'one')
    await database
      .db
      .updateTable('idempotency_keys')
      .set({ claim: 'of the dead', expiresAt: Date.now() - 1, reply: null })
      .execute()
    await database.db.deleteFrom('notes').execute()
    const replies = await Promise.all(Array.from({ length: 20 }, () => create('Milk', 'one')))
    expect(replies.filter(({ status, headers }) => status === 201 && !headers.has('idempotency-replayed')))
      .toHaveLength(1)
    expect(replies.filter(({ status }) => ![201, 409].includes(status))).toEqual([])
    expect(await titles()).toEqual(['Milk'])
  })

  describe('expired keys', () => {
    it('are deleted with new ones', async () => {
      const old = (index: number, expiresAt: number) => ({
        id: `old ${index}`,
        fingerprint: '',
        claim: '',
        expiresAt,
        reply: null,
      })
      await database
        .db
        .insertInto('idempotency_keys')
        .values(Array.from({ length: 50 }, (_, index) => old(index, index < 30 ? Date.now() - 1 : Date.now() + 60_000)))
        .execute()
      const { create } = await notes()
      await create('Milk', 'one')
      expect(await database.db.selectFrom('idempotency_keys').select('id').execute()).toHaveLength(21)
    })
  })
}

type KeyedDb = TestDatabase<KeyedTables>['db']
