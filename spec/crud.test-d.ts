import { Router, type Request } from 'express'
import { describe, expectTypeOf, it } from 'vitest'
import { z } from 'zod'
import { crud, filter, memoryStore, type Store, type Where } from 'resourcery/crud'
import { param } from 'resourcery'
import { mountResource } from 'resourcery'
import type { Client } from 'resourcery/client'

interface Post {
  id: number
  title: string
  status: number
  publishedAt: Date | null
  secret: string
}

const posts = memoryStore<Post>({ key: 'id', unique: ['title'] })
const In = z.object({ title: z.string(), status: param.int().default(1) })
const Out = z.object({ id: z.int(), title: z.string(), status: z.int() })
const base = { input: In, output: Out }

describe('crud', () => {
  it('returns handlers that mount as a whole, in part, or with replacements', () => {
    const router = Router()
    const made = crud(posts, base)
    mountResource(router, { route: '/posts', name: 'posts', ...made })
    mountResource(router, { route: '/teams/:team/posts', name: 'posts', actions: ['list'], ...made })
    mountResource(router, {
      route: '/posts', name: 'posts',
      handlers: { ...made.handlers, show: (_req, _res, { id }) => id.toUpperCase(), create: { ...made.handlers.create, message: 'Written', summary: 'Write' } },
      custom: { ...made.custom, count: { methods: ['GET'], route: '/count', handler: () => 5 } },
    })
    // @ts-expect-error there is no such action
    mountResource(router, { route: '/posts', name: 'posts', handlers: { ...made.handlers, remove: () => null } })
  })

  it('types the meta of a list, and its page', () => {
    crud(posts, { ...base, custom: { ping: { methods: 'POST', route: '/ping', handler: () => 1 } } })
    crud(posts, {
      ...base,
      listMeta: (req, page) => {
        expectTypeOf(req).toEqualTypeOf<Request>()
        expectTypeOf(page.items).toEqualTypeOf<z.input<typeof Out>[]>()
        return { titles: page.items.map(({ title }) => title) }
      },
    })
    crud(posts, { ...base, listMeta: async () => Promise.resolve({ took: 1 }) })
    // @ts-expect-error the page has its total
    crud(posts, { ...base, listMeta: () => ({ total: 1 }) })
    // @ts-expect-error no object
    crud(posts, { ...base, listMeta: () => 5 })
  })

  it('has the custom actions of the given options only', () => {
    const router = Router()
    const made = crud(posts, { ...base, bulk: true })
    mountResource(router, { route: '/teams/:team/posts', name: 'posts', ...made })
    mountResource(router, { route: '/posts', name: 'posts', ...made, custom: { ...made.custom, createMany: { ...made.custom.createMany, body: { limit: 1_000_000 } } } })
    expectTypeOf<keyof typeof made.custom>().toEqualTypeOf<'createMany' | 'updateMany'>()
    const one = crud(posts, { ...base, bulk: ['updateMany'] })
    mountResource(router, { route: '/posts', name: 'posts', ...one })
    expectTypeOf<keyof typeof one.custom>().toEqualTypeOf<'updateMany'>()
    expectTypeOf<Parameters<typeof one.custom.updateMany.handler>[2]>().toEqualTypeOf<{ ids: number[]; data: Partial<{ title: string; status: number }> }>()
    expectTypeOf(crud(posts, base).custom).toEqualTypeOf<Record<never, never>>()
    // @ts-expect-error `bulk` is not set
    mountResource(router, { route: '/posts', name: 'posts', custom: { createMany: one.custom.createMany } })
    // @ts-expect-error no such action
    crud(posts, { ...base, bulk: ['deleteAll'] })
    // @ts-expect-error no such option
    crud(posts, { ...base, bluk: true })
  })

  it('ties the columns of export and import to output and input, and adds their actions', () => {
    const router = Router()
    const made = crud(posts, { ...base, export: { columns: ['id', 'title'] }, import: true })
    mountResource(router, { route: '/posts', name: 'posts', ...made })
    expectTypeOf<keyof typeof made.custom>().toEqualTypeOf<'export' | 'import'>()
    const { custom } = crud(posts, { ...base, bulk: true, export: { columns: { title: 'Title' } } })
    expectTypeOf<keyof typeof custom>().toEqualTypeOf<'createMany' | 'updateMany' | 'export'>()
    expectTypeOf(custom.export.handler).returns.toEqualTypeOf<Promise<void>>()
    crud(posts, { ...base, import: { columns: { title: 'Title' }, partial: true } })
    // @ts-expect-error not a field of the output
    crud(posts, { ...base, export: { columns: ['id', 'secret'] } })
    // @ts-expect-error not a field of the input
    crud(posts, { ...base, import: { columns: { id: 'No' } } })
    // @ts-expect-error no such option
    crud(posts, { ...base, export: { pages: 3 } })
  })

  it('adds the actions of soft deletion, whose field must be a nullable date', () => {
    const router = Router()
    const made = crud(posts, { ...base, bulk: ['createMany'], softDelete: { field: 'publishedAt', unique: ['title'], allows: 'shop.posts.manage' } })
    mountResource(router, { route: '/posts', name: 'posts', ...made })
    mountResource(router, { route: '/drafts', name: 'drafts', ...made, custom: { ...made.custom, restore: { ...made.custom.restore, summary: 'Bring back' } } })
    mountResource(router, { route: '/deleted', name: 'deleted', ...crud(posts, { ...base, softDelete: { field: 'publishedAt', allows: (req) => req.auth?.role === 'boss' } }) })
    expectTypeOf<keyof typeof made.custom>().toEqualTypeOf<'createMany' | 'restore' | 'purge'>()
    expectTypeOf<Parameters<typeof made.custom.restore.handler>[2]>().toEqualTypeOf<{ id: number }>()
    // @ts-expect-error there is no restore without softDelete
    expectTypeOf(crud(posts, base).custom.restore).toBeNever()
    // @ts-expect-error a string field
    crud(posts, { ...base, softDelete: { field: 'title' } })
    // @ts-expect-error not a field
    crud(posts, { ...base, softDelete: { field: 'publishedAt', unique: ['tilte'] } })
    // @ts-expect-error without a field
    crud(posts, { ...base, softDelete: {} })
    // @ts-expect-error no such option
    crud(posts, { ...base, softDelete: { field: 'publishedAt', allow: () => true } })
  })

  it('types the row that a custom action loads, and its path arguments', () => {
    const folder = z.object({ name: z.string() })
    const folders = crud(memoryStore<{ id: string; name: string }>({ key: 'id' }), { id: z.string(), input: folder, output: folder })
    const made = crud(memoryStore<Post & { folderId: string }>({ key: 'id' }), {
      ...base, parent: { arg: 'folderId', column: 'folderId', of: folders },
      custom: {
        file: {
          route: '/:id/parts/:part', load: true, output: z.string(),
          handler: (_req, _res, args, row) => {
            expectTypeOf(args).toEqualTypeOf<{ folderId: string; id: number; part: string }>()
            expectTypeOf(row).toEqualTypeOf<Post & { folderId: string }>()
            return row.secret
          },
        },
        size: {
          route: '/size',
          handler: (_req, _res, args) => {
            expectTypeOf(args).toEqualTypeOf<{ folderId: string }>()
          },
        },
        rules: {
          methods: 'POST', route: '/:id/rules', input: { text: ['required', 'Text is required'] }, load: false,
          handler: (_req, _res, args) => {
            expectTypeOf(args).toEqualTypeOf<{ folderId: string; id: number; text: unknown }>()
          },
        },
      },
    })
    const mounted = mountResource(Router(), { route: '/folders/:folderId/posts', name: 'posts', ...made })
    expectTypeOf(mounted).not.toBeAny()
    expectTypeOf<Parameters<Client<{ posts: typeof mounted }>['posts']['file']>[0]>().toEqualTypeOf<{ folderId: string; id: number; part: string | number }>()
    // @ts-expect-error without `load` there is no row
    crud(posts, { ...base, custom: { file: { route: '/:id/file', handler: (_req, _res, _args, row) => row } } })
    // @ts-expect-error the result is not the output
    crud(posts, { ...base, custom: { file: { route: '/:id/file', load: true, output: z.int(), handler: (_req, _res, _args, row) => row.title } } })
    // @ts-expect-error no such value
    crud(posts, { ...base, custom: { file: { route: '/:id/file', load: 'row', handler: () => 1 } } })
  })

  it('merges custom actions with inferred arguments, and knows the names of all actions', () => {
    const router = Router()
    const made = crud(posts, {
      ...base, bulk: ['createMany'],
      custom: {
        publish: {
          methods: ['POST'], route: '/:id/publish', input: z.object({ at: param.date() }), output: z.object({ done: z.boolean() }),
          handler: (_req, _res, args) => {
            expectTypeOf(args).toEqualTypeOf<{ id: number; at: Date }>()
            return { done: true }
          },
        },
      },
      perAction: { list: { auth: 'optional', can: false, summary: 'All posts' }, createMany: { tags: ['Bulk'] }, publish: { doc: false } },
    })
    expectTypeOf<keyof typeof made.custom>().toEqualTypeOf<'createMany' | 'publish'>()
    mountResource(router, { route: '/posts', name: 'posts', ...made })
    expectTypeOf(made.custom.publish.handler).parameter(2).toEqualTypeOf<{ id: number; at: Date }>()
    // @ts-expect-error not the output
    crud(posts, { ...base, custom: { count: { methods: ['GET'], route: '/count', output: z.int(), handler: () => 'five' } } })
    // @ts-expect-error there is no such action
    crud(posts, { ...base, perAction: { updateMany: { summary: 'Many' } } })
    // @ts-expect-error not metadata
    crud(posts, { ...base, perAction: { list: { output: z.null() } } })
  })

  it('accepts hooks that return optional fields', () => {
    const Loose = z.object({ title: z.string().optional(), status: param.int().optional(), publishedAt: param.date().nullable().optional() })
    crud(posts, {
      input: Loose, output: Out,
      before: {
        create: (fields) => ({ ...fields, secret: 'x' }),
        edit: (fields) => ({ ...fields, publishedAt: new Date() }),
        store: async (changes) => Promise.resolve({ ...changes, publishedAt: new Date() }),
      },
    })
    crud(posts, { ...base, bulk: true, before: { store: (changes) => ({ ...changes, publishedAt: new Date() }) } })
    // @ts-expect-error a status is a number
    crud(posts, { ...base, before: { store: (changes) => ({ ...changes, status: 'open' }) } })
    // @ts-expect-error a title is never null
    crud(posts, { ...base, before: { store: (changes) => ({ ...changes, title: null }) } })
  })

  it('passes the database of the store to a transform', () => {
    crud(posts, { ...base, transform: (row, _req, { db }) => {
      expectTypeOf(db).toEqualTypeOf<undefined>()
      return row
    } })
  })

  it('accepts only fields of the input for unique constraints', () => {
    crud(posts, { ...base, conflicts: { posts_title_key: { field: 'title', message: 'Another post has this title' } } })
    // @ts-expect-error not a field of the input
    crud(posts, { ...base, conflicts: { posts_secret_key: { field: 'secret' } } })
    crud(posts, { ...base, conflicts: { comments_post_fkey: { message: 'The post has comments' } } })
    // @ts-expect-error -- neither a field nor a message
    crud(posts, { ...base, conflicts: { comments_post_fkey: {} } })
  })

  it('accepts a nullable parent field of the type of the key only', () => {
    const rows = memoryStore<Post & { replyTo: number | null; slug: string | null }>({ key: 'id' })
    crud(rows, { ...base, tree: { parent: 'replyTo', onDelete: 'reparent', depth: 3, size: 50 } })
    crud(rows, { ...base, id: z.string(), tree: { parent: 'slug', onDelete: 'cascade' } })
    // @ts-expect-error never null
    crud(rows, { ...base, tree: { parent: 'status', onDelete: 'restrict' } })
    // @ts-expect-error a string field, although keys are numbers
    crud(rows, { ...base, tree: { parent: 'slug', onDelete: 'restrict' } })
    // @ts-expect-error `onDelete` is required
    crud(rows, { ...base, tree: { parent: 'replyTo' } })
    // @ts-expect-error no such policy
    crud(rows, { ...base, tree: { parent: 'replyTo', onDelete: 'drop' } })
  })

  it('types the arguments of handlers and hooks', () => {
    crud(posts, {
      ...base,
      before: {
        create: (fields) => {
          expectTypeOf(fields).toEqualTypeOf<{ title: string; status: number }>()
          return { ...fields, secret: 'x' }
        },
        store: (changes, { row }) => {
          expectTypeOf(changes).toEqualTypeOf<Partial<{ title: string; status: number }>>()
          expectTypeOf(row).toEqualTypeOf<Post>()
        },
      },
      check: (row, { action }) => {
        expectTypeOf(row).toEqualTypeOf<Post>()
        expectTypeOf(action).toExtend<string>()
      },
      customFilters: { recent: filter(param.bool(), (recent) => {
        expectTypeOf(recent).toEqualTypeOf<boolean>()
        return [['status', '=', 1]]
      }) },
    })
    expectTypeOf(crud(posts, base).handlers.create.input).toEqualTypeOf<typeof In>()
  })

  it('accepts only columns of the row in its options', () => {
    crud(posts, { ...base, sort: ['title'], order: ['-status'], search: ['title'], filters: { status: { eq: param.int() }, publishedAt: { range: param.date() } } })
    // @ts-expect-error no such column
    crud(posts, { ...base, sort: ['tilte'] })
    crud(posts, { ...base, sort: ['publishedAt'], order: ['-publishedAt'] })
    // @ts-expect-error only string columns are searched
    crud(posts, { ...base, search: ['status'] })
    // @ts-expect-error no such column
    crud(posts, { ...base, filters: { state: { eq: z.string() } } })
    // @ts-expect-error -- `eq`, `oneOf` and `contains` read one parameter
    crud(posts, { ...base, filters: { status: { range: param.int(), oneOf: param.int(), eq: param.int() } } })
    // @ts-expect-error -- `eq`, `oneOf` and `contains` read one parameter
    crud(posts, { ...base, filters: { title: { contains: true, eq: z.string() } } })
    // @ts-expect-error -- `contains` searches strings
    crud(posts, { ...base, filters: { status: { contains: true } } })
    crud(posts, { ...base, filters: {
      title: { contains: true, ne: z.string() }, status: { oneOf: param.int(), range: param.int() }, publishedAt: { isNull: true },
    } })
    // @ts-expect-error a status is a number
    crud(posts, { ...base, filters: { status: { eq: z.string() } } })
    // @ts-expect-error no such option
    crud(posts, { ...base, serach: ['title'] })
    // @ts-expect-error a scope of another type
    crud(posts, { ...base, scope: () => [['status', '=', 'open']] })
    // @ts-expect-error `output` is required
    crud(posts, { input: In })
  })

  it('ties a filter of one\'s own to the row, wherever it is written', () => {
    const mine = filter(param.bool(), (wanted, req) => (wanted ? [['status', '=', Number(req.auth?.id)]] : []))
    const open = filter(z.string(), async (text) => {
      await Promise.resolve()
      return [{ any: [[['title', '=', text]], [['status', '<', 3]]] }]
    })
    crud(posts, { ...base, customFilters: { mine, open, some: filter(z.string(), (): Where<Post> => []) } })
    const misspelt = filter(param.bool(), () => [['stauts', '=', 1]])
    // @ts-expect-error no such column
    crud(posts, { ...base, customFilters: { misspelt } })
    // @ts-expect-error no such column
    crud(posts, { ...base, customFilters: { mine: filter(param.bool(), () => [['stauts', '=', 1]]) } })
    // @ts-expect-error a status is a number
    crud(posts, { ...base, customFilters: { mine: filter(z.string(), (text) => [['status', '=', text]]) } })
    // @ts-expect-error a number is not searched
    crud(posts, { ...base, customFilters: { mine: filter(z.string(), (text) => [['status', 'contains', text]]) } })
  })

  it('accepts rules of the fields of row, input and output, those of `include` too', () => {
    const output = Out.extend({ author: z.string().optional(), words: z.int().optional() })
    const include = { author: () => new Map<number, string>(), words: () => new Map<number, number>() }
    const rules = { secret: { read: 'desk.secrets' }, author: { read: 'desk.authors' }, words: { read: () => true } }
    crud(posts, { input: In, output, include, fields: rules })
    // @ts-expect-error no such field
    crud(posts, { input: In, output, include, fields: { auhtor: { read: 'desk.authors' } } })
  })

  it('takes no undefined for an option that protects rows or fields', () => {
    crud(posts, { ...base, sort: undefined, filters: undefined, transform: undefined, before: undefined })
    // @ts-expect-error rows would not be checked
    crud(posts, { ...base, check: undefined })
    // @ts-expect-error all rows would exist for each caller
    crud(posts, { ...base, scope: undefined })
    // @ts-expect-error each caller would read and write each field
    crud(posts, { ...base, fields: undefined })
    // @ts-expect-error rows would be deleted
    crud(posts, { ...base, softDelete: undefined })
    // @ts-expect-error the rows of another parent would be reached
    crud(posts, { ...base, parent: undefined })
    // @ts-expect-error a row could refer to one that the caller cannot reach
    crud(posts, { ...base, references: undefined })
  })

  it('types conditions by the fields of the row', () => {
    expectTypeOf<[['title', 'contains', string]]>().toExtend<Where<Post>>()
    expectTypeOf<[['publishedAt', '=', null]]>().toExtend<Where<Post>>()
    expectTypeOf<[['status', 'contains', string]]>().not.toExtend<Where<Post>>()
    expectTypeOf<[['status', '>', null]]>().not.toExtend<Where<Post>>()
    expectTypeOf(posts).toExtend<Store<Post>>()
  })
})

describe('a nested crud resource', () => {
  interface Comment { id: number; ticketId: number; text: string }
  interface Ticket { id: string; customerId: number }
  const tickets = memoryStore<Ticket>({ key: 'id' })
  const comments = memoryStore<Comment>({ key: 'id' })
  const CommentOut = z.object({ id: z.int(), ticketId: z.int(), text: z.string() })
  const Text = CommentOut.pick({ text: true })

  it('passes the path arguments of all levels to its handlers', () => {
    const ofTickets = crud(tickets, { id: z.string(), input: z.object({}), output: z.object({ id: z.string() }), parent: { arg: 'customerId', column: 'customerId' } })
    const made = crud(comments, { input: Text, output: CommentOut, bulk: true, parent: { arg: 'ticketId', column: 'ticketId', of: ofTickets } })
    expectTypeOf<Parameters<typeof made.handlers.show.handler>[2]>().toEqualTypeOf<{ id: number } & Record<'ticketId', string> & Omit<{ id: string } & Record<'customerId', number>, 'id'>>()
    expectTypeOf<Parameters<typeof made.handlers.create.handler>[2]['ticketId']>().toEqualTypeOf<string>()
    expectTypeOf<Parameters<typeof made.handlers.list.handler>[2]['customerId']>().toEqualTypeOf<number>()
    expectTypeOf<Parameters<typeof made.handlers.deleteMany.handler>[2]['ticketId']>().toEqualTypeOf<string>()
    expectTypeOf<Parameters<typeof made.custom.createMany.handler>[2]['ticketId']>().toEqualTypeOf<string>()
    mountResource(Router(), { route: '/customers/:customerId/tickets/:ticketId/comments', name: 'comments', ...made })
  })

  it('types the argument by `id`, and accepts a scope with a store', () => {
    const made = crud(comments, { input: Text, output: CommentOut, parent: { arg: 'ticketId', column: 'ticketId', id: z.string(), of: tickets, scope: (req) => [['customerId', '=', Number(req.auth?.id)]] } })
    expectTypeOf(made.handlers.store.handler).parameter(2).toHaveProperty('ticketId').toEqualTypeOf<string>()
    const plain = crud(comments, { input: Text, output: CommentOut, parent: false })
    expectTypeOf(plain.handlers.show.handler).parameter(2).toEqualTypeOf<{ id: number }>()
  })

  it('refuses a parent column that does not exist or that `input` writes', () => {
    // @ts-expect-error there is no such column
    crud(comments, { input: Text, output: CommentOut, parent: { arg: 'ticketId', column: 'ticket' } })
    // @ts-expect-error `input` writes it
    crud(comments, { input: CommentOut.pick({ text: true, ticketId: true }), output: CommentOut, parent: { arg: 'ticket', column: 'ticketId' } })
    // @ts-expect-error neither a resource nor a store
    crud(comments, { input: Text, output: CommentOut, parent: { arg: 'ticketId', column: 'ticketId', of: 'tickets' } })
  })
})

describe('`aggregates` of crud', () => {
  it('take columns that may hold numbers', () => {
    mountResource(Router(), { route: '/posts', name: 'posts', ...crud(posts, { ...base, aggregates: { status: 'sum' } }) })
    // @ts-expect-error a date
    crud(posts, { ...base, aggregates: { publishedAt: 'sum' } })
    // @ts-expect-error no such column
    crud(posts, { ...base, aggregates: { total: 'sum' } })
    // @ts-expect-error no such function
    crud(posts, { ...base, aggregates: { status: 'avg' } })
  })
})

describe('`include` of crud', () => {
  const WithAuthor = Out.extend({ author: z.string().optional(), words: z.int().optional() })

  it('passes rows to its functions, and adds its names to the list and the record', () => {
    const made = crud(posts, {
      input: In, output: WithAuthor, paramNames: { include: 'with' },
      include: {
        author: (rows, { db, req }) => {
          expectTypeOf(rows).toEqualTypeOf<readonly Post[]>()
          expectTypeOf(req.path).toEqualTypeOf<string>()
          return new Map(rows.map(({ id, title }) => [id, `${title}${typeof db}`]))
        },
      },
    })
    expectTypeOf<z.input<typeof made.handlers.show.input>>().toEqualTypeOf<
      { id: string | number } & { readonly with?: 'author' | `author,${string}` | readonly 'author'[] | undefined }
    >()
    mountResource(Router(), { route: '/posts', name: 'posts', ...made })
    expectTypeOf(crud(posts, base).handlers.show.input).toExtend<z.ZodObject>()
  })

  it('refuses a field that is required or missing, and values of another type', () => {
    // @ts-expect-error `title` is required in `output`
    crud(posts, { input: In, output: WithAuthor, include: { title: () => new Map() } })
    // @ts-expect-error no such field
    crud(posts, { input: In, output: WithAuthor, include: { comments: () => new Map() } })
    // @ts-expect-error words are counted
    crud(posts, { input: In, output: WithAuthor, include: { words: (rows) => new Map(rows.map(({ id }) => [id, 'three'])) } })
  })
})

describe('the option `filters` of crud', () => {
  const rows = memoryStore<{ id: number; title: string }>({ key: 'id' })
  const options = { input: z.object({ title: z.string() }), output: z.object({ id: z.int(), title: z.string() }) }

  it('refuses a kind that does not exist', () => {
    crud(rows, { ...options, filters: { title: { contains: true, ne: z.string() }, id: { oneOf: z.int() } } })
    // @ts-expect-error no such kind
    crud(rows, { ...options, filters: { title: { cntains: true } } })
    // @ts-expect-error no such kind beside another
    crud(rows, { ...options, filters: { title: { cntains: true, eq: z.string() } } })
  })
})

describe('literals in what the functions of crud return', () => {
  const jobs = memoryStore<{ id: number; state: 'open' | 'done' }>({ key: 'id' })
  const output = z.object({ id: z.int(), state: z.enum(['open', 'done']) })
  const options = { input: z.object({ id: z.int() }), output }

  it('fit an enum of the output or of the row', () => {
    mountResource(Router(), { route: '/jobs', name: 'jobs', ...crud(jobs, { ...options, transform: (row) => ({ ...row, state: 'open' }) }) })
    mountResource(Router(), { route: '/jobs', name: 'jobs', ...crud(jobs, { ...options, transform: async () => ({ id: 1, state: 'open' }) }) })
    crud(jobs, { ...options, transform: () => ({ id: 1, state: 'done' }), before: { create: () => ({ state: 'open' }), store: async () => ({ state: 'done' }) } })
    crud(jobs, { ...options, members: { close: { change: () => ({ state: 'done' }) }, look: { output: output.pick({ state: true }), run: () => ({ state: 'open' }) } } })
    crud(jobs, { ...options, custom: { first: { route: '/first', output, handler: async () => ({ id: 1, state: 'open' }) } } })
  })

  it('refuses another literal', () => {
    // @ts-expect-error no such state
    crud(jobs, { ...options, transform: (row) => ({ ...row, state: 'closed' }) })
    // @ts-expect-error no such state
    crud(jobs, { ...options, members: { look: { output: output.pick({ state: true }), run: () => ({ state: 'closed' }) } } })
    // @ts-expect-error no such state
    crud(jobs, { ...options, custom: { first: { route: '/first', output, handler: () => ({ id: 1, state: 'closed' }) } } })
  })
})
