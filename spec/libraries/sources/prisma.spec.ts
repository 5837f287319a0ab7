import { PrismaPg } from '@prisma/adapter-pg'
import { beforeAll, describe, expect, it } from 'vitest'
import { paginate } from 'resourcery'
import { fromPrisma } from 'resourcery/prisma'
import { openPostgres, type EmbeddedPostgres } from './embedded-postgres.js'
import { PrismaClient } from '../generated/sources/client.js'
import { ids, pageOf, sourceSuite, walk } from './suite.js'

describe('fromPrisma on Prisma 7 and PGlite', () => {
  let server: EmbeddedPostgres
  let prisma: PrismaClient

  beforeAll(async () => {
    server = await openPostgres()
    prisma = new PrismaClient({ adapter: new PrismaPg({ connectionString: server.url, max: 1 }) })
    return async () => {
      await prisma.$disconnect()
      await server.close()
    }
  })

  sourceSuite({
    step: 'millisecond',
    pglite: () => server.pglite,
    ordered: () => fromPrisma(prisma.post, { orderBy: { id: 'asc' } }),
    keyed: (by) => fromPrisma(prisma.post, {}, { by: by as ['id'] }),
    scored: (by) => fromPrisma(prisma.post, {}, { by: by as ['id'], nullable: ['score'] }),
    isFirstOnly: true,
  })

  it('counts the same rows', async () => {
    const news = fromPrisma(prisma.post, { where: { category: 'news' }, orderBy: [{ title: 'asc' }, { id: 'asc' }] })
    expect(await pageOf(news)).toEqual([2, 8])
    const authored = { where: { author: { name: 'Bob' } }, include: { author: true }, orderBy: { id: 'asc' } } as const
    expect(await pageOf(fromPrisma(prisma.post, authored))).toEqual([2, 11])
    const authors = fromPrisma(prisma.user, { include: { posts: true, _count: true }, orderBy: { name: 'asc' } })
    const { items, total } = await paginate(authors, 2)
    expect([items.map(({ posts, _count }) => [posts.length, _count.posts]), total]).toEqual([[[12, 12], [11, 11]], 3])
  })

  it('reads inside a transaction', async () => {
    const rollback = prisma.$transaction(async (tx) => {
      await tx.post.deleteMany({ where: { category: 'news' } })
      expect(await pageOf(fromPrisma(tx.post, { orderBy: { id: 'asc' } }))).toEqual([2, 15])
      throw new Error('back')
    })
    await expect(rollback).rejects.toThrow('back')
  })

  it('pages by cursor through conditions, relations and selections', async () => {
    const either = { where: { OR: [{ category: 'news' }, { category: 'art' }] }, include: { author: true } }
    const posts = fromPrisma(prisma.post, either, { by: ['title', 'id'] })
    expect(await walk(posts, 3)).toEqual(ids((await paginate(posts, 100)).items))
    expect(await walk(posts, 3)).toHaveLength(16)
    const selected = fromPrisma(prisma.post, { select: { id: true, title: true } }, { by: ['-title', 'id'] })
    expect(await walk(selected, 3)).toEqual(ids((await paginate(selected, 100)).items))
  })

  it.each<[code: string, fault: string, misuse: () => unknown]>([
    ['prisma_query', 'another value is given', () => fromPrisma([] as never)],
    ['prisma_query', 'null or undefined is given', () => fromPrisma(undefined as never)],
    [
      'prisma_query',
      'the arguments have a limit',
      () => fromPrisma(prisma.post, { take: 5, orderBy: { id: 'asc' } } as object),
    ],
    [
      'prisma_query',
      'the arguments have an offset',
      () => fromPrisma(prisma.post, { skip: 5, orderBy: { id: 'asc' } } as object),
    ],
    ['prisma_query', 'the arguments are distinct', () => (
      fromPrisma(prisma.post, { distinct: ['title'], orderBy: { id: 'asc' } } as object)
    )],
    ['prisma_order', 'there is no order', () => fromPrisma(prisma.post)],
    ['prisma_order', 'there is an empty order', () => fromPrisma(prisma.post, { orderBy: [] })],
    [
      'prisma_order',
      'there are two orders',
      () => fromPrisma(prisma.post, { orderBy: { title: 'asc' } }, { by: ['id'] }),
    ],
    ['prisma_order', 'a later key is nullable', () => (
      fromPrisma(prisma.post, {}, { by: ['title', 'score', 'id'], nullable: ['score'] })
    )],
    ['prisma_cursor', 'a cursor is asked without keys', () => (
      paginate(fromPrisma(prisma.post, { orderBy: { id: 'asc' } }), { cursor: '', limit: 3 })
    )],
    ['prisma_key', 'a key is null', () => (
      paginate(fromPrisma(prisma.post, {}, { by: ['-score' as 'id', 'id'] }), { cursor: '', limit: 3 })
    )],
    ['prisma_key', 'a key is not selected', () => (
      paginate(fromPrisma(prisma.post, { select: { title: true } }, { by: ['id'] }), { cursor: '', limit: 3 })
    )],
  ])('throws %s if %s', async (code, _fault, misuse) => {
    await expect(Promise.resolve().then(misuse)).rejects.toMatchObject({
      code,
      message: expect.stringMatching(/^\S+ .+\.$/) as string,
    })
  })
})
