import { DataTypes, fn, Model, Sequelize, type CreationOptional, type InferAttributes, type InferCreationAttributes,
  type NonAttribute } from 'sequelize'
import { beforeAll, describe, expect, it } from 'vitest'
import { paginate } from 'resourcery'
import { fromSequelize } from 'resourcery/sequelize'
import { openPostgres, type EmbeddedPostgres } from './embedded-postgres.js'
import { ids, pageOf, sourceSuite, walk } from './suite.js'

class User extends Model<InferAttributes<User>, InferCreationAttributes<User>> {
  declare id: number
  declare name: string
  declare posts?: NonAttribute<Post[]>
}

class Post extends Model<InferAttributes<Post>, InferCreationAttributes<Post>> {
  declare id: CreationOptional<string>
  declare title: string
  declare category: string
  declare score: number | null
  declare authorId: number
  declare createdAt: Date
}

describe('fromSequelize on sequelize 6 and PGlite', () => {
  let server: EmbeddedPostgres
  let sequelize: Sequelize

  beforeAll(async () => {
    server = await openPostgres()
    sequelize = new Sequelize(server.url, {
      logging: false,
      pool: { max: 1 },
      define: { timestamps: false, underscored: true },
    })
    User.init({ id: { type: DataTypes.INTEGER, primaryKey: true }, name: DataTypes.TEXT }, {
      sequelize,
      tableName: 'users',
    })
    Post.init({
      id: { type: DataTypes.BIGINT, primaryKey: true },
      title: DataTypes.TEXT,
      category: DataTypes.TEXT,
      score: DataTypes.INTEGER,
      authorId: DataTypes.INTEGER,
      createdAt: DataTypes.DATE,
    }, {
      sequelize,
      tableName: 'posts',
      scopes: { news: { where: { category: 'news' } }, newest: { order: [['id', 'DESC']] } },
    })
    User.hasMany(Post, { as: 'posts', foreignKey: 'authorId' })
    Post.belongsTo(User, { as: 'author', foreignKey: 'authorId' })
    return async () => {
      await sequelize.close()
      await server.close()
    }
  })

  const byId = { order: [['id', 'ASC']] }

  sourceSuite({
    step: 'millisecond',
    pglite: () => server.pglite,
    ordered: () => fromSequelize(Post, byId),
    keyed: (by) => fromSequelize(Post, {}, { by: by as ['id'] }),
    scored: (by) => fromSequelize(Post, {}, { by: by as ['id'], nullable: ['score'] }),
    isFirstOnly: true,
  })

  it('counts the same records', async () => {
    expect(await pageOf(fromSequelize(Post, { where: { category: 'news' }, ...byId }))).toEqual([2, 8])
    expect(await pageOf(fromSequelize(Post.scope('news'), byId))).toEqual([2, 8])
    expect(await pageOf(fromSequelize(Post.scope('newest')))).toEqual([2, 23])
    expect(await pageOf(fromSequelize(Post, { include: 'author', ...byId }))).toEqual([2, 23])
    const authors = fromSequelize(User, { include: { association: 'posts', required: true }, ...byId })
    const { items, total } = await paginate(authors, 1)
    expect([items.map(({ posts }) => posts?.length), total]).toEqual([[12], 2])
    const groups = { attributes: ['category', [fn('count', '*'), 'n']], group: 'category', order: ['category'] }
    expect(await pageOf(fromSequelize(Post, groups))).toEqual([2, 3])
    const few = { ...groups, having: sequelize.literal('count(*) < 8') }
    expect(await pageOf(fromSequelize(Post, few))).toEqual([1, 1])
    expect(await fromSequelize(Post, few).count?.()).toBe(1)
  })

  it('reads inside a transaction, with locks too', async () => {
    const rollback = sequelize.transaction(async (transaction) => {
      await Post.destroy({ where: { category: 'news' }, transaction })
      expect(await pageOf(fromSequelize(Post, { ...byId, transaction, lock: true }))).toEqual([2, 15])
      throw new Error('back')
    })
    await expect(rollback).rejects.toThrow('back')
  })

  it('pages by cursor through conditions, includes and raw rows', async () => {
    const news = fromSequelize(Post.scope('news'), { where: { authorId: [1, 2] }, include: 'author' }, {
      by: ['-title', 'id'],
    })
    expect(await walk(news, 3)).toEqual(ids((await paginate(news, 100)).items))
    expect(await walk(news, 3)).toHaveLength(8)
    const raw = fromSequelize(Post, { raw: true }, { by: ['-createdAt', 'id'] })
    expect(await walk(raw, 4)).toEqual(ids((await paginate(raw, 100)).items))
  })

  it.each<[code: string, fault: string, misuse: () => unknown]>([
    ['sequelize_query', 'another value is given', () => fromSequelize({} as never)],
    ['sequelize_query', 'null or undefined is given', () => fromSequelize(undefined as never)],
    ['sequelize_query', 'the options have a limit', () => fromSequelize(Post, { ...byId, limit: 5 as never })],
    ['sequelize_query', 'the options have an offset', () => fromSequelize(Post, { ...byId, offset: 5 as never })],
    ['sequelize_query', 'distinct rows are selected', () => (
      fromSequelize(Post, { attributes: [[fn('DISTINCT', 'category'), 'category']], ...byId })
    )],
    ['sequelize_order', 'there is no order', () => fromSequelize(Post)],
    ['sequelize_order', 'there is an empty order', () => fromSequelize(Post, { order: [] })],
    ['sequelize_order', 'there are two orders', () => fromSequelize(Post, byId, { by: ['id'] })],
    [
      'sequelize_order',
      'the scope has an order beside the keys',
      () => fromSequelize(Post.scope('newest'), {}, { by: ['id'] }),
    ],
    [
      'sequelize_cursor',
      'a cursor is asked without keys',
      () => paginate(fromSequelize(Post, byId), { cursor: '', limit: 3 }),
    ],
    [
      'sequelize_key',
      'a key is null',
      () => paginate(fromSequelize(Post, {}, { by: ['-score' as 'id', 'id'] }), { cursor: '', limit: 3 }),
    ],
    ['sequelize_key', 'a key is not selected', () => (
      paginate(fromSequelize(Post, { attributes: ['title'] }, { by: ['id'] }), { cursor: '', limit: 3 })
    )],
  ])('throws %s if %s', async (code, _fault, misuse) => {
    await expect(Promise.resolve().then(misuse)).rejects.toMatchObject({
      code,
      message: expect.stringMatching(/^\S+ .+\.$/) as string,
    })
  })
})
