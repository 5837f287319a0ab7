import { describe, expect, it, onTestFinished } from 'vitest'
import type { Store } from 'resourcery/crud'
import { thing } from '../../support/typed-table.js'
import * as knex from './knex.js'
import * as kysely from './kysely.js'
import * as prisma from './prisma.js'
import * as sequelize from './sequelize.js'
import { openTables, type Connect } from './tables.js'
import * as typeorm from './typeorm.js'

/* Drizzle has no option `columns`: its schema decides which columns are bigints. */
const CASES = Object.entries({ knex, kysely, prisma, sequelize, typeorm }).flatMap(([library, { databases }]) =>
  databases.map(([name, connect]): readonly [string, string, Connect] => [library, name, connect])
)

interface Thing {
  id: number
  big: bigint
}

const HUGE = 2n ** 63n

describe.each(CASES)('%s on %s, an integer of more than 64 bits', (library, _name, connect) => {
  it('is a 422 where it is written, and is compared as the number that it is', async () => {
    const tables = await openTables(connect)
    onTestFinished(() => tables.close())
    const { store: own, withColumns } = tables.things
    // The schema of Prisma has the type.
    const store = (library === 'prisma' ? own : withColumns?.({ big: 'bigint' } as never)) as unknown as Store<Thing>
    const all = [-5n, 0n, 5n]
    for (const [at, big] of all.entries()) await store.create(thing(at, { big } as never) as never)
    const bigs = async (operator: string, value: unknown): Promise<readonly bigint[]> => {
      const list = store.list({ where: [['big', operator, value] as never], order: ['big', 'id'] })
      return (await list.slice(0, 9)).map(({ big }) => big)
    }
    for (const huge of [HUGE, 10n ** 40n]) {
      expect(await bigs('=', huge)).toEqual([])
      expect(await bigs('in', [huge, 0n, 5n])).toEqual([0n, 5n])
      expect(await bigs('!=', huge)).toEqual(all)
      expect(await bigs('<', huge)).toEqual(all)
      expect(await bigs('>=', huge)).toEqual([])
      expect(await bigs('=', -huge - 1n)).toEqual([])
      expect(await bigs('<=', -huge - 1n)).toEqual([])
      expect(await bigs('>', -huge - 1n)).toEqual(all)
      const created = store.create(thing(5, { big: huge } as never) as never)
      await expect(created).rejects.toMatchObject({ status: 422 })
      await expect(store.update(1, { big: -huge - 1n })).rejects.toMatchObject({ status: 422 })
    }
  })
})
