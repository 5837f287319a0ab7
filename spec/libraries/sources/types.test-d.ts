import { count, eq } from 'drizzle-orm'
import { bigint, integer, pgTable, text } from 'drizzle-orm/pg-core'
import type { PgliteDatabase } from 'drizzle-orm/pglite'
import type { Knex } from 'knex'
import type { Model as MongooseModel, Types } from 'mongoose'
import { Model, type InferAttributes, type InferCreationAttributes, type ModelStatic } from 'sequelize'
import type { Repository } from 'typeorm'
import { describe, expectTypeOf, it } from 'vitest'
import { paginate } from 'resourcery'
import { fromDrizzle } from 'resourcery/drizzle'
import { fromKnex } from 'resourcery/knex'
import { fromMongoose } from 'resourcery/mongoose'
import { fromPrisma } from 'resourcery/prisma'
import { fromSequelize } from 'resourcery/sequelize'
import { fromTypeorm } from 'resourcery/typeorm'
import type { Page, PageSource } from 'resourcery'
import type { Prisma, PrismaClient } from '../generated/sources/client.js'

interface Post {
  id: number
  title: string
  score: number | null
}

describe('fromDrizzle', () => {
  const users = pgTable('users', { id: integer().primaryKey(), name: text().notNull() })
  const posts = pgTable('posts', { id: bigint({ mode: 'bigint' }).primaryKey(), authorId: integer().notNull(), score: integer() })
  const db = {} as PgliteDatabase

  it('returns the rows of the query', () => {
    expectTypeOf(paginate(fromDrizzle(db.select().from(users).orderBy(users.id)), 20))
      .toEqualTypeOf<Promise<Page<{ id: number; name: string }>>>()
    expectTypeOf(fromDrizzle(db.select({ id: posts.id, n: count() }).from(posts).groupBy(posts.id), { by: ['-id'] }))
      .toEqualTypeOf<PageSource<{ id: bigint; n: number }>>()
    const joined = db.select().from(posts).leftJoin(users, eq(users.id, posts.authorId)).$dynamic()
    expectTypeOf(fromDrizzle(joined, { by: ['-posts.authorId', 'posts.id'] })).toEqualTypeOf<PageSource<{
      posts: { id: bigint; authorId: number; score: number | null }
      users: { id: number; name: string } | null
    }>>()
  })

  it('refuses other arguments and invalid keys', () => {
    // @ts-expect-error a table is not a query
    fromDrizzle(users)
    // @ts-expect-error nullable
    fromDrizzle(db.select().from(posts), { by: ['score', 'id'] })
    // @ts-expect-error no such column
    fromDrizzle(db.select().from(posts), { by: ['id'], nullable: ['scores'] })
    fromDrizzle(db.select().from(posts), { by: ['-score', 'id'], nullable: ['score'] })
    const joined = db.select().from(posts).leftJoin(users, eq(users.id, posts.authorId))
    fromDrizzle(joined, { by: ['users.name', 'posts.id'], nullable: ['users.name'] })
    // @ts-expect-error misspelt
    fromDrizzle(db.select().from(posts), { by: ['ids'] })
  })
})

describe('fromKnex', () => {
  const knex = {} as Knex

  it('returns the rows of the query', () => {
    expectTypeOf(paginate(fromKnex(knex<Post>('posts').select('*').where('id', 1).orderBy('id')), 20)).toEqualTypeOf<Promise<Page<Post>>>()
    expectTypeOf(fromKnex(knex<Post>('posts').where('id', 1))).toEqualTypeOf<PageSource<Post>>()
    expectTypeOf(fromKnex(knex<Post>('posts').select('id', 'title'), { by: ['-posts.title', 'id'] }))
      .toEqualTypeOf<PageSource<Pick<Post, 'id' | 'title'>>>()
  })

  it('refuses other arguments and invalid keys', () => {
    // @ts-expect-error one row
    fromKnex(knex<Post>('posts').first())
    // @ts-expect-error nullable
    fromKnex(knex<Post>('posts').select('*'), { by: ['score', 'id'] })
  })
})

describe('fromPrisma', () => {
  const prisma = {} as PrismaClient

  it('returns the rows of the arguments', () => {
    type Row<Args> = Prisma.PostGetPayload<Args extends Prisma.PostDefaultArgs ? Args : never>
    expectTypeOf(paginate(fromPrisma(prisma.post, { orderBy: { id: 'asc' } }), 20)).toEqualTypeOf<Promise<Page<Row<object>>>>()
    expectTypeOf(fromPrisma(prisma.post)).toEqualTypeOf<PageSource<Row<object>>>()
    expectTypeOf(fromPrisma(prisma.post, { include: { author: true }, where: { title: 'x' } }, { by: ['-createdAt', 'id'] }))
      .toEqualTypeOf<PageSource<Row<{ include: { author: true } }>>>()
    expectTypeOf(fromPrisma(prisma.post, { include: { author: { select: { name: true } } } }))
      .toEqualTypeOf<PageSource<Row<{ include: { author: { select: { name: true } } } }>>>()
    expectTypeOf(fromPrisma(prisma.post, { select: { id: true, score: true } }))
      .toEqualTypeOf<PageSource<{ id: bigint; score: number | null }>>()
    expectTypeOf(fromPrisma(prisma.post, { omit: { title: true } })).toEqualTypeOf<PageSource<Row<{ omit: { title: true } }>>>()
    expectTypeOf(fromPrisma(prisma.user, { include: { posts: true, _count: true } }))
      .toEqualTypeOf<PageSource<Prisma.UserGetPayload<{ include: { posts: true; _count: true } }>>>()
  })

  it('refuses other arguments and invalid keys', () => {
    // @ts-expect-error a client is not a model
    fromPrisma(prisma)
    // @ts-expect-error a page sets it itself
    fromPrisma(prisma.post, { take: 5, orderBy: { id: 'asc' } })
    // @ts-expect-error no such order
    fromPrisma(prisma.post, { orderBy: { id: 'up' } })
    // @ts-expect-error a string column
    fromPrisma(prisma.post, { where: { title: { contains: 5 } } })
    // @ts-expect-error nullable
    fromPrisma(prisma.post, {}, { by: ['score', 'id'] })
    fromPrisma(prisma.post, {}, { by: ['-score', 'id'], nullable: ['score'] })
    // @ts-expect-error no such column
    fromPrisma(prisma.post, {}, { by: ['id'], nullable: ['scores'] })
  })
})

describe('fromTypeorm', () => {
  const posts = {} as Repository<Post>

  it('returns the entities', () => {
    expectTypeOf(paginate(fromTypeorm(posts.createQueryBuilder('post').orderBy('post.id')), 20)).toEqualTypeOf<Promise<Page<Post>>>()
    expectTypeOf(fromTypeorm(posts, { where: { title: 'x' }, order: { id: 'ASC' } })).toEqualTypeOf<PageSource<Post>>()
  })

  it('refuses invalid options', () => {
    // @ts-expect-error misspelt
    fromTypeorm(posts, { order: { ids: 'ASC' } })
    // @ts-expect-error a repository needs an order
    fromTypeorm(posts)
  })
})

describe('fromSequelize', () => {
  class Article extends Model<InferAttributes<Article>, InferCreationAttributes<Article>> {
    declare id: number
    declare title: string
    declare score: number | null
  }

  it('returns the instances', () => {
    expectTypeOf(paginate(fromSequelize(Article, { order: ['id'] }), 20)).toEqualTypeOf<Promise<Page<Article>>>()
    expectTypeOf(fromSequelize({} as ModelStatic<Article>, {}, { by: ['-title', 'id'] })).toEqualTypeOf<PageSource<Article>>()
  })

  it('refuses invalid options and keys', () => {
    // @ts-expect-error a page sets it itself
    fromSequelize(Article, { limit: 5 })
    // @ts-expect-error nullable
    fromSequelize(Article, {}, { by: ['score', 'id'] })
    fromSequelize(Article, {}, { by: ['-score', 'id'], nullable: ['score'] })
    // @ts-expect-error no such attribute
    fromSequelize(Article, {}, { by: ['id'], nullable: ['scores'] })
    // @ts-expect-error no attribute
    fromSequelize(Article, {}, { by: ['save'] })
  })
})

describe('fromMongoose', () => {
  const posts = {} as MongooseModel<{ title: string; score: number | null; author: { name: string } }>

  it('returns the documents', () => {
    const query = posts.find().sort('_id')
    expectTypeOf(paginate(fromMongoose(query), 20)).toEqualTypeOf<Promise<Page<Awaited<typeof query>[number]>>>()
    expectTypeOf(fromMongoose(posts.find().lean(), { by: ['-title', 'author.name', '_id'] }))
      .toExtend<PageSource<{ title: string; score: number | null; _id: Types.ObjectId }>>()
  })

  it('refuses other arguments and invalid keys', () => {
    // @ts-expect-error one document
    fromMongoose(posts.findOne())
    // @ts-expect-error nullable
    fromMongoose(posts.find(), { by: ['score', '_id'] })
    fromMongoose(posts.find(), { by: ['-score', '_id'], nullable: ['score'] })
    // @ts-expect-error no such path
    fromMongoose(posts.find(), { by: ['_id'], nullable: ['scores'] })
    // @ts-expect-error a method
    fromMongoose(posts.find(), { by: ['save'] })
  })
})
