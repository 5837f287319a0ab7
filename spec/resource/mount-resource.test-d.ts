import { Router, type NextFunction } from 'express'
import { describe, expectTypeOf, it } from 'vitest'
import { z } from 'zod'
import * as mini from 'zod/mini'
import { formatData } from 'resourcery'
import { paginate } from 'resourcery'
import { param } from 'resourcery'
import { reply } from 'resourcery'
import { mountResource } from 'resourcery'
import { mountRoutes } from 'resourcery'
import { resource } from 'resourcery'

const router = Router()
const User = z.object({ id: z.number(), name: z.string() })
const NewUser = z.object({ name: z.string(), age: param.int().optional() })

describe('the types inferred from a declaration', () => {
  it('pass path arguments as strings to a plain handler', () => {
    mountResource(router, {
      route: '/orgs/:org/users', name: 'users',
      handlers: {
        list: (req, res, args) => { expectTypeOf(args).toEqualTypeOf<{ org: string }>() },
        show: (req, res, args) => { expectTypeOf(args).toEqualTypeOf<{ org: string; id: string }>() },
      },
    })
  })

  it('let `input` override the path, in any order of properties', () => {
    mountResource(router, {
      handlers: {
        show: { handler: (req, res, { id, org }) => { expectTypeOf(id).toEqualTypeOf<number>(); expectTypeOf(org).toEqualTypeOf<string>() }, input: z.object({ id: param.int() }) },
        create: { input: NewUser, output: User, handler: (req, res, args) => { expectTypeOf(args.age).toEqualTypeOf<number | undefined>(); return { id: 1, name: args.name } } },
        edit: { input: NewUser, query: z.object({ notify: param.bool() }), handler: (req, res, { id, notify }) => { expectTypeOf(id).toEqualTypeOf<string>(); expectTypeOf(notify).toEqualTypeOf<boolean>() } },
      },
      name: 'users', route: '/orgs/:org/users',
    })
  })

  it('infer each custom action separately', () => {
    mountResource(router, {
      route: '/users', name: 'users',
      custom: {
        avatar: { methods: ['POST'], route: '/:id/avatar', handler: (req, res, { id }) => { expectTypeOf(id).toEqualTypeOf<string>() } },
        rename: { methods: ['PUT'], route: '/:id/name', input: z.object({ id: param.int(), name: z.string() }), output: User, handler: (req, res, { id, name }) => ({ id, name }) },
        wild: { methods: ['GET'], route: '/files/*path', handler: (req, res, { path }) => { expectTypeOf(path).toEqualTypeOf<string[]>() } },
      },
    })
  })

  it('infer the routes of a group with one method or several', () => {
    mountRoutes(router, {
      route: '/reports', routes: {
        root: { route: '', handler: (req, res, args) => { expectTypeOf(args).toEqualTypeOf<Record<never, never>>() } },
        day: { route: '/:day', methods: 'POST', input: z.object({ day: param.date() }), handler: (req, res, { day }) => { expectTypeOf(day).toEqualTypeOf<Date>() } },
      },
    })
  })

  it('accept a list, a page, formatted data or a reply for a list', () => {
    const output = z.array(User)
    const users = [{ id: 1, name: 'Ann' }]
    mountResource(router, { route: '/a', name: 'a', handlers: { list: { output, handler: () => users } } })
    mountResource(router, { route: '/b', name: 'b', handlers: { list: { output, handler: () => paginate(users, 20) } } })
    mountResource(router, { route: '/c', name: 'c', handlers: { list: { output, handler: () => paginate(users, { cursor: '', limit: 20 }) } } })
    mountResource(router, { route: '/d', name: 'd', handlers: { list: { output, handler: async () => formatData(await paginate(users, 20), (user) => user) } } })
    mountResource(router, { route: '/e', name: 'e', handlers: { list: { output, handler: () => reply('Here', users) } } })
  })

  it('accept a readonly list', () => {
    const output = z.array(User)
    const users: readonly { id: number; name: string }[] = [{ id: 1, name: 'Ann' }]
    mountResource(router, { route: '/a', name: 'a', handlers: { list: { output, handler: () => users } } })
    mountResource(router, { route: '/b', name: 'b', handlers: { list: { output, handler: async () => Promise.resolve(users) } } })
    mountResource(router, { route: '/c', name: 'c', handlers: { list: { output, handler: () => reply('Here', users) } } })
    mountResource(router, { route: '/d', name: 'd', handlers: { list: { output: output.nullable(), handler: () => users } } })
    mountResource(router, { route: '/e', name: 'e', handlers: { list: { output: z.tuple([User, User]), handler: () => [{ id: 1, name: 'Ann' }, { id: 2, name: 'Bob' }] as const } } })
    mountResource(router, { route: '/f', name: 'f', custom: { all: { methods: ['GET'], route: '/all', output, handler: () => users } } })
  })
})

describe('the compiler', () => {
  it('refuses an unknown path argument', () => {
    // @ts-expect-error there is no `nope` in the path
    mountResource(router, { route: '/users', name: 'users', handlers: { show: (req, res, { nope }) => nope } })
    // @ts-expect-error there is no `nope` here either
    mountResource(router, { route: '/users', name: 'users', custom: { x: { methods: ['GET'], route: '/:id', handler: (req, res, { nope }) => nope } } })
  })

  it('refuses a value that does not fit `output`', () => {
    // @ts-expect-error id is a number
    mountResource(router, { route: '/users', name: 'users', handlers: { show: { output: User, handler: () => ({ id: '1', name: 'Ann' }) } } })
    // @ts-expect-error undefined is not a user
    mountResource(router, { route: '/users', name: 'users', handlers: { show: { output: User, handler: () => undefined } } })
    // @ts-expect-error the page has other items
    mountResource(router, { route: '/users', name: 'users', handlers: { list: { output: z.array(User), handler: () => paginate([1], 20) } } })
    // @ts-expect-error the readonly list has other items
    mountResource(router, { route: '/users', name: 'users', handlers: { list: { output: z.array(User), handler: (): readonly number[] => [1] } } })
    // @ts-expect-error `output` of a custom action is checked too
    mountResource(router, { route: '/users', name: 'users', custom: { x: { methods: ['GET'], route: '/x', output: User, handler: () => 5 } } })
  })

  it('refuses an `input` that is not a zod schema of an object', () => {
    // @ts-expect-error the fields without z.object
    mountResource(router, { route: '/users', name: 'users', handlers: { show: { input: { id: param.int() }, handler: () => 1 } } })
    // @ts-expect-error arguments have names
    mountResource(router, { route: '/users', name: 'users', handlers: { show: { input: z.string(), handler: () => 1 } } })
    // @ts-expect-error a schema of zod/mini
    mountResource(router, { route: '/users', name: 'users', handlers: { create: { input: mini.object({ id: mini.number() }), handler: () => 1 } } })
    // @ts-expect-error a schema of zod/mini in `query`
    mountResource(router, { route: '/users', name: 'users', handlers: { show: { output: mini.number(), handler: () => 1 } } })
    // @ts-expect-error a schema of zod/mini in a custom action
    mountResource(router, { route: '/users', name: 'users', custom: { x: { methods: ['GET'], route: '/x', output: mini.number(), handler: () => 1 } } })
  })

  it('refuses a misspelt action and unknown options', () => {
    // @ts-expect-error lisst
    mountResource(router, { route: '/users', name: 'users', handlers: { lisst: () => [] } })
    // @ts-expect-error actions name default actions
    mountResource(router, { route: '/users', name: 'users', actions: ['lisst'], handlers: { list: () => [] } })
    // @ts-expect-error no such option
    mountResource(router, { route: '/users', name: 'users', guard: [], handlers: { list: () => [] } })
    // @ts-expect-error no such option of an action
    mountResource(router, { route: '/users', name: 'users', handlers: { list: { inptu: User, handler: () => [] } } })
    mountResource(router, { route: '/users', name: 'users', custom: { x: { methods: 'POST', route: '/x', handler: () => [] }, y: { route: '/y', handler: () => [] } } })
    // @ts-expect-error no such method
    mountResource(router, { route: '/users', name: 'users', custom: { x: { methods: 'FETCH', route: '/x', handler: () => [] } } })
    // @ts-expect-error no such method
    mountResource(router, { route: '/users', name: 'users', custom: { x: { methods: ['FETCH'], route: '/x', handler: () => [] } } })
  })

  it('refuses a header without a description, and a status as key of another type', () => {
    // @ts-expect-error the description is missing
    mountResource(router, { route: '/users', name: 'users', handlers: { list: { requestHeaders: { 'If-Match': {} }, handler: () => [] } } })
    // @ts-expect-error a number
    mountResource(router, { route: '/users', name: 'users', custom: { x: { methods: ['GET'], route: '/x', statuses: ['412'], handler: () => [] } } })
  })

  it('refuses next in place of the arguments, and a fourth parameter', () => {
    // @ts-expect-error the arguments are not a function
    mountResource(router, { route: '/users', name: 'users', handlers: { list: (req, res, next: NextFunction) => { next() } } })
    // @ts-expect-error a handler has three
    mountResource(router, { route: '/users', name: 'users', handlers: { list: (req, res, args, next) => { next() } } })
  })

  it('refuses an input other than an object', () => {
    // @ts-expect-error a string schema
    mountResource(router, { route: '/users', name: 'users', handlers: { list: { input: z.string(), handler: () => [] } } })
  })
})

describe('literals in what a handler returns', () => {
  const Job = z.object({ id: z.number(), state: z.enum(['open', 'done']), tags: z.array(z.enum(['new', 'hot'])), level: z.literal([1, 2]), ready: z.literal(true) })

  it('fit an enum and a literal of the output, with and without parameters', () => {
    mountResource(router, {
      route: '/jobs', name: 'jobs',
      handlers: {
        list: { output: z.array(Job), handler: async () => [{ id: 1, state: 'open', tags: ['new'], level: 1, ready: true }] },
        show: { output: Job, handler: () => ({ id: 1, state: 'open', tags: ['new'], level: 1, ready: true }) },
        edit: { output: Job, handler: async (req) => ({ id: req.ips.length, state: 'done', tags: [], level: 2, ready: true }) },
        create: { output: Job.pick({ state: true, tags: true }), handler: () => reply('Created', { state: 'open', tags: ['hot'] }) },
      },
      custom: {
        next: { route: '/next', output: Job, handler: () => ({ id: 1, state: 'open', tags: ['new'], level: 1, ready: true }) },
        last: { route: '/last', output: z.array(Job.pick({ state: true })), handler: async () => formatData([1], () => ({ state: 'done' })) },
      },
    })
    resource(router, '/jobs').get('first', '/first', { output: Job.pick({ state: true }), handler: () => ({ state: 'open' }) })
  })

  it('refuses another literal', () => {
    // @ts-expect-error no such state
    mountResource(router, { route: '/jobs', name: 'jobs', handlers: { show: { output: Job.pick({ state: true }), handler: () => ({ state: 'closed' }) } } })
    // @ts-expect-error no such state
    mountResource(router, { route: '/jobs', name: 'jobs', handlers: { list: { output: z.array(Job.pick({ state: true })), handler: async () => [{ state: 'closed' }] } } })
    // @ts-expect-error no such state
    mountResource(router, { route: '/jobs', name: 'jobs', handlers: { create: { output: Job.pick({ state: true }), handler: () => reply('Created', { state: 'closed' }) } } })
    // @ts-expect-error no such level
    mountResource(router, { route: '/jobs', name: 'jobs', custom: { next: { route: '/next', output: Job.pick({ level: true }), handler: () => ({ level: 3 }) } } })
    // @ts-expect-error a string
    mountResource(router, { route: '/jobs', name: 'jobs', handlers: { show: { output: Job.pick({ id: true }), handler: () => ({ id: '1' }) } } })
    // @ts-expect-error the field is missing
    mountResource(router, { route: '/jobs', name: 'jobs', handlers: { show: { output: Job.pick({ id: true }), handler: () => ({}) } } })
  })

  it('are of any type without an output', () => {
    const mounted = mountResource(router, { route: '/jobs', name: 'jobs', handlers: { show: () => ({ state: 'open' }), list: async () => null, create: { handler: () => undefined } } })
    expectTypeOf(mounted).not.toBeAny()
    expectTypeOf(reply('ok', { id: 1 }).data).toEqualTypeOf<{ id: number }>()
  })
})
