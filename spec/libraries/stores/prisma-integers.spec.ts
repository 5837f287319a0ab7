import { describe, expect, it, onTestFinished } from 'vitest'
import type { Store } from 'resourcery/crud'
import { thing } from '../../support/typed-table.js'
import { databases } from './prisma.js'
import { openTables } from './tables.js'

interface Thing {
  id: number
  tenant: number
}

describe.each(databases)('an Int of a Prisma model on %s', (_name, connect) => {
  it('keeps no fraction and no integer that JavaScript cannot hold', async () => {
    const tables = await openTables(connect)
    onTestFinished(() => tables.close())
    const store = tables.things.store as unknown as Store<Thing>
    const { id } = await store.create(thing(1, { tenant: 7 }) as never)
    for (const tenant of [1.5, -0.5, 2 ** 53 + 2]) {
      const refused = { status: 422, columns: ['tenant'] }
      await expect(store.create(thing(2, { tenant }) as never)).rejects.toMatchObject(refused)
      await expect(store.update(id, { tenant })).rejects.toMatchObject(refused)
      const many = store.createMany?.([thing(3), thing(4, { tenant })] as never)
      if (many !== undefined) await expect(many).rejects.toMatchObject({ status: 422 })
    }
    const found = await store.list({ where: [['tenant', '>', 6.5]], order: ['id'] }).slice(0, 9)
    expect(found.map((row) => [row.id, row.tenant])).toEqual([[id, 7]])
  })
})
