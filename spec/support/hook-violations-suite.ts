import express from 'express'
import { beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { crud } from 'resourcery/crud'
import { errorHandler } from 'resourcery'
import { mountResource } from '../../lib/core/resource/mount-resource.js'
import type { Store } from 'resourcery/crud'
import type { SampleRow } from 'resourcery/testing'
import { sample } from '../../lib/tools/testing/sample-row.js'
import { serving, type Reply } from './http.js'
import { thing, type AnyDialect, type Thing } from './typed-table.js'

/** The stores of two tables, and SQL on the `db` of a transaction by the means of the library. */
export interface HookBench {
  readonly samples: Store<SampleRow>
  readonly things: Store<Thing>
  readonly dialect: AnyDialect
  readonly statement: (db: unknown, sql: string) => Promise<unknown>
  readonly clear: () => Promise<void>
}

/** Statements that violate a constraint: of another table, and of another row of the table that is written. */
const STATEMENTS: readonly (readonly [violated: string, sql: string, isStrict: boolean])[] = [
  ['NOT NULL of another table', 'update things set email = null', false],
  ['the length of a column of another table', `update things set email = '${'x'.repeat(30)}'`, true],
  ['the type of a column of another table', `update things set tenant = 'x'`, true],
  ['a unique constraint of another table', `update things set email = 'same'`, false],
  ['a foreign key of another table', 'update things set parent = 99999', false],
  ['a check of another table', 'update things set age = 1', false],
  ['NOT NULL of another row', 'update samples set name = null', false],
  ['a unique constraint of another row', `update samples set code = 'same'`, false],
]

const INTERNAL = { code: 500, message: 'Something went wrong', data: null, meta: { reason: 'internal' } }
const SampleIn = z.object({ code: z.string(), name: z.string() })
const SampleOut = SampleIn.extend({ id: z.coerce.number() })

interface Context {
  readonly db: unknown
  readonly store?: Store<SampleRow>
}

type Work = (context: Context) => unknown

/** Tests that a violation by a statement of a hook is a logged 500, and one by the written row is the caller's. */
export function hookViolationsSuite(opened: () => HookBench): void {
  describe('a hook', () => {
    let [first, second]: SampleRow[] = []
    let own: Thing[] = []
    beforeEach(async () => {
      const { samples, things, clear } = opened()
      await clear()
      first = await samples.create(sample({ code: 'one' }))
      second = await samples.create(sample({ code: 'two' }))
      own = [await things.create(thing(1)), await things.create(thing(2))]
    })

    /** Serves the samples with hooks, and returns the replies with the errors that were logged. */
    async function hooked(options: object) {
      const logged: unknown[] = []
      const app = express()
      const defaults = sample()
      mountResource(app, {
        route: '/samples',
        name: 'samples',
        ...crud(opened().samples, {
          input: SampleIn,
          output: SampleOut,
          bulk: true,
          before: { create: (fields) => ({ ...defaults, ...fields }) },
          ...options,
        }),
      })
      app.use(errorHandler({ log: (error) => logged.push(error) }))
      const client = await serving(app)
      return { logged, send: (...args: Parameters<typeof client.send>) => client.send(...args) }
    }

    async function expectFault(send: () => Promise<Reply>, logged: readonly unknown[]): Promise<void> {
      expect((await send()).body).toEqual(INTERNAL)
      expect(logged).toHaveLength(1)
      const { samples, things } = opened()
      expect(await samples.list({ where: [], order: ['id'] }).slice(0, 9)).toEqual([first, second])
      expect(await things.find(own.map(({ id }) => id))).toEqual(own)
    }

    const after = (work: Work): object => ({
      after: { create: (_row: unknown, { store }: { store: Store<SampleRow> }) => work({ db: store.db, store }) },
    })
    const body = { code: 'new', name: 'New' }

    it.each(STATEMENTS)('whose statement violates %s causes a logged 500', async (_violated, sql, isStrict) => {
      const { dialect, statement } = opened()
      if (isStrict && dialect === 'sqlite') return // it stores any value
      const { logged, send } = await hooked(after(({ db }) => statement(db, sql)))
      await expectFault(() => send('POST', '/samples', { body }), logged)
    })

    it('whose store refuses a row of another table causes a logged 500', async () => {
      const { things } = opened()
      const inside = (db: unknown): Store<Thing> => things.on?.(db) ?? things
      const works: readonly Work[] = [
        ({ db }) => inside(db).create(thing(1)),
        ({ db }) => inside(db).create(thing(3, { parent: 99_999 })),
        ({ db }) => inside(db).update(own[0]?.id, { age: 1 }),
        ({ db }) => inside(db).update(own[0]?.id, { email: null as never }),
        ({ store }) => store?.update(first?.id, { code: 'two' }),
      ]
      for (const work of works) {
        const { logged, send } = await hooked(after(work))
        await expectFault(() => send('POST', '/samples', { body }), logged)
      }
    })

    it('causes a logged 500 in front of the write, for each action, and as a check or a transform', async () => {
      const { statement } = opened()
      const fails = (db: unknown): Promise<unknown> => statement(db, 'update things set email = null')
      const hook = (_row: unknown, { store: { db } }: { store: Store<SampleRow> }): Promise<unknown> => fails(db)
      const transform = (_row: unknown, _req: unknown, { db }: { db: unknown }): Promise<unknown> => fails(db)
      const path = `/samples/${String(first?.id)}`
      for (
        const [method, where, options] of [
          ['POST', '/samples', { before: { create: hook } }],
          ['POST', '/samples', { transform }],
          ['PUT', path, { before: { edit: hook } }],
          ['PATCH', path, { after: { store: hook } }],
          ['PATCH', path, { check: hook }],
          ['DELETE', path, { before: { delete: hook } }],
          ['DELETE', path, { after: { delete: hook } }],
        ] as const
      ) {
        const { logged, send } = await hooked(options)
        await expectFault(() => send(method, where, method === 'DELETE' ? {} : { body }), logged)
      }
      const { logged, send } = await hooked({ ...after(({ db }) => fails(db)) })
      await expectFault(() => send('POST', '/samples/bulk', { body: { items: [body] } }), logged)
    })

    it('that catches the error of a statement causes a logged 500 where that has undone the transaction', async () => {
      const { dialect, statement, samples } = opened()
      const caught = async ({ db }: Context): Promise<void> => {
        await statement(db, 'update things set email = null').catch(() => undefined)
      }
      const { logged, send } = await hooked({ output: z.object({ code: z.string() }), ...after(caught) })
      const reply = await send('POST', '/samples', { body })
      const isUndone = dialect === 'postgres'
      expect([reply.status, logged.length]).toEqual(isUndone ? [500, 1] : [201, 0])
      expect(await samples.list({ where: [], order: ['id'] }).count?.()).toBe(isUndone ? 2 : 3)
    })

    it('may refuse a write by errors of its own', async () => {
      const { statement } = opened()
      const { logged, send } = await hooked(after(async ({ db }) => {
        await statement(db, 'update things set age = 50')
        z.object({ a: z.string() }).parse({})
      }))
      expect((await send('POST', '/samples', { body })).status).toBe(422)
      expect(logged).toEqual([])
    })

    it('leaves a violation by the written row to the caller', async () => {
      const { statement } = opened()
      const { logged, send } = await hooked(after(({ db }) => statement(db, 'update things set age = 50')))
      const taken = { code: 409, data: { code: ['Already taken'] } }
      expect((await send('POST', '/samples', { body: { ...body, code: 'two' } })).body).toMatchObject(taken)
      const path = `/samples/${String(first?.id)}`
      expect((await send('PATCH', path, { body: { code: 'two' } })).body).toMatchObject(taken)
      expect(logged).toEqual([])
    })
  })
}
