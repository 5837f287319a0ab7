import { PrismaPg } from '@prisma/adapter-pg'
import { Kysely, PostgresDialect, sql } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { paginate, UnavailableError } from 'resourcery'
import { z } from 'zod'
import { crud, NotNullViolation, UniqueViolation, raw } from 'resourcery/crud'
import { prismaStore } from 'resourcery/prisma'
import { mountResource } from '../../../lib/core/resource/mount-resource.js'
import { servingRoutes } from '../../crud/serving.js'
import { scratchPostgres } from '../../support/databases.js'
import { Prisma, PrismaClient } from '../generated/postgres/client.js'
import { databases } from './prisma.js'
import { storeSuite } from './suite.js'

storeSuite('prisma', databases)

const TABLES = [
  "create type \"Status\" as enum ('open', 'shut down')",
  'create table teams (id serial primary key)',
  'create table members (user_id int, team_id int not null references teams, primary key (user_id, team_id))',
  `create table projects (
    id text primary key, project_title text not null unique, status "Status" not null default 'open', history "Status"[], tags text[], scores int[], times timestamp(3)[],
    settings jsonb, budget decimal(30, 10) not null default 0, views bigint not null default 0, ratio double precision, logo bytea, secret text not null default '',
    due_on date, start_on date, team_id int references teams, created_at timestamp(3) not null default now(), updated_at timestamp(3) not null,
    constraint projects_ratio check (ratio < 100))`,
]

describe('prismaStore', () => {
  const queries: string[] = []
  let prisma: PrismaClient<'query'>
  let adapter: PrismaPg
  let close: () => Promise<void>
  const store = () => prismaStore(prisma, 'project', { columns: { views: 'integer', dueOn: 'calendarDate' } })

  beforeAll(async () => {
    const { url, drop } = await scratchPostgres()
    const admin = new Kysely({ dialect: new PostgresDialect({ pool: new pg.Pool({ connectionString: url, max: 1 }) }) })
    for (const table of TABLES) await sql.raw(table).execute(admin)
    await admin.destroy()
    adapter = new PrismaPg({ connectionString: url }, { schema: /search_path%3D(\w+)/.exec(url)?.[1] ?? '' })
    prisma = new PrismaClient({ adapter, log: [{ emit: 'event', level: 'query' }] })
    prisma.$on('query', ({ query }) => queries.push(query))
    close = () => prisma.$disconnect().then(drop)
  })
  afterAll(() => close())

  it('lets a transaction last as long as it is given, whatever the client’s own limit', async () => {
    const impatient = new PrismaClient({ adapter, transactionOptions: { timeout: 100 } })
    const own = prismaStore(impatient, 'project')
    const add = (seconds?: number): Promise<{ title: string }> =>
      own.transaction(async (inside) => {
        await inside.db.$queryRaw`select pg_sleep(0.5)::text`
        return inside.create({ title: `Slow ${seconds ?? 0}` })
      }, seconds === undefined ? undefined : { seconds })
    await expect(add()).rejects.toThrow(UnavailableError)
    await expect(add(0.2)).rejects.toThrow(UnavailableError)
    expect(await add(5)).toMatchObject({ title: 'Slow 5' })
    await impatient.$disconnect()
  })

  it('links records by a model with a key of two fields, and deletes no link of another record', async () => {
    const id = z.object({ id: z.int() })
    const users = crud(prismaStore(prisma, 'team'), { input: z.object({}), output: id })
    const teams = crud(prismaStore(prisma, 'team'), {
      input: z.object({}),
      output: id,
      links: {
        userIds: { of: users, through: prismaStore(prisma, 'member', { key: 'userId' }), own: 'teamId',
          other: 'userId' },
      },
    })
    const { post, send } = await servingRoutes((app) =>
      mountResource(app, { route: '/teams', name: 'teams', ...teams })
    )
    const ids: number[] = []
    for (let at = 0; at < 3; at++) ids.push((await prisma.team.create({ data: {} })).id)
    const [first = 0, second = 0, third = 0] = ids
    const one = await post('/teams', { userIds: [third, first] })
    const other = await post('/teams', { userIds: [first, second, third] })
    expect([one.body.data, other.body.data]).toMatchObject([{ userIds: [first, third] }, { userIds: ids }])
    const { id: ownId } = one.body.data as { id: number }
    const changed = await send('PATCH', `/teams/${ownId}`, { body: { userIds: [second, third] } })
    expect(changed.body.data).toEqual({ id: ownId, userIds: [second, third] })
    expect((await send('DELETE', `/teams/${ownId}`)).status).toBe(200)
    expect(await prisma.member.count({ where: { userId: { in: ids } } })).toBe(3)
  })

  it('compares, sorts and sums a decimal exactly, declared as one or not', async () => {
    const budgets = ['12345678901234567890.1', '12345678901234567890.2', '9.5']
    for (const [index, budget] of budgets.entries()) {
      await store().create({ title: `Decimal ${index}`, budget, secret: 'decimals' })
    }
    for (const own of [store(), prismaStore(prisma, 'project', { columns: { budget: 'decimal' } })]) {
      const found = async (operator: '=' | '>' | '<', value: string): Promise<string[]> => {
        const where = [['secret', '=', 'decimals'], ['budget', operator, value]] as const
        return (await own.list({ where, order: ['-budget', 'id'] }).slice(0, 9)).map(({ title }) => title)
      }
      expect(await found('=', budgets[1] ?? '')).toEqual(['Decimal 1'])
      expect(await found('>', '9.49')).toEqual(['Decimal 1', 'Decimal 0', 'Decimal 2'])
      expect(await found('<', budgets[1] ?? '')).toEqual(['Decimal 0', 'Decimal 2'])
      expect(await own.sum?.(['budget'], [['secret', '=', 'decimals']])).toEqual({
        budget: '24691357802469135789.8000000000',
      })
    }
    await prisma.project.deleteMany({ where: { secret: 'decimals' } })
  })

  it('applies the defaults, update times, mapped names, enums, lists, JSON, decimals and bytes of the model', async () => {
    const fields = {
      history: ['CLOSED', 'OPEN'],
      tags: ['a, "b"', '{}'],
      scores: [1, 2],
      times: [new Date(1.7e12)],
      settings: { theme: 'dark', $type: 'Enum' },
      budget: '12345678901234567890.5',
      views: 2 ** 52,
      ratio: 0.1,
      logo: new Uint8Array([0, 255]),
      dueOn: '2026-12-01',
      startOn: new Date('2026-12-02'),
    } as const
    const row = await store().create({
      title: 'Bridge',
      ...fields,
      history: [...fields.history],
      tags: [...fields.tags],
      scores: [...fields.scores],
      times: [...fields.times],
    })
    expect(row).toMatchObject({
      title: 'Bridge',
      status: 'OPEN',
      secret: '',
      teamId: null,
      ...fields,
      budget: '12345678901234567890.5000000000',
    })
    expect(row.id).toMatch(/^c\w{20,}$/)
    expect(await store().find([row.id])).toEqual([row])
    const changed = await store().update(row.id, { status: 'CLOSED', settings: null, tags: [], history: ['OPEN'] })
    expect(changed).toMatchObject({ status: 'CLOSED', settings: null, tags: [], history: ['OPEN'], title: 'Bridge' })
    expect(changed?.updatedAt.getTime()).toBeGreaterThan(row.updatedAt.getTime())
    expect(await prisma.project.count({ where: { id: row.id, settings: { equals: Prisma.DbNull } } })).toBe(1)
    expect((await store().update(row.id, { settings: 'text' }))?.settings).toBe('text')
  })

  it('adds rows together by one statement, with the values that a single creation has', async () => {
    const fields = (name: string) => ({
      title: `${name} together`,
      status: 'CLOSED' as const,
      history: ['OPEN' as const],
      tags: ['a'],
      scores: [1],
      settings: { theme: 'dark' },
      budget: '1.5',
      views: 7,
      dueOn: '2026-12-01',
      startOn: new Date('2026-12-02'),
      logo: new Uint8Array([0, 255]),
      ratio: 0.1,
      createdAt: new Date(1000),
      times: [new Date(1.7e12)],
    })
    const single = await store().create(fields('one'))
    queries.length = 0
    const added = await store().createMany?.([fields('two'), fields('three')]) ?? []
    expect(queries.filter((text) => text.startsWith('INSERT'))).toHaveLength(1)
    const plain = ({ id, updatedAt, title, ...row }: typeof single) => [id.length, updatedAt instanceof Date, row]
    expect(added.map(({ title }) => title)).toEqual(['two together', 'three together'])
    for (const row of added) expect(plain(row)).toEqual(plain(single))
    await expect(store().createMany?.([fields('four'), fields('two')])).rejects.toBeInstanceOf(UniqueViolation)
    expect(await prisma.project.count({ where: { title: 'four together' } })).toBe(0)
    await prisma.project.deleteMany({})
  })

  it('compares every kind of column, also in cursors', async () => {
    const [one, two] = [
      await store().create({
        title: 'One',
        status: 'CLOSED',
        budget: '1.5',
        dueOn: '2026-01-01',
        startOn: new Date('2026-01-01'),
        createdAt: new Date(1000),
      }),
      await store().create({
        title: 'Two',
        status: 'OPEN',
        budget: '2',
        views: 5,
        dueOn: '2026-01-02',
        startOn: new Date('2026-01-02'),
        createdAt: new Date(2000),
      }),
    ]
    const ids = [one.id, two.id]
    const found = async (...where: Parameters<ReturnType<typeof store>['find']>[1] & object) =>
      (await store().find(ids, where)).map(({ title }) => title)
    expect(await found(['status', '=', 'CLOSED'])).toEqual(['One'])
    expect(await found(['status', 'in', ['OPEN', 'shut down' as 'OPEN']])).toEqual(['Two'])
    expect(await found(['budget', '=', '1.50'])).toEqual(['One'])
    expect(await found(['views', '>', 4])).toEqual(['Two'])
    expect(await found(['dueOn', '<', '2026-01-02'])).toEqual(['One'])
    expect(await found(['startOn', '=', new Date('2026-01-02')])).toEqual(['Two'])
    expect(await found(['createdAt', '<', new Date(1500)])).toEqual(['One'])
    expect(await found(['settings', '=', null], ['title', 'contains', 'o'])).toEqual(['One', 'Two'])
    await expect(found(['startOn', '<', new Date('2026-01-02T12:00:00Z')])).rejects.toMatchObject({
      code: 'store_condition',
    })
    await expect(found(['tags', '=', 'a'] as never)).rejects.toMatchObject({ code: 'store_condition' })
    for (const column of ['status', '-status', 'budget', '-views', 'startOn', '-createdAt']) {
      const list = store().list({ where: [['id', 'in', ids]], order: [column, 'id'] })
      const { items: [first], next } = await paginate(list, { cursor: '', limit: 1 })
      const { items: [second] } = await paginate(list, { cursor: next, limit: 1 })
      expect([first?.title, second?.title].sort()).toEqual(['One', 'Two'])
    }
  })

  it('accepts fragments of SQL as raw conditions', async () => {
    const { id: teamId } = await prisma.team.create({ data: { members: { create: [{ userId: 7 }] } } })
    const [mine, other] = [await store().create({ title: 'Mine', teamId }), await store().create({ title: 'Theirs' })]
    const ofMember = (userId: number) =>
      raw(
        Prisma.sql`exists (select 1 from members m where m.team_id = projects.team_id and ${
          Prisma.join([Prisma.sql`m.user_id = ${userId}`])
        })`,
      )
    const list = store().list({
      where: [['id', 'in', [mine.id, other.id]], {
        any: [[ofMember(7)], [raw(Prisma.sql`project_title = ${"it's $1"}`)]],
      }],
      order: ['id'],
    })
    expect([(await list.slice(0, 9)).map(({ title }) => title), await list.count?.()]).toEqual([['Mine'], 1])
    expect(await store().find([mine.id], [ofMember(8)])).toEqual([])
  })

  it('binds any value of a caller', async () => {
    for (const title of ["it's", '$1', '?', '"', '\\', "'; drop table projects; --", '{"set":"x"}']) {
      const { id } = await store().create({ title, settings: { increment: 1, set: null } })
      expect(
        (await store().list({ where: [['title', '=', title], ['title', 'contains', title]], order: ['id'] }).slice(
          0,
          2,
        ))
          .map((row) => row.id),
      )
        .toEqual([id])
    }
    const { id } = await store().create({ title: 'Operations' })
    for (
      const change of [{ views: { increment: 1 } }, { title: { set: 'x' } }, { tags: { push: 'x' } }, {
        teamId: { connect: { id: 1 } },
      }, { createdAt: '2026-01-01' }]
    ) {
      await expect(store().update(id, change as never)).rejects.toMatchObject({
        status: 422,
        fields: { [Object.keys(change)[0] ?? '']: ['Cannot be read'] },
      })
    }
    await expect(store().update(id, { team: { create: {} } } as never)).rejects.toMatchObject({ code: 'store_column' })
    await expect(store().create({ title: 'x', team: { create: {} } } as never)).rejects.toMatchObject({
      code: 'store_column',
    })
  })

  it('names the columns of a violation', async () => {
    await store().create({ title: 'Same' })
    await expect(store().create({ title: 'Same' })).rejects.toMatchObject({
      constructor: UniqueViolation,
      columns: ['title'],
      constraint: 'projects_project_title_key',
    })
    await expect(store().create({})).rejects.toMatchObject({
      constructor: NotNullViolation,
      columns: ['title'],
      fields: { _: ['Required'] },
    })
    await expect(store().create({ title: null as never })).rejects.toMatchObject({
      columns: ['title'],
      fields: { title: ['Required'] },
    })
    await expect(store().create({ title: 'Ratio', ratio: 200 })).rejects.toMatchObject({
      columns: ['ratio'],
      fields: { ratio: ['Is not allowed'] },
    })
    await expect(store().create({ title: 'Team', teamId: 999_999 })).rejects.toMatchObject({ status: 409 })
    await expect(store().create({ title: 'Team', teamId: 'x' as never })).rejects.toMatchObject({
      status: 422,
      fields: { teamId: ['Cannot be read'] },
    })
    await expect(store().create({ title: 'Team', teamId: 2 ** 40 })).rejects.toMatchObject({ status: 422 })
    await expect(store().create({ title: 'Status', status: 'shut down' as never })).rejects.toMatchObject({
      status: 422,
      fields: { status: ['Cannot be read'] },
    })
  })

  it('provides the client of its transaction for other models', async () => {
    expect(store().db).toBe(prisma)
    const before = await prisma.team.count()
    await expect(store().transaction(async (inside) => {
      const { id: teamId } = await inside.db.team.create({ data: {} })
      await inside.create({ title: 'Inside', teamId })
      expect(await prisma.team.count()).toBe(before)
      throw new Error('back')
    })).rejects.toThrow('back')
    expect([await prisma.team.count(), await prisma.project.count({ where: { title: 'Inside' } })]).toEqual([before, 0])
  })

  it('replies 503 without a repeat if a transaction exceeds the timeout of the client', async () => {
    const slow = new PrismaClient({
      adapter: new PrismaPg({ connectionString: process.env.TEST_POSTGRES_URL ?? '' }),
      transactionOptions: { timeout: 30 },
    })
    let attempts = 0
    const work = prismaStore(slow, 'project').transaction(async ({ db }) => {
      attempts++
      await db.$queryRaw`select 1 from pg_sleep(0.2)`
      await db.$queryRaw`select 1`
    })
    await expect(work).rejects.toMatchObject({ status: 503 })
    expect(attempts).toBe(1)
    await slow.$disconnect()
  })

  it('sends one query for a page, two for a change, and one for a row without decimals', async () => {
    const teams = prismaStore(prisma, 'team')
    const { id } = await teams.create({})
    const asked = async (work: () => Promise<unknown>): Promise<number> => {
      queries.length = 0
      await work()
      return queries.length
    }
    expect(await asked(() => teams.create({}))).toBe(1)
    expect(await asked(async () => teams.list({ where: [], order: ['id'] }).slice(0, 5))).toBe(1)
    expect(await asked(() => teams.find([id]))).toBe(1)
    expect(await asked(() => teams.delete([id]))).toBe(2)
  })

  it('omits columns that the client omits, and still compares them', async () => {
    const { id } = await store().create({ title: 'Secret', secret: 'x' })
    const careful = new PrismaClient({ adapter, omit: { project: { secret: true } } })
    const projects = prismaStore(careful, 'project')
    const [row] = await projects.find([id], [['secret', '=', 'x']])
    expect(row).toMatchObject({ id, title: 'Secret' })
    expect(row).not.toHaveProperty('secret')
    expect(await projects.create({ title: 'Omitted' })).not.toHaveProperty('secret')
    await careful.$disconnect()
  })

  it.each<[code: string, fault: string, misuse: () => unknown]>([
    ['prisma_client', 'it is given no client', () => prismaStore({} as never, 'project' as never)],
    [
      'prisma_client',
      'the client reads rows in another way',
      () =>
        prismaStore(prisma.$extends({ query: { project: { findMany: ({ args, query }) => query(args) } } }), 'project'),
    ],
    [
      'prisma_client',
      'the client has an extension for all models',
      () =>
        prismaStore(
          prisma.$extends({ query: { $allModels: { $allOperations: ({ args, query }) => query(args) } } }),
          'project',
        ),
    ],
    [
      'prisma_client',
      'the client computes fields',
      () =>
        prismaStore(
          prisma.$extends({
            result: {
              project: {
                up: {
                  needs: { title: true },
                  compute: ({ title }) => title.toUpperCase(),
                },
              },
            },
          }),
          'project',
        ),
    ],
    ['prisma_model', 'the model does not exist', () => prismaStore(prisma, 'projekt' as 'project')],
    ['prisma_model', 'the key has two columns', () => prismaStore(prisma, 'member')],
    ['prisma_model', 'the key is no column', () => prismaStore(prisma, 'team', { key: 'members' as 'id' })],
    ['prisma_option_unknown', 'an option does not exist', () => prismaStore(prisma, 'team', { keys: 'id' } as never)],
    [
      'prisma_columns',
      'a column does not exist',
      () => prismaStore(prisma, 'team', { columns: { team: 'integer' } as never }),
    ],
    [
      'prisma_columns',
      'a column is read as it is',
      () => prismaStore(prisma, 'team', { columns: { id: 'integer' } as never }),
    ],
    [
      'prisma_columns',
      'a column cannot be of that type',
      () => prismaStore(prisma, 'project', { columns: { views: 'number' } as never }),
    ],
  ])('throws %s if %s', (code, _fault, misuse) => {
    expect(misuse).toThrow(expect.objectContaining({ code, message: expect.stringMatching(/\.$/) as string }))
  })

  it('accepts a client with extensions of other models and of the client', async () => {
    const extended = prisma.$extends({
      query: { team: { findMany: ({ args, query }) => query(args) } },
      client: { hello: () => 'hello' },
    })
    const projects = prismaStore(extended, 'project')
    const { id } = await projects.create({ title: 'Extended' })
    expect(await projects.transaction(async (inside) => [inside.db.hello(), (await inside.find([id])).length])).toEqual(
      ['hello', 1],
    )
  })
})
