import { DataTypes, Model, Op, Sequelize, literal, type CreationOptional, type InferAttributes,
  type InferCreationAttributes } from 'sequelize'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { ConflictError, ValidationError } from 'resourcery'
import { NotNullViolation, UniqueViolation, raw, type Store } from 'resourcery/crud'
import { sequelizeStore } from 'resourcery/sequelize'
import { scratchPostgres } from '../../support/databases.js'
import { databases } from './sequelize.js'
import { storeSuite } from './suite.js'

storeSuite('sequelize', databases)

class Post extends Model<InferAttributes<Post>, InferCreationAttributes<Post>> {
  declare id: CreationOptional<number>
  declare title: string
  declare slug: CreationOptional<string>
  declare email: CreationOptional<string | null>
  declare age: CreationOptional<number | null>
  declare tags: CreationOptional<string[]>
  declare teamId: CreationOptional<number | null>
  declare shout: CreationOptional<string>
  declare createdAt: CreationOptional<Date>
  declare updatedAt: CreationOptional<Date>
}

class Note extends Model<InferAttributes<Note>, InferCreationAttributes<Note>> {
  declare id: CreationOptional<number>
  declare text: string
  declare deletedAt: CreationOptional<Date | null>
}

class Pair extends Model {}

describe('sequelizeStore', () => {
  const statements: string[] = []
  let sequelize: Sequelize
  let drop: () => Promise<void>
  const store = () => sequelizeStore(Post)

  beforeAll(async () => {
    const scratch = await scratchPostgres()
    drop = scratch.drop
    sequelize = new Sequelize(scratch.url, { logging: (text) => void statements.push(text), dialect: 'postgres' })
    Post.init({
      id: { type: DataTypes.INTEGER, primaryKey: true, autoIncrement: true },
      title: {
        type: DataTypes.STRING,
        allowNull: false,
        field: 'post_title',
        validate: { notEmpty: { msg: 'The title is missing' } },
      },
      slug: { type: DataTypes.STRING, unique: true },
      email: {
        type: DataTypes.STRING,
        validate: {
          isEmail: true,
          isOurs: (email: string) => {
            if (email.endsWith('.invalid')) throw new Error('select 1')
          },
        },
      },
      age: {
        type: DataTypes.INTEGER,
        set(value: number | null) {
          this.setDataValue('age', value === null ? null : Math.trunc(value))
        },
      },
      tags: { type: DataTypes.JSONB, defaultValue: [] },
      teamId: DataTypes.INTEGER,
      shout: {
        type: DataTypes.VIRTUAL,
        get() {
          return this.title.toUpperCase()
        },
      },
      createdAt: DataTypes.DATE,
      updatedAt: DataTypes.DATE,
    }, {
      sequelize,
      modelName: 'Post',
      hooks: {
        beforeSave: (post) => {
          post.slug = post.title.toLowerCase()
        },
      },
    })
    Note.init({
      id: { type: DataTypes.INTEGER, primaryKey: true, autoIncrement: true },
      text: DataTypes.STRING,
      deletedAt: DataTypes.DATE,
    }, { sequelize, modelName: 'Note', paranoid: true })
    Pair.init({ a: { type: DataTypes.INTEGER, primaryKey: true }, b: { type: DataTypes.INTEGER, primaryKey: true } }, {
      sequelize,
      modelName: 'Pair',
    })
    await sequelize.sync()
  })
  beforeEach(() => Post.destroy({ truncate: true }))
  afterAll(() => sequelize.close().then(drop))

  it('applies the hooks, setters, defaults, timestamps, JSON and column names of the model', async () => {
    const row = await store().create({ title: 'Bridge', age: 7.9, tags: ['a'] })
    expect(row).toMatchObject({ slug: 'bridge', age: 7, tags: ['a'], email: null })
    expect(row).not.toHaveProperty('shout')
    const changed = await store().update(row.id, { title: 'Tower' })
    expect(changed).toMatchObject({ title: 'Tower', slug: 'tower', age: 7 })
    expect(changed?.updatedAt.getTime()).toBeGreaterThan(row.updatedAt.getTime())
    expect(await store().find([row.id], [['title', 'startsWith', 'to']])).toEqual([changed])
  })

  it('refuses invalid records with the messages of the model for clients', async () => {
    const refusal = async (fields: object): Promise<ValidationError> =>
      store().create(fields).catch((error: ValidationError) => error) as Promise<ValidationError>
    expect((await refusal({ title: '' })).fields).toEqual({ title: ['The title is missing'] })
    expect((await refusal({ title: 'a', email: 'b' })).fields).toEqual({ email: ['Is not allowed'] })
    expect((await refusal({ title: 'a', email: 'b@c.invalid' })).fields).toEqual({ email: ['Is not allowed'] })
    expect(await refusal({ email: 'b@c.example' })).toMatchObject({
      columns: ['title'],
      fields: { _: ['Required'] },
    })
    expect(await refusal({ title: null })).toBeInstanceOf(NotNullViolation)
    await store().create({ title: 'Same' })
    await expect(store().create({ title: 'same' })).rejects.toMatchObject({
      columns: ['slug'],
      constructor: UniqueViolation,
    })
  })

  it('adds rows together as single creations, one by one if the model has hooks for these', async () => {
    const tasks = await taskStore()
    statements.length = 0
    const added = await tasks.createMany?.([{ title: 'One', age: 7.9 }, { title: 'Two', age: 1.1 }]) ?? []
    expect(statements.filter((text) => text.includes('INSERT'))).toHaveLength(1)
    expect(added).toMatchObject([
      { title: 'One', age: 7, tags: [], state: 'open' },
      { title: 'Two', age: 1, tags: [], state: 'open' },
    ])
    expect(await tasks.find(added.map(({ id }) => id))).toEqual(added)
    await expect(tasks.createMany?.([{ title: 'Three' }, { title: '' }])).rejects.toMatchObject({
      fields: { title: ['The title is missing'] },
    })
    const hooked = await store().createMany?.([{ title: 'Bridge', age: 7.9 }, { title: 'Tower', age: 1 }])
    expect(hooked).toMatchObject([{ slug: 'bridge', age: 7 }, { slug: 'tower', age: 1 }])
    sequelize.addHook('beforeCreate', 'global', (task) => void task.set('title', 'By a hook'))
    expect(await tasks.createMany?.([{ title: 'Four' }])).toMatchObject([{ title: 'By a hook' }])
    sequelize.removeHook('beforeCreate', 'global')
  })

  interface Task {
    id: number
    title: string
    age: number | null
    tags: string[]
    state: string
  }

  /** Makes a store of a model without hooks, on a table with a default of its own. */
  async function taskStore(): Promise<Store<Task>> {
    const tasks = sequelize.define('Task', {
      id: { type: DataTypes.INTEGER, primaryKey: true, autoIncrement: true },
      title: { type: DataTypes.STRING, validate: { notEmpty: { msg: 'The title is missing' } } },
      age: {
        type: DataTypes.INTEGER,
        set(value: number | null) {
          this.setDataValue('age', value === null ? null : Math.trunc(value))
        },
      },
      tags: { type: DataTypes.JSONB, defaultValue: [] },
      state: { type: DataTypes.STRING },
    })
    await tasks.sync()
    await sequelize.query(`alter table "Tasks" alter state set default 'open'`)
    return sequelizeStore(tasks as never) as unknown as Store<Task>
  }

  it('accepts a `where` of findAll and a literal as raw conditions', async () => {
    const [one, two] = [await store().create({ title: 'One', teamId: 1 }), await store().create({ title: 'Two' })]
    const found = async (condition: unknown): Promise<number[]> =>
      (await store().find([one.id, two.id], [raw(condition)])).map(({ id }) => id)
    expect(await found({ title: { [Op.iLike]: 'o%' } })).toEqual([one.id])
    expect(await found({ [Op.or]: [{ title: 'Two' }, { teamId: { [Op.in]: [1] } }] })).toEqual([one.id, two.id])
    expect(await found({ [Op.not]: { title: 'Two' } })).toEqual([one.id])
    expect(await found(literal('"Post"."teamId" is null'))).toEqual([two.id])
    expect(await found({ teamId: { [Op.in]: literal('(select 1)') } })).toEqual([one.id])
    const list = store().list({
      where: [{ any: [[raw({ title: 'One' })], [raw({ title: 'Two' })]] }, ['teamId', '=', null]],
      order: ['-title', 'id'],
    })
    expect([(await list.slice(0, 9)).map(({ title }) => title), await list.count?.()]).toEqual([['Two'], 1])
    await expect(found({ title: undefined })).rejects.toThrow()
  })

  it('writes any string unchanged', async () => {
    const titles = ["it's", '$1', ':title', '?', '\\', "\\'; drop table x; --", '$sequelize_1', '"', '`', '%s']
    for (const title of titles) {
      const { id } = await store().create({ title })
      expect(
        (await store().list({ where: [['title', '=', title], ['slug', 'contains', title]], order: ['id'] }).slice(0, 2))
          .map((row) => row.id),
      )
        .toEqual([id])
    }
  })

  it('provides its transaction for other models', async () => {
    expect(store().db).toBeNull()
    await expect(store().transaction(async (inside) => {
      await Note.create({ text: 'a' }, { transaction: inside.db })
      throw new Error('back')
    })).rejects.toThrow('back')
    expect(await Note.count()).toBe(0)
  })

  it('repeats a transaction whose connection is lost before the commit', async () => {
    let attempts = 0
    const row = await store().transaction(async (inside) => {
      attempts++
      const created = await inside.create({ title: 'Lost' })
      if (attempts === 1) {
        const [[{ pid } = { pid: 0 }]] = await sequelize.query('select pg_backend_pid() as pid', {
          transaction: inside.db,
        }) as unknown as [{ pid: number }[]]
        await sequelize.query(`select pg_terminate_backend(${pid})`)
      }
      return await inside.update(created.id, { age: 1 }) ?? created
    })
    expect([attempts, row.age]).toEqual([2, 1])
    expect(await Post.count()).toBe(1)
  })

  it('applies the conditions of a default scope', async () => {
    await store().create({ title: 'Team', teamId: 1 })
    await store().create({ title: 'None' })
    Post.addScope('mine', { where: { teamId: 1 } })
    const mine = sequelizeStore(Post.scope('mine') as typeof Post)
    expect(await mine.list({ where: [], order: ['id'] }).count?.()).toBe(1)
  })

  it('reads the deleted rows of a paranoid model with `withDeleted`, and purges them', async () => {
    const notes = sequelizeStore(Note, { withDeleted: true })
    const { id } = await notes.create({ text: 'a', deletedAt: new Date() })
    expect(await notes.list({ where: [['deletedAt', '!=', null]], order: ['id'] }).count?.()).toBe(1)
    expect(await notes.update(id, { deletedAt: null })).toMatchObject({ deletedAt: null })
    expect([await notes.delete([id]), await notes.find([id]), await Note.count({ paranoid: false })]).toEqual([
      1,
      [],
      0,
    ])
  })

  it('runs the hooks of single deletions if the model has some', async () => {
    const deleted: number[] = []
    Post.addHook('beforeDestroy', 'remember', (post) => void deleted.push((post as Post).id))
    const [one, two] = [await store().create({ title: 'One' }), await store().create({ title: 'Two' })]
    expect(await store().delete([two.id, one.id, 0])).toBe(2)
    Post.removeHook('beforeDestroy', 'remember')
    expect(deleted.sort()).toEqual([one.id, two.id].sort())
  })

  it.each<[code: string, fault: string, misuse: () => unknown]>([
    ['sequelize_model', 'the model is not initialized', () => sequelizeStore(class extends Model {})],
    ['sequelize_model', 'the primary key has two columns', () => sequelizeStore(Pair)],
    ['sequelize_model', 'the model is paranoid', () => sequelizeStore(Note)],
    ['sequelize_model', 'the default scope selects attributes', () => {
      Post.addScope('short', { attributes: ['id'] })
      return sequelizeStore(Post.scope('short') as typeof Post)
    }],
    ['sequelize_option_unknown', 'an option does not exist', () => sequelizeStore(Post, { colums: {} } as never)],
    ['sequelize_columns', 'a type does not exist', () => sequelizeStore(Post, { columns: { id: 'int' } } as never)],
    ['sequelize_columns', 'an attribute is no column', () => sequelizeStore(Post, { columns: { shout: 'string' } })],
  ])('throws %s if %s', (code, _fault, misuse) => {
    expect(misuse).toThrow(expect.objectContaining({ code, message: expect.stringMatching(/\.$/) as string }))
  })

  it('reports a stale version as a conflict', async () => {
    const Counted = sequelize.define('Counted', {
      id: { type: DataTypes.INTEGER, primaryKey: true, autoIncrement: true },
      name: DataTypes.STRING,
    }, { version: true, timestamps: false })
    await Counted.sync()
    const counted = sequelizeStore(Counted as never)
    const { id } = await counted.create({ name: 'a' } as never) as { id: number }
    Counted.addHook(
      'beforeUpdate',
      'race',
      async () => void await sequelize.query('update "Counteds" set version = version + 1'),
    )
    await expect(counted.update(id, { name: 'b' } as never)).rejects.toBeInstanceOf(ConflictError)
  })

  it('throws what a hook of the model violates in another table as it is', async () => {
    await Post.sync()
    await Note.sync()
    Post.addHook('afterCreate', 'notes', async (_post, { transaction }) => {
      await Note.create({ text: {} as never }, { transaction: transaction ?? null })
    })
    try {
      const created = store().create({ title: 'a', slug: 'hooked' })
      await expect(created).rejects.toMatchObject({ name: 'SequelizeValidationError' })
      await expect(created).rejects.not.toBeInstanceOf(ValidationError)
    } finally {
      Post.removeHook('afterCreate', 'notes')
    }
  })
})
