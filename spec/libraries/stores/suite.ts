import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { paginate } from 'resourcery'
import type { Store } from 'resourcery/crud'
import { memoryStore } from 'resourcery/crud'
import { storeCases, type SampleRow } from 'resourcery/testing'
import { sample } from '../../../lib/tools/testing/sample-row.js'
import { closed, standing } from '../../support/http.js'
import { isNightly } from '../../support/nightly.js'
import { compareRandomRequests, modelApp } from '../../support/model-suite.js'
import { hookViolationsSuite } from '../../support/hook-violations-suite.js'
import { thing, typedTableCases } from '../../support/typed-table.js'
import { childrenCases } from './children.js'
import { referenceCases } from './references.js'
import { openTables, type Connect, type Tables } from './tables.js'

/** The databases of the libraries in `.ci/run`; those that are not named, and `.ci/nightly`, have all of them. */
const EVERY_DAY: Readonly<Record<string, readonly string[]>> = {
  drizzle: ['PostgreSQL'],
  knex: ['SQLite'],
  prisma: ['PostgreSQL', 'MariaDB'],
  sequelize: ['PostgreSQL'],
  typeorm: ['MariaDB'],
}

/** The time zones of the processes on a database; in `.ci/run` one database of a library has one. */
function zonesFor(place: number): readonly string[] {
  if (isNightly) return ['Pacific/Kiritimati', 'America/New_York']
  return place === 0 ? ['Pacific/Kiritimati'] : []
}

/**
 * Runs the suites of a library on each database; processes of other time zones import `connect` from `./<library>.ts`.
 */
export function storeSuite(library: string, databases: readonly (readonly [name: string, connect: Connect])[]): void {
  const chosen = databases.filter(([name]) => isNightly || EVERY_DAY[library]?.includes(name) !== false)
  describe.each(chosen)(`${library} on %s`, (name, connect) => {
    let tables: Tables
    beforeAll(async () => {
      tables = await openTables(connect)
    })
    beforeEach(() => tables.clear())
    afterAll(() => tables.close())

    it.each(storeCases(async () => ({ store: tables.samples })))('$name', ({ run }) => run())

    it.each(Object.entries(typedTableCases))('%s', (_name, run) => run(tables.things))

    it.each(zonesFor(chosen.findIndex(([one]) => one === name)))('fulfils these promises in a process in %s',
      async (zone) => {
        const script = fileURLToPath(new URL('zone-process.ts', import.meta.url))
        const arguments_ = ['--import', 'tsx', script, library, name]
        const { stdout } = await promisify(execFile)(process.execPath, arguments_, {
          env: { ...process.env, TZ: zone },
        })
        expect(JSON.parse(stdout)).toEqual({ zone, failed: [] })
      })

    it('lists any rows in any order like memoryStore, by number and by cursor', () => listsAsMemory(() => tables))

    it('gives the replies of a model to random requests', async () => {
      const client = await standing(modelApp(tables.samples))
      try {
        const clear = (): Promise<void> => tables.clear()
        await compareRandomRequests({ client, isCaseless: connect.dialect === 'mysql', runs: 15, clear })
      } finally {
        await closed(client.server)
      }
    })

    hookViolationsSuite(() => ({ ...tables, things: tables.things.store, dialect: connect.dialect }))

    const blank = (index: number): object => thing(index % 10, { email: `e${index}`, slug: `s${index}` })
    referenceCases(
      'tenant',
      () => ({
        samples: tables.samples,
        referring: tables.things.store as never,
        blank,
        foreignKey: ['parent', 'cards'],
      }),
      // TypeORM does not know there that the server is a MariaDB.
      connect.dialect !== 'sqlite' && !(library === 'typeorm' && name === 'MariaDB as MySQL'),
    )

    childrenCases('tenant', () => ({
      samples: tables.samples,
      referring: tables.things.store as never,
      blank,
      foreignKey: ['parent', 'cards'],
    }))

    // SQLite has one connection, and one transaction at a time.
    if (connect.dialect !== 'sqlite') connectionCases(() => tables)
  })
}

/**
 * Writes two rows in two transactions, each in the opposite order, so that they wait for each other; returns how many
 * transactions were begun.
 */
async function crossing(
  samples: Tables['samples'],
  [a, b]: readonly [SampleRow, SampleRow],
  write: (inside: Tables['samples'], row: SampleRow, by: number) => Promise<unknown>,
): Promise<number> {
  let begun = 0
  let meet = (): void => undefined
  const met = new Promise<void>((resolve) => (meet = resolve))
  const attempt = (first: SampleRow, second: SampleRow): Promise<unknown> =>
    samples.transaction(async (inside) => {
      await write(inside, first, first.id)
      if (++begun === 2) meet()
      await met
      return write(inside, second, first.id)
    })
  await Promise.all([attempt(a, b), attempt(b, a)])
  return begun
}

/** Tests concurrent transactions and lost connections. */
function connectionCases(tables: () => Tables): void {
  it('repeats a transaction that a deadlock has undone', async () => {
    const { samples } = tables()
    const [a, b] = [await samples.create(sample({ code: 'a' })), await samples.create(sample({ code: 'b' }))]
    const begun = await crossing(samples, [a, b], (inside, row, by) => inside.update(row.id, { name: `by ${by}` }))
    const names = (await samples.find([a.id, b.id])).map((row) => row.name)
    expect(begun).toBeGreaterThan(2)
    expect(names[0]).toBe(names[1])
  })

  it('repeats a transaction after a deadlock in a statement of the library itself', async () => {
    const { samples, statement } = tables()
    const [a, b] = [await samples.create(sample({ code: 'a' })), await samples.create(sample({ code: 'b' }))]
    const begun = await crossing(samples, [a, b],
      (inside, row, by) => statement(inside.db, `update samples set age = ${by} where id = ${row.id}`))
    expect(begun).toBeGreaterThan(2)
  })

  it('lists inside a transaction what another one has committed since its first read', async () => {
    const { samples } = tables()
    const listed = await samples.transaction(async (inside) => {
      const rows = inside.list({ where: [], order: ['id'] })
      const before = await rows.slice(0, 10)
      await samples.create(sample())
      return [before.length, (await rows.slice(0, 10)).length]
    })
    expect(listed).toEqual([0, 1])
  })

  it('repeats a transaction whose connection is lost before the commit, and writes once', async () => {
    const { samples, endConnections } = tables()
    let attempts = 0
    const row = await samples.transaction(async (inside) => {
      const created = await inside.create(sample())
      if (++attempts === 1) await endConnections()
      return await inside.update(created.id, { name: 'Ben' }) ?? created
    })
    expect([attempts, row.name]).toEqual([2, 'Ben'])
    expect(await samples.list({ where: [], order: ['id'] }).slice(0, 10)).toEqual([row])
  })

  it('repeats a transaction whose connection is lost before a statement of the library itself', async () => {
    const { samples, statement, endConnections } = tables()
    let attempts = 0
    await samples.transaction(async (inside) => {
      await inside.create(sample())
      if (++attempts === 1) await endConnections()
      await statement(inside.db, 'update samples set age = 5')
    })
    expect(attempts).toBe(2)
    expect((await samples.list({ where: [], order: ['id'] }).slice(0, 10)).map(({ age }) => age)).toEqual([5])
  })

  it('repeats a read if the connections of the pool were lost', async () => {
    const { samples, endConnections } = tables()
    const row = await samples.create(sample())
    await Promise.all(Array.from({ length: 4 }, () => samples.find([row.id])))
    await endConnections()
    const found = await Promise.all([
      samples.find([row.id]),
      samples.list({ where: [], order: ['id'] }).slice(0, 9),
      samples.find([row.id]),
    ])
    expect(found).toEqual([[row], [row], [row]])
  })
}

export async function listsAsMemory(tables: () => Pick<Tables, 'samples' | 'clear'>): Promise<void> {
  const rows = fc.array(
    fc.record({
      age: fc.option(fc.integer({ min: -2, max: 2 })),
      views: fc.integer({ min: 0, max: 2 }),
      active: fc.boolean(),
      at: fc.integer({ min: 0, max: 2 }),
    }),
    { maxLength: 12 },
  )
  const column = fc.constantFrom('age', '-age', 'views', '-views', 'active', '-active', 'createdAt', '-createdAt')
  await fc.assert(
    fc.asyncProperty(
      rows,
      fc.array(column, { maxLength: 3 }),
      fc.constantFrom('id', '-id'),
      fc.integer({ min: 1, max: 5 }),
      fc.boolean(),
      async (
        fields,
        columns,
        last,
        limit,
        onlyAged,
      ) => {
        const { samples, clear } = tables()
        await clear()
        const stored: SampleRow[] = []
        for (const [index, { at, ...row }] of fields.entries()) {
          stored.push(await samples.create(sample({ ...row, code: `c${index}`, createdAt: new Date(at) })))
        }
        const where = onlyAged ? [['age', '!=', 1] as const] : []
        const [list, model] = [samples, memoryStore<SampleRow>({ key: 'id', rows: stored })].map((
          store: Pick<Store<SampleRow>, 'list'>,
        ) => (
          store.list({
            where,
            order: [
              ...columns.filter((each, index) =>
                columns.findIndex((other) => other.replace('-', '') === each.replace('-', '')) === index
              ),
              last,
            ],
          })
        ))
        const expected = await model?.slice(0, 100)
        expect(await list?.slice(0, 100)).toEqual(expected)
        const seen: SampleRow[] = []
        let cursor: string | null = ''
        while (cursor !== null && list !== undefined) {
          const page: { items: SampleRow[]; next: string | null } = await paginate(list, { cursor, limit })
          seen.push(...page.items)
          cursor = page.next
        }
        expect(seen).toEqual(expected)
      },
    ),
    { numRuns: 15 },
  )
}
