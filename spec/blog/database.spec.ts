import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openDatabase } from '../../samples/blog/database/open.js'
import { prepareDatabase } from '../../samples/blog/database/prepare.js'
import type { Database } from '../../samples/blog/database/schema.js'

const nameOf = async (db: Database, id: number): Promise<string | undefined> =>
  (await db.selectFrom('users').select('name').where('id', '=', id).executeTakeFirst())?.name

describe('the embedded database of the blog', () => {
  it('lends its one connection to one transaction or query at a time', async () => {
    const db = await openDatabase({ kind: 'embedded', folder: undefined })
    onTestFinished(() => db.destroy())
    await Promise.all([prepareDatabase(db), prepareDatabase(db)])
    const order: string[] = []
    const transaction = db.transaction().execute(async (inside) => {
      await inside.updateTable('users').set({ name: 'Half done' }).where('id', '=', 1).execute()
      order.push('inside')
      await inside.updateTable('users').set({ name: 'Half done' }).where('id', '=', 2).execute()
      throw new Error('changed my mind')
    })
    const readers = [1, 2].map(async (id) => {
      const name = await nameOf(db, id)
      order.push('outside')
      return name
    })
    await expect(transaction).rejects.toThrow('changed my mind')
    expect(await Promise.all(readers)).toEqual(['Ada Admin', 'Edgar Editor'])
    expect(order).toEqual(['inside', 'outside', 'outside'])
  })

  it('keeps its rows in a folder, and is seeded only once', async () => {
    const parent = await mkdtemp(join(tmpdir(), 'blog-'))
    onTestFinished(() => rm(parent, { recursive: true }))
    const folder = join(parent, 'made', 'on', 'demand')
    const first = await openDatabase({ kind: 'embedded', folder })
    await prepareDatabase(first)
    await first.updateTable('users').set({ name: 'Renamed' }).where('id', '=', 1).execute()
    await first.deleteFrom('orders').execute()
    await first.destroy()

    const second = await openDatabase({ kind: 'embedded', folder })
    onTestFinished(() => second.destroy())
    await prepareDatabase(second)
    expect(await nameOf(second, 1)).toBe('Renamed')
    expect(await second.selectFrom('orders').selectAll().execute()).toEqual([])
    expect(await second.selectFrom('users').selectAll().execute()).toHaveLength(60)
  })
})
