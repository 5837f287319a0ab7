import { Router } from 'express'
import { mountController, mountResource, mountRoutes, param, resource } from 'resourcery'
import { ApiError, createClient, type ManifestRoute, type Success } from 'resourcery/client'
import { crud, memoryStore } from 'resourcery/crud'
import { describe, it } from 'vitest'
import { z } from 'zod'

const router = Router()
interface Order { id: number; customer: string; total: string; amount: bigint; placedAt: Date; state: 'open' | 'paid'; version: number; note: string | null }
interface Line { id: number; orderId: number; product: string; quantity: number }

const ofLines = crud(memoryStore<Line>({ key: 'id' }), {
  input: z.object({ product: z.string(), quantity: param.int() }),
  output: z.object({ id: z.int(), product: z.string(), quantity: z.int() }),
})
const lines = mountResource(router, { route: '/lines', name: 'lines', ...ofLines })
export const orders = mountResource(router, {
  route: '/orders',
  name: 'orders',
  ...crud(memoryStore<Order>({ key: 'id' }), {
    input: z.object({ customer: z.string(), state: z.enum(['open', 'paid']).default('open'), note: z.string().nullable().optional() }),
    output: z.object({ id: z.int(), customer: z.string(), total: z.string(), amount: z.bigint(), placedAt: z.date(), state: z.enum(['open', 'paid']), note: z.string().nullable() }),
    filters: { state: { oneOf: z.enum(['open', 'paid']) } },
    sort: ['placedAt'],
    bulk: true,
    export: true,
    import: true,
    children: { lines: { of: ofLines, column: 'orderId' } },
    members: {
      pay: { input: z.object({ reference: z.string(), at: param.date().optional() }), change: () => ({ state: 'paid' as const }) },
      bare: { change: () => ({ state: 'open' as const }) },
    },
    custom: {
      summary: { methods: ['GET'], route: '/summary/:year', input: z.object({ year: param.int(), currency: z.enum(['EUR', 'USD']) }), output: z.object({ sum: z.bigint() }), handler: () => ({ sum: 1n }) },
    },
  }),
})
export const sessions = mountRoutes(router, {
  route: '/session',
  name: 'session',
  routes: {
    login: { methods: 'POST', route: '/login', input: z.object({ email: z.string(), password: z.string() }), output: z.object({ token: z.string() }), handler: () => ({ token: '' }) },
    me: { route: '/me', output: z.object({ id: z.int() }), handler: () => ({ id: 1 }) },
    avatar: { methods: ['PUT'], route: '/avatar/:size', files: { avatar: { required: true } }, query: z.object({ crop: param.bool().default(false) }), input: z.object({ size: param.int() }), handler: () => null },
    remove: { methods: ['DELETE'], route: '/tokens/:tokenId', handler: () => null },
    invite: { methods: ['POST'], route: '/invite', input: z.union([z.strictObject({ email: z.email() }), z.strictObject({ phone: z.string() })]), handler: () => null },
    remind: { methods: ['POST'], route: '/remind/:userId', input: z.union([z.object({ email: z.email() }), z.object({ phone: z.string() })]), handler: () => null },
  },
})
export const built = resource(router, '/built')
  .list({ output: z.array(z.object({ id: z.int() })), input: z.object({ page: param.int().default(1) }), handler: () => [] })
  .create({ input: z.object({ name: z.string() }), output: z.object({ id: z.int() }), handler: () => ({ id: 1 }) })
  .post('publish', '/:id/publish', {
    input: z.object({ id: param.int(), when: param.calendarDate() }),
    handler: () => null,
  })
void lines
export const things = mountController(router, '/things', { list: () => [] })

interface Api { orders: typeof orders; session: typeof sessions; built: typeof built }
declare const routes: ManifestRoute[]
const api = createClient<Api>({ url: '', routes })
const file = new Blob([])

/* More mistakes, on members, children, custom actions, bulk, builders, groups and replies: each is a type error. */

describe('the calls of a client on all kinds of actions', () => {
  it('compile with what the server takes', () => {
    void api.orders.create({ customer: 'A', lines: [{ product: 'a', quantity: 1 }] })
    void api.orders.pay({ id: 1, reference: 'r' })
    void api.orders.bare({ id: 1 })
    void api.orders.summary({ year: 2026, currency: 'EUR' })
    void api.orders.export({ state: ['open'] })
    void api.session.login({ email: '', password: '' })
    void api.session.me()
    void api.session.avatar({ size: 1, avatar: file, crop: true })
    void api.session.remove({ tokenId: 1 })
    void api.session.invite({ email: 'a@example.com' })
    void api.session.invite({ phone: '1' })
    void api.session.remind({ userId: 1, phone: '1' })
    void api.built.publish({ id: 1, when: '2026-01-01' })
    void api.built.list({ page: 2 })
  })
  it('do not compile with a mistake in an argument', () => {
    // @ts-expect-error no such action
    void api.orders.destroy({ id: 1 })
    // @ts-expect-error no such member
    void api.orders.payy({ id: 1, reference: 'r' })
    // @ts-expect-error an argument of a member is missing
    void api.orders.pay({ id: 1 })
    // @ts-expect-error a reference is a string
    void api.orders.pay({ id: 1, reference: 5 })
    // @ts-expect-error a member has no such argument
    void api.orders.pay({ id: 1, reference: 'r', amount: 3 })
    // @ts-expect-error a member is called for one record
    void api.orders.bare()
    // @ts-expect-error one of the variants is needed
    void api.session.invite({})
    // @ts-expect-error one of the variants is needed, so the argument is
    void api.session.invite()
    // @ts-expect-error no field of any variant
    void api.session.invite({ mail: 'a@example.com' })
    // @ts-expect-error an argument of the path is missing
    void api.session.remind({ phone: '1' })
    // @ts-expect-error no such currency
    void api.orders.summary({ year: 2026, currency: 'GBP' })
    // @ts-expect-error a currency is required
    void api.orders.summary({ year: 2026 })
    // @ts-expect-error no such argument
    void api.orders.summary({ year: 2026, currency: 'EUR', deep: true })
    // @ts-expect-error a quantity is a number
    void api.orders.create({ customer: 'A', lines: [{ product: 'a', quantity: {} }] })
    // @ts-expect-error a child has no such field
    void api.orders.create({ customer: 'A', lines: [{ product: 'a', quantity: 1, colour: 'red' }] })
    // @ts-expect-error a field of a child is missing
    void api.orders.create({ customer: 'A', lines: [{ product: 'a' }] })
    // @ts-expect-error children are a list
    void api.orders.create({ customer: 'A', lines: { product: 'a', quantity: 1 } })
    // @ts-expect-error no such state
    void api.orders.create({ customer: 'A', state: 'closed' })
    // @ts-expect-error a customer is never null
    void api.orders.create({ customer: null })
    // @ts-expect-error no such state to filter by
    void api.orders.list({ state: 'closed' })
    // @ts-expect-error no such state in the list
    void api.orders.list({ state: ['open', 'closed'] })
    // @ts-expect-error no such filter of an export
    void api.orders.export({ stat: 'open' })
    // @ts-expect-error not sortable
    void api.orders.list({ sort: 'customer' })
    // @ts-expect-error ascending has no sign
    void api.orders.list({ sort: '+placedAt' })
    // @ts-expect-error the rows are in `items`
    void api.orders.createMany([{ customer: 'A' }])
    // @ts-expect-error the changes are missing
    void api.orders.updateMany({ ids: [1] })
    // @ts-expect-error ids are a list
    void api.orders.updateMany({ ids: 1, data: { customer: 'A' } })
    // @ts-expect-error a customer is a string
    void api.orders.updateMany({ ids: [1], data: { customer: 1 } })
    // @ts-expect-error a misspelt field
    void api.orders.updateMany({ ids: [1], data: { customr: 'A' } })
    // @ts-expect-error no such field of a row
    void api.orders.createMany({ items: [{ customer: 'A', extra: 1 }] })
    // @ts-expect-error an id is not chosen
    void api.orders.create({ id: 1, customer: 'A' })
    // @ts-expect-error a record has no such argument
    void api.orders.show({ id: 1, deep: true })
    // @ts-expect-error a deletion has no such argument
    void api.orders.delete({ id: 1, force: true })
    // @ts-expect-error arguments are one object
    void api.orders.show(1)
    // @ts-expect-error there are two arguments at most
    void api.orders.show({ id: 1 }, {}, {})
    // @ts-expect-error a header is a string
    void api.orders.show({ id: 1 }, { headers: { a: 1 } })
    // @ts-expect-error a password is required
    void api.session.login({ email: 'a' })
    // @ts-expect-error a misspelt argument
    void api.session.login({ email: 'a', pasword: 'b', password: 'b' })
    // @ts-expect-error a file is required
    void api.session.avatar({ size: 1 })
    // @ts-expect-error an argument of the path is missing
    void api.session.avatar({ avatar: file })
    // @ts-expect-error a query has no objects
    void api.session.avatar({ size: 1, avatar: file, crop: {} })
    // @ts-expect-error an argument of the path is missing
    void api.session.remove()
    // @ts-expect-error an argument of the path is one segment
    void api.session.remove({ tokenId: { a: 1 } })
    // @ts-expect-error the builder has no such action
    void api.built.show({ id: 1 })
    // @ts-expect-error a name is required
    void api.built.create({})
    // @ts-expect-error a calendar date is a string
    void api.built.publish({ id: 1, when: new Date() })
    // @ts-expect-error a day is required
    void api.built.publish({ id: 1 })
    // @ts-expect-error no such parameter
    void api.built.list({ limit: 5 })
  })
  it('do not compile with a mistake in reading a reply', async () => {
    const shown = await api.orders.show({ id: 1 })
    // @ts-expect-error the data of a failure has no fields
    void shown.data.customer
    if (shown.ok) {
      // @ts-expect-error a bigint is a string of digits
      void (shown.data.amount * 2n)
      // @ts-expect-error a date is a string
      void shown.data.placedAt.getFullYear()
      // @ts-expect-error a date is no Date
      const other: Date = shown.data.placedAt
      // @ts-expect-error a note may be null
      void shown.data.note.length
      // @ts-expect-error no such state in a reply
      void (shown.data.state === 'closed')
      // @ts-expect-error a column that is not in `output`
      void shown.data.version
      // @ts-expect-error no success has this code
      void (shown.code === 404)
      // @ts-expect-error no such field of a child
      void shown.data.lines[0].colour
      // @ts-expect-error a total may be missing
      void shown.meta.total.toFixed()
      void other
    } else {
      // @ts-expect-error a failure has no data of a record
      void shown.data.customer
      // @ts-expect-error no failure has this code
      if (shown.code === 299) void 0
      if (shown.code === 422) {
        // @ts-expect-error messages are lists
        void shown.data.customer.toUpperCase()
      }
      if (shown.code === 404) {
        // @ts-expect-error there is nothing
        void shown.data.customer
      }
      // @ts-expect-error no such reason
      if (shown.meta.reason === 'stael') void 0
      if (shown.code === 0) {
        // @ts-expect-error not a reason of a reply without envelope
        if (shown.meta.reason === 'token_expired') void 0
      }
    }
    const created = await api.orders.create({ customer: 'A' })
    if (!created.ok && created.code === 422) {
      // @ts-expect-error messages are lists of strings
      const message: string = created.data.customer
      void message
    }
    const listed = await api.orders.list()
    if (listed.ok) {
      // @ts-expect-error a list is no record
      void listed.data.customer
      // @ts-expect-error a misspelt field of a row
      void listed.data.map((o) => o.custmer)
    }
    const gone = await api.orders.delete({ id: 1 })
    // @ts-expect-error there is nothing
    if (gone.ok) void gone.data.id
    const sum = await api.orders.summary({ year: 1, currency: 'EUR' })
    // @ts-expect-error a bigint is a string of digits
    if (sum.ok) void sum.data.sum.toFixed()
    // @ts-expect-error a misspelt field of a row
    for await (const o of api.orders.all()) void o.custmer
    // @ts-expect-error no such filter of all rows
    for await (const o of api.orders.all({ stat: 'x' })) void o
    // @ts-expect-error a call is a promise
    void api.orders.show({ id: 1 }).ok
    // @ts-expect-error a result may be a failure
    const result: Success<{ id: number }> = shown
    void result
    // @ts-expect-error a success is no error
    throw new ApiError(shown)
  })
  it('do not compile with a mistake in the client itself', () => {
    // @ts-expect-error the address is missing
    createClient<Api>({ routes })
    // @ts-expect-error the routes are missing
    createClient<Api>({ url: '' })
    // @ts-expect-error a route has a method
    createClient<Api>({ url: '', routes: [{ name: 'a', path: '/' }] })
    // @ts-expect-error routes are a list
    createClient<Api>({ url: '', routes: { orders: '/orders' } })
    // @ts-expect-error no such option
    createClient<Api>({ url: '', routes, headers: {} })
    // @ts-expect-error a token is a string
    createClient<Api>({ url: '', routes, token: 5 })
    // @ts-expect-error its name is orders
    createClient<{ order: typeof orders }>({ url: '', routes })
    // @ts-expect-error its name is session
    createClient<{ sessions: typeof sessions }>({ url: '', routes })
    // @ts-expect-error the names are swapped
    createClient<{ orders: typeof lines; lines: typeof orders }>({ url: '', routes })
    // @ts-expect-error not the result of mounting
    createClient<{ orders: { list(): void } }>({ url: '', routes })
    // @ts-expect-error a client without a type has no resources
    void createClient({ url: '', routes }).orders
    // @ts-expect-error `get` is missing
    createClient<Api>({ url: '', routes, tokens: { refresh: async () => null } })
    // @ts-expect-error the address is a string
    createClient<Api>({ url: new URL('http://a'), routes })
    // @ts-expect-error a controller has no type for a client
    createClient<{ things: typeof things }>({ url: '', routes })
  })
})
