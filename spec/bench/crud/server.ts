import express, { type Express } from 'express'
import { Kysely, PostgresDialect, sql, type Generated } from 'kysely'
import pg from 'pg'
import { errorHandler, mountResource, NotFoundError, param, serve, toPage } from 'resourcery'
import { crud } from 'resourcery/crud'
import { kyselyStore } from 'resourcery/kysely'
import { z } from 'zod'

/*
 * The servers of run.ts: `crud`, and the same routes, schemas and replies with handlers that are written by hand. The
 * arguments are the kind and the URL of the database.
 */

export interface Posts {
  posts: {
    id: Generated<number>
    title: string
    body: string
    status: string
    views: Generated<number>
    createdAt: Generated<Date>
  }
}

/** The use of resources by a server since its start. */
export interface Usage {
  /** In microseconds. */
  readonly processorTime: number
  readonly roundTrips: number
}

const Post = z.object({
  id: z.int(),
  title: z.string(),
  body: z.string(),
  status: z.string(),
  views: z.int(),
  createdAt: z.date(),
})
const input = z.object({ title: z.string().min(1).max(200), body: z.string(), status: z.enum(['draft', 'published']) })

const [kind, connectionString] = process.argv.slice(2)
const pool = new pg.Pool({ connectionString, max: 8 })
const db = new Kysely<Posts>({ dialect: new PostgresDialect({ pool }) })
let roundTrips = 0
pool.on('connect', (client) => {
  const query = client.query.bind(client) as (...args: unknown[]) => unknown
  Object.assign(client, { query: (...args: unknown[]) => (roundTrips++, query(...args)) })
})

function mountCrud(app: Express): void {
  mountResource(app, {
    route: '/posts',
    name: 'posts',
    ...crud(kyselyStore(db, 'posts'), {
      input,
      output: Post,
      sort: ['title'],
      order: ['-id'],
      filters: { status: { eq: z.string() } },
    }),
  })
}

function mountByHand(app: Express): void {
  const id = param.int()
  const query = z.object({
    page: param.int().min(1).default(1),
    limit: param.int().min(1).max(100).default(20),
    status: z.string().optional(),
  })
  mountResource(app, {
    route: '/posts',
    name: 'posts',
    handlers: {
      list: {
        input: query,
        output: z.array(Post),
        handler: async (_req, _res, { page, limit, status }) => {
          const all = db.selectFrom('posts')
          const found = status === undefined ? all : all.where('status', '=', status)
          const items = await found.selectAll().orderBy('id', 'desc').limit(limit).offset((page - 1) * limit).execute()
          const { total } = await found.select((eb) => eb.fn.countAll<string>().as('total')).executeTakeFirstOrThrow()
          return toPage(items, { total: Number(total), page, limit })
        },
      },
      show: {
        input: z.object({ id }),
        output: Post,
        handler: async (_req, _res, args) => {
          const row = await db.selectFrom('posts').selectAll().where('id', '=', args.id).executeTakeFirst()
          if (row === undefined) throw new NotFoundError()
          return row
        },
      },
      create: {
        input,
        output: Post,
        message: 'Created',
        handler: (_req, _res, fields) => db.insertInto('posts').values(fields).returningAll().executeTakeFirstOrThrow(),
      },
      store: {
        input: input.partial().extend({ id }),
        output: Post,
        message: 'Saved',
        handler: async (_req, _res, { id: key, ...changes }) => {
          const row = await db.updateTable('posts').set(changes).where('id', '=', key).returningAll().executeTakeFirst()
          if (row === undefined) throw new NotFoundError()
          return row
        },
      },
    },
  })
}

const app = express()
if (kind === 'crud') mountCrud(app)
else mountByHand(app)
const { url, close } = await serve(app.use(errorHandler()), { port: 0, host: '127.0.0.1', signals: false })
await sql`select 1`.execute(db)

process.on('message', () => {
  const { user, system } = process.cpuUsage()
  process.send?.({ processorTime: user + system, roundTrips } satisfies Usage)
})
process.on('disconnect', () => void close().then(() => db.destroy()))
process.send?.(url)
