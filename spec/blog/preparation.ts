import { describe, expect, it, onTestFinished } from 'vitest'
import { openDatabase } from '../../samples/blog/database/open.js'
import { prepareDatabase } from '../../samples/blog/database/prepare.js'
import type { Database } from '../../samples/blog/database/schema.js'
import type { Scratch } from '../support/databases.js'

/** Tests several processes that start at the same time, which needs a real server. */
export function describePreparation(makeScratch: () => Promise<Scratch>): void {
  describe('preparing the database of the blog', () => {
    const countsOf = async (db: Database): Promise<number[]> => {
      const tables = [db.selectFrom('users'), db.selectFrom('posts'), db.selectFrom('orders')] as const
      return Promise.all(tables.map(async (table) => (await table.selectAll().execute()).length))
    }

    it('happens once, though three begin together, and never again', async () => {
      const { url, drop } = await makeScratch()
      const kind = url.startsWith('mysql:') ? 'mysql' : 'postgres'
      const processes = await Promise.all([1, 2, 3].map(() => openDatabase({ kind, url })))
      onTestFinished(async () => {
        await Promise.all(processes.map((db) => db.destroy()))
        await drop()
      })
      await Promise.all(processes.map(prepareDatabase))
      const [db] = processes
      if (db === undefined) throw new Error('There are three of them.')
      expect(await countsOf(db)).toEqual([60, 200, 100])
      await db.deleteFrom('orders').execute()
      await prepareDatabase(db)
      expect(await countsOf(db)).toEqual([60, 200, 0])
    })
  })
}
