import { Router } from 'express'
import { mountRoutes, resource, type Mounted } from 'resourcery'
import { createClient, type Client, type FailureReason, type FieldErrors, type Result } from 'resourcery/client'
import { describe, expectTypeOf, it } from 'vitest'
import { z } from 'zod'
import type { Api, pages } from './client/api.js'

declare const options: Parameters<typeof createClient>[0]
declare function connect<U extends Mounted<'users'>, R extends Mounted<'reports'>>(users: U, reports: R): Client<{ users: U; reports: R }>
declare function clientOf<N extends Mounted<'notes'>>(notes: N): Client<{ notes: N }>
const api = createClient<Api>(options)
const router = Router()
interface Post { id: number; title: string; status: number; publishedAt: string | null }

describe('the types of a client', () => {
  it('types the data of each action with dates as strings, and narrows it by `ok`', async () => {
    const reply = await api.posts.show({ id: 1 })
    expectTypeOf(reply).toEqualTypeOf<Result<Post>>()
    if (reply.ok) expectTypeOf(reply.data).toEqualTypeOf<Post>()
    else expectTypeOf(reply.data).toEqualTypeOf<FieldErrors | null>()
    expectTypeOf((await api.posts.list()).meta.next).toExtend<unknown>()
    expectTypeOf((await api.posts.create({ title: 'A' }))).toEqualTypeOf<Result<Post>>()
    expectTypeOf((await api.posts.updateMany({ ids: [1], data: { title: 'A' } }))).toEqualTypeOf<Result<Post[]>>()
    expectTypeOf((await api.posts.deleteMany({ ids: [1, 2] }))).toEqualTypeOf<Result<null>>()
    for await (const post of api.posts.all({ limit: 100 })) expectTypeOf(post).toEqualTypeOf<Post>()
  })

  it('narrows a failure by its literal `code`', async () => {
    const reply = await api.posts.create({ title: 'A' })
    if (reply.ok) return
    if (reply.code === 422) expectTypeOf(reply.data).toEqualTypeOf<Record<string, string[]>>()
    if (reply.code === 404) expectTypeOf(reply.data).toEqualTypeOf<null>()
    if (reply.code === 0) expectTypeOf(reply.meta.reason).toEqualTypeOf<'network' | `http_${number}` | undefined>()
    if (reply.code === 401) {
      expectTypeOf(reply.meta.reason).toEqualTypeOf<FailureReason | undefined>()
      expectTypeOf(reply.meta.reason === 'token_expired' || reply.meta.reason === 'user.locked').toEqualTypeOf<boolean>()
      // @ts-expect-error no request fails for this reason
      expectTypeOf(reply.meta.reason === 'token_expird')
    }
    // @ts-expect-error no failure has this code
    expectTypeOf(reply.code === 200)
    // @ts-expect-error no failure has this code either
    expectTypeOf(reply.code === 499)
  })

  it('accepts dates as Date or string, and omitted defaults', () => {
    void api.posts.create({ title: 'A', status: 1, publishedAt: new Date() })
    void api.posts.create({ title: 'A', publishedAt: '2026-11-21' })
    void api.posts.list({ sort: '-title', status: [0, 1], search: 'a', limit: 5, even: true, ids: [1] })
    void api.posts.list({ sort: 'title,-id', status_gte: 1, cursor: '' }, { signal: AbortSignal.abort() })
    void api.echo.body({ id: 1, dry: true, tags: [], on: new Date() })
    void api.echo.place({ shelf: 1, path: ['a', 'b'] })
    void api.echo.upload({ title: 'A', tags: [], photos: [new Blob(['a'])] }, { onUploadProgress: ({ loaded, total }) => loaded / total })
    void api.echo.nothingNeeded()
    void api.echo.nothingNeeded({}, { idempotencyKey: 'a' })
    void api.echo.portrait({ portrait: new Blob(['a']), more: { uri: 'file:a', name: 'a', type: 'image/png' } })
    void api.echo.upload({ title: 'A', tags: [], photos: new Blob(['a']) })
    void api.guarded.delete({ id: 'a' })
    void api.pages.all({ anything: true })
  })

  it('has the names of `include` for a list and a record', () => {
    void api.notes.list({ include: ['words', 'author'], limit: 5 })
    void api.notes.list({ include: 'words,author' })
    void api.notes.all({ include: 'author' })
    void api.notes.show({ id: 1, include: 'words' })
    void api.notes.show({ id: 1 })
  })

  it('has the paging of a list whose schema has none, as in documents', () => {
    const handler = (): object[] => []
    const filtered = resource(router, '/users').list({ input: z.object({ role: z.string() }), handler })
    const paged = mountRoutes(router, {
      route: '/reports', name: 'reports',
      routes: { list: { route: '/:year', input: z.object({ year: z.string(), limit: z.int() }), handler }, days: { route: '/days', input: z.object({ week: z.int() }), handler } },
    })
    const own = connect(filtered, paged)
    void own.users.list({ role: 'admin' })
    void own.users.list({ role: 'admin', page: 2, limit: 5, search: 'a' })
    void own.users.all({ role: 'admin', limit: 100 })
    void own.reports.list({ year: '2026', limit: 5 })
    // @ts-expect-error no such parameter
    void own.users.list({ role: 'admin', size: 5 })
    // @ts-expect-error a schema with a parameter of paging has them all
    void own.reports.list({ year: '2026', limit: 5, page: 2 })
    // @ts-expect-error no list
    void own.reports.days({ week: 1, page: 2 })
  })

  it('types a field of any JSON, also in a list, and a schema that refers to itself', async () => {
    const Tree = z.object({ at: z.date(), get parts() { return z.array(Tree) } })
    const Note = z.object({ extra: z.json(), extras: z.array(z.json()).readonly(), named: z.record(z.string(), z.json()), tree: Tree })
    const notes = resource(router, '/notes').list({ output: z.array(Note), handler: () => [] })
    const reply = await clientOf(notes).notes.list()
    if (!reply.ok) return
    expectTypeOf(reply.data[0]?.extra).toEqualTypeOf<z.core.util.JSONType | undefined>()
    expectTypeOf(reply.data[0]?.extras).toEqualTypeOf<readonly z.core.util.JSONType[] | undefined>()
    expectTypeOf(reply.data[0]?.named.a).toEqualTypeOf<z.core.util.JSONType | undefined>()
    expectTypeOf(reply.data[0]?.tree.parts[0]?.parts[0]?.at).toEqualTypeOf<string | undefined>()
  })

  it('has the actions of a builder and of a group of routes', async () => {
    const users = resource(router, '/users').show({ output: z.object({ at: z.date() }), handler: () => ({ at: new Date() }) })
    const reports = mountRoutes(router, { route: '/reports', routes: { day: { route: '/:day', output: z.array(z.int()), handler: () => [1] } } })
    const own = connect(users, reports)
    expectTypeOf(await own.users.show({ id: 1 })).toEqualTypeOf<Result<{ at: string }>>()
    expectTypeOf(await own.reports.day({ day: '2026-11-21' })).toEqualTypeOf<Result<number[]>>()
  })
})

describe('compile errors of a client', () => {
  it('refuse a wrong action, argument, field or option', async () => {
    // @ts-expect-error no such resource
    expectTypeOf(api.people)
    // @ts-expect-error no such action
    expectTypeOf(api.posts.remove)
    // @ts-expect-error an action that is not mounted
    expectTypeOf(api.guarded.show)
    // @ts-expect-error nothing to iterate over
    expectTypeOf(api.echo.all)
    // @ts-expect-error the path has an id
    void api.posts.show()
    // @ts-expect-error another argument name
    void api.posts.show({ key: 1 })
    // @ts-expect-error not an object
    void api.posts.show({ id: {} })
    // @ts-expect-error no such field
    void api.posts.create({ title: 'A', author: 1 })
    // @ts-expect-error a title is required
    void api.posts.create({ status: 1 })
    // @ts-expect-error a title is a string
    void api.posts.store({ id: 1, title: 5 })
    // @ts-expect-error no such parameter
    void api.posts.list({ statuss: 1 })
    // @ts-expect-error not sortable
    void api.posts.list({ sort: 'status' })
    // @ts-expect-error no such filter
    void api.posts.list({ title: 'A' })
    // @ts-expect-error no such relation
    void api.notes.list({ include: ['comments'] })
    // @ts-expect-error no relation, though a field
    void api.notes.show({ id: 1, include: 'text' })
    // @ts-expect-error a resource without relations
    void api.posts.list({ include: [] })
    // @ts-expect-error a resource without relations
    void api.posts.show({ id: 1, include: 'words' })
    // @ts-expect-error the relations of a change are not chosen
    void api.notes.store({ id: 1, include: 'words' })
    // @ts-expect-error a file
    void api.echo.upload({ title: 'A', tags: [], photos: 'a.png' })
    // @ts-expect-error a file is required
    void api.echo.portrait()
    // @ts-expect-error a file is required
    void api.echo.portrait({ title: 'A' })
    // @ts-expect-error one file, not a list
    void api.echo.portrait({ portrait: [new Blob([])] })
    // @ts-expect-error one file, not a list
    void api.echo.portrait({ portrait: new Blob([]), more: [new Blob([])] })
    // @ts-expect-error no fields
    void api.echo.nothingNeeded({ title: 'A' })
    // @ts-expect-error an object is no id
    void api.posts.deleteMany({ ids: [{}] })
    // @ts-expect-error no such file
    void api.echo.upload({ title: 'A', tags: [], images: new Blob([]) })
    // @ts-expect-error no such option
    void api.posts.list({}, { singal: AbortSignal.abort() })
    const reply = await api.posts.show({ id: 1 })
    // @ts-expect-error `data` may be that of a failure
    expectTypeOf(reply.data.title)
    // @ts-expect-error a renamed field
    if (reply.ok) expectTypeOf(reply.data.headline)
    // @ts-expect-error a date is a string
    if (reply.ok) expectTypeOf(reply.data.publishedAt?.getTime())
  })

  it('refuse a resource under a name other than its own', () => {
    // @ts-expect-error its name is pages
    createClient<{ people: typeof pages }>(options)
    // @ts-expect-error not a resource
    createClient<{ users: number }>(options)
  })
})
