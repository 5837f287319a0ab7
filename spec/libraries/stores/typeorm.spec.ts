import 'reflect-metadata'
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { BeforeInsert, Brackets, Column, CreateDateColumn, DataSource, DeleteDateColumn, Entity, In, ManyToOne,
  OneToMany, PrimaryColumn, PrimaryGeneratedColumn, UpdateDateColumn, VersionColumn, type EntityManager,
  type SelectQueryBuilder } from 'typeorm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { raw, type Store } from 'resourcery/crud'
import { typeormStore, type TypeormRow } from 'resourcery/typeorm'
import { scratchPostgres } from '../../support/databases.js'
import { storeSuite } from './suite.js'
import { databases } from './typeorm.js'

storeSuite('typeorm', databases)

it('reads days of MariaDB by a driver whose zone is not that of the process', async () => {
  const script = fileURLToPath(new URL('zone-process.ts', import.meta.url))
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--import', 'tsx', script, 'typeorm', 'MariaDB as MySQL'],
    { env: { ...process.env, TZ: 'America/New_York' } },
  )
  expect(JSON.parse(stdout)).toEqual({ zone: 'America/New_York', failed: [] })
})

class Team {
  declare id: number
  declare projects?: Project[]
  declare members?: Member[]
}

class Member {
  declare userId: number
  declare teamId: number
  declare team?: Team
}

class Address {
  declare city: string | null
}

class Project {
  declare id: number
  declare title: string
  declare secret: string
  declare slug: string
  declare teamId: number | null
  declare team?: Team
  declare views: number
  declare tags: string[]
  declare address: Address
  declare createdAt: Date
  declare updatedAt: Date
  declare version: number

  setSlug(): void {
    this.slug = this.title.toLowerCase()
  }
}

class Note {
  declare id: string
  declare deletedAt: Date | null
}

/** Decorates a class like `@Entity()` would, since this project is compiled without decorators. */
function entity(
  target: new() => object,
  properties: Readonly<Record<string, PropertyDecorator>>,
  isEmbedded = false,
): void {
  if (!isEmbedded) Entity()(target)
  for (const [name, decorate] of Object.entries(properties)) decorate(target.prototype as object, name)
}

entity(Team, {
  id: PrimaryGeneratedColumn(),
  projects: OneToMany(() => Project, 'team'),
  members: OneToMany(() => Member, 'team'),
})
entity(Member, {
  userId: PrimaryColumn('integer'),
  teamId: PrimaryColumn('integer'),
  team: ManyToOne(() => Team, 'members'),
})
entity(Address, { city: Column('varchar', { nullable: true }) }, true)
entity(Project, {
  id: PrimaryGeneratedColumn(),
  title: Column('varchar', { name: 'project_title' }),
  secret: Column('varchar', { default: '', select: false }),
  slug: Column('varchar', { default: '' }),
  teamId: Column('integer', { nullable: true }),
  team: ManyToOne(() => Team, 'projects'),
  views: Column('bigint', { default: 0, transformer: { to: (value: number) => value, from: Number } }),
  tags: Column('simple-json', { default: '[]' }),
  address: Column(() => Address),
  createdAt: CreateDateColumn({ type: 'timestamptz' }),
  updatedAt: UpdateDateColumn({ type: 'timestamptz' }),
  version: VersionColumn(),
  setSlug: BeforeInsert(),
})
entity(Note, { id: PrimaryGeneratedColumn('uuid'), deletedAt: DeleteDateColumn({ type: 'timestamptz' }) })

const COLUMNS = { tags: 'json' } as const
type ProjectRow = TypeormRow<Project, typeof COLUMNS>

describe('typeormStore', () => {
  let dataSource: DataSource
  let drop: () => Promise<void>
  let store: Store<ProjectRow, EntityManager>
  let titled: (title: string, fields?: Partial<ProjectRow>) => Promise<ProjectRow>

  beforeAll(async () => {
    const scratch = await scratchPostgres()
    drop = scratch.drop
    dataSource = await new DataSource({
      type: 'postgres',
      url: scratch.url,
      synchronize: true,
      entities: [Team, Member, Project, Note],
    })
      .initialize()
    store = typeormStore(dataSource, Project, { columns: COLUMNS })
    titled = (title, fields = {}) => store.create({ title, ...fields })
  })
  afterAll(() => dataSource.destroy().then(drop))

  it('applies the listeners, defaults, transformers, JSON, dates and version of the entity', async () => {
    const row = await titled('Bridge', { tags: ['a'] })
    expect(row).toMatchObject({ slug: 'bridge', views: 0, tags: ['a'], version: 1, teamId: null })
    expect(row.createdAt).toBeInstanceOf(Date)
    expect(row).not.toHaveProperty('address')
    const changed = await store.update(row.id, { views: 7 })
    expect(changed).toMatchObject({ views: 7, version: 2, title: 'Bridge' })
    expect(await store.find([row.id], [['views', '=', 7], ['title', 'contains', 'ridge']])).toEqual([changed])
    expect((await store.list({ where: [], order: ['-views', 'id'] }).slice(0, 1))[0]?.id).toBe(row.id)
  })

  it('adds rows together with the values that a single creation has', async () => {
    const fields = { tags: ['a'], views: 7, createdAt: new Date(1000) }
    const single = await titled('Single', fields)
    const added = await store.createMany?.([{ title: 'Two', ...fields }, { title: 'Three', ...fields }]) ?? []
    const plain = (
      { id, updatedAt, title, slug, ...row }: ProjectRow,
    ) => [typeof id, updatedAt instanceof Date, slug === title.toLowerCase(), row]
    expect(added.map(({ title }) => title)).toEqual(['Two', 'Three'])
    for (const row of added) expect(plain(row)).toEqual(plain(single))
    expect(await store.find(added.map(({ id }) => id))).toEqual(added.map(({ secret: _unselected, ...row }) => row))
    expect((await store.createMany?.([{ id: 4801, title: 'A' }, { id: 4800, title: 'B' }]))?.map(({ id }) => id))
      .toEqual([4801, 4800])
  })

  it('keeps a given key, and compares a column that is not selected', async () => {
    const row = await titled('Given', { id: 4711, secret: 'x' })
    expect(row.id).toBe(4711)
    expect((await store.find([4711], [['secret', '=', 'x']])).map(({ id, secret }) => [id, secret])).toEqual([[
      4711,
      undefined,
    ]])
  })

  it('accepts a `where` of find, brackets and a query builder function as raw conditions', async () => {
    const team = await dataSource.getRepository(Team).save({})
    await dataSource.getRepository(Member).insert([{ userId: 7, teamId: team.id }, { userId: 8, teamId: team.id }])
    const [mine, other] = [await titled('Mine', { teamId: team.id }), await titled('Other')]
    const found = async (condition: unknown): Promise<number[]> =>
      (await store.find([mine.id, other.id], [raw(condition)])).map(({ id }) => id)
    expect(await found({ team: { members: { userId: In([7, 8]) } } })).toEqual([mine.id])
    expect(await found([{ title: 'Mine' }, { title: 'Other' }])).toEqual([mine.id, other.id])
    expect(await found(new Brackets((query) => query.where('project.title = :title', { title: 'Other' })))).toEqual([
      other.id,
    ])
    expect(
      await found((query: SelectQueryBuilder<Project>, alias: string) => (
        `exists ${
          query
            .subQuery()
            .select('1')
            .from(Member, 'member')
            .where(`member.teamId = ${alias}.teamId and member.userId = :me`)
            .setParameter('me', 7)
            .getQuery()
        }`
      )),
    )
      .toEqual([mine.id])
    const list = store.list({
      where: [{ any: [[raw({ team: { members: { userId: 7 } } })], [raw({ title: 'Other' })]] }],
      order: ['title', 'id'],
    })
    expect([(await list.slice(0, 9)).map(({ title }) => title), await list.count?.()]).toEqual([['Mine', 'Other'], 2])
    await expect(found({ team: undefined })).rejects.toThrow()
    expect(await found([{ team: {}, title: 'Mine' }])).toEqual([mine.id])
    for (const ofAllRows of [{}, [], [{}], { team: {} }, Promise.resolve({ title: 'Mine' }), new Brackets(() => {})]) {
      await expect(found(ofAllRows)).rejects.toMatchObject({ code: 'store_raw' })
    }
  })

  it('provides the entity manager of its transaction for other entities', async () => {
    expect(store.db).toBe(dataSource.manager)
    await expect(store.transaction(async (inside) => {
      await inside.db.getRepository(Team).save({})
      expect(await inside.db.query('select count(*)::int as n from team')).not.toEqual(
        await dataSource.query('select count(*)::int as n from team'),
      )
      throw new Error('back')
    })).rejects.toThrow('back')
  })

  it('repeats a transaction whose connection is lost before the commit', async () => {
    let attempts = 0
    const row = await store.transaction(async (inside) => {
      attempts++
      const created = await inside.create({ title: 'Lost' })
      if (attempts === 1) {
        const [{ pid } = { pid: 0 }] = await inside.db.query<{ pid: number }[]>('select pg_backend_pid() as pid')
        await dataSource.query('select pg_terminate_backend($1)', [pid])
      }
      return await inside.update(created.id, { views: 1 }) ?? created
    })
    expect([attempts, row.views]).toEqual([2, 1])
    expect(await store.list({ where: [['title', '=', 'Lost']], order: ['id'] }).slice(0, 9)).toEqual([row])
  })

  it('reads the deleted rows of an entity with a delete date with `withDeleted`, and purges them', async () => {
    const notes = typeormStore(dataSource, Note, { withDeleted: true })
    const { id } = await notes.create({ deletedAt: new Date() })
    expect(await notes.list({ where: [['deletedAt', '!=', null]], order: ['id'] }).count?.()).toBe(1)
    expect([await notes.delete([id]), await notes.find([id])]).toEqual([1, []])
  })

  it.each<[code: string, fault: string, misuse: () => unknown]>([
    [
      'typeorm_entity',
      'the data source is not initialized',
      () => typeormStore(new DataSource({ type: 'postgres', entities: [Team] }), Team),
    ],
    ['typeorm_entity', 'the primary key has two columns', () => typeormStore(dataSource, Member)],
    ['typeorm_entity', 'the entity has a delete date', () => typeormStore(dataSource, Note)],
    [
      'typeorm_option_unknown',
      'an option does not exist',
      () => typeormStore(dataSource, Team, { colums: {} } as never),
    ],
    [
      'typeorm_columns',
      'a type does not exist',
      () => typeormStore(dataSource, Team, { columns: { id: 'int' } } as never),
    ],
    [
      'typeorm_columns',
      'a column is that of an embedded object',
      () => typeormStore(dataSource, Project, { columns: { address: 'json' } }),
    ],
  ])('throws %s if %s', (code, _fault, misuse) => {
    expect(misuse).toThrow(expect.objectContaining({ code, message: expect.stringMatching(/\.$/) as string }))
  })
})
