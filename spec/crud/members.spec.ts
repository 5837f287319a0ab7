import type { Request } from 'express'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { crud, memoryStore, type IdempotencyKey } from 'resourcery/crud'
import { ForbiddenError } from 'resourcery'
import { openapi } from 'resourcery/openapi'
import { param } from 'resourcery'
import { reply } from 'resourcery'
import { mountResource } from 'resourcery'
import { permissionsOf, routesOf } from 'resourcery'
import { Router } from 'express'
import { servingRoutes } from './serving.js'

interface Ticket {
  id: number
  title: string
  agentId: number | null
  team: number
  status: string
  version: number
  deletedAt: Date | null
}

const TicketOut = z.object({ id: z.int(), title: z.string(), agentId: z.int().nullable(), status: z.string() })
const base = { input: TicketOut.pick({ title: true }), output: TicketOut }
const assign = {
  input: z.object({ agentId: param.int() }),
  change: (_row: object, { agentId }: { agentId?: number }) => ({ agentId }),
}
const close = { change: () => ({ status: 'closed' }) }

function tickets() {
  const row = { title: 'Fire', agentId: null, team: 1, status: 'open', version: 1, deletedAt: null }
  return memoryStore<Ticket>({
    key: 'id',
    unique: ['title'],
    defaults: { agentId: null, team: 1, status: 'open', version: 1, deletedAt: null },
    rows: [{ ...row, id: 1 }, { ...row, id: 2, title: 'Gone', deletedAt: new Date(0) }, {
      ...row,
      id: 3,
      title: 'Other',
      team: 2,
    }],
  })
}

async function serve(options: object, store = tickets()) {
  const made = crud(store, { ...base, ...options })
  return { store, ...await servingRoutes((app) => mountResource(app, { route: '/tickets', name: 'tickets', ...made })) }
}

const row = async (store: ReturnType<typeof tickets>, id = 1) => (await store.find([id]))[0]

describe('a member with `change`', () => {
  it('causes a 500 where another store refuses a row, and a 409 where its own row is refused', async () => {
    const others = tickets()
    const add = { change: async () => ({ status: (await others.create({ title: 'Fire' })).status }) }
    const { post } = await serve({ members: { add, rename: { change: () => ({ title: 'Other' }) } } })
    expect((await post('/tickets/1/add', {})).body).toMatchObject({ code: 500, data: null })
    expect((await post('/tickets/1/rename', {})).status).toBe(409)
  })

  it('writes the returned columns, and replies with the record', async () => {
    const { post, store } = await serve({ members: { assign, close } })
    expect((await post('/tickets/1/assign', { agentId: '7' })).body).toEqual({
      code: 200,
      message: 'Saved',
      data: { id: 1, title: 'Fire', agentId: 7, status: 'open' },
      meta: {},
    })
    expect((await post('/tickets/1/close', {})).body.data).toMatchObject({ status: 'closed', agentId: 7 })
    expect(await row(store)).toMatchObject({ status: 'closed', agentId: 7, version: 1 })
    expect((await post('/tickets/1/assign', { agentId: 'x' })).status).toBe(422)
    expect((await post('/tickets/9/assign', { agentId: 7 })).body.meta).toEqual({ reason: 'not_found' })
    expect((await post('/tickets/x/assign', { agentId: 7 })).status).toBe(422)
  })

  it('has the declared method, route and message', async () => {
    const { send } = await serve({
      members: { close: { ...close, methods: ['PUT', 'PATCH'], route: '/:id/state/closed', message: 'Closed' } },
    })
    expect((await send('PUT', '/tickets/1/state/closed')).body.message).toBe('Closed')
    expect((await send('PATCH', '/tickets/1/state/closed')).status).toBe(200)
    expect((await send('POST', '/tickets/1/state/closed')).status).toBe(405)
  })

  it('applies the scope, soft deletion and `check`', async () => {
    const check = (found: Ticket, { action }: { action: string }) => {
      if (found.agentId === 5 && action === 'assign') throw new ForbiddenError('Not yours')
    }
    const options = {
      members: {
        assign,
        move: {
          input: z.object({ team: param.int() }),
          change: (_row: object, { team }: { team?: unknown }) => ({ team }),
        },
      },
    }
    const { post, store } = await serve({
      ...options,
      check,
      scope: () => [['team', '=', 1]],
      softDelete: { field: 'deletedAt' },
    })
    expect((await post('/tickets/2/assign', { agentId: 7 })).status).toBe(404)
    expect((await post('/tickets/3/assign', { agentId: 7 })).status).toBe(404)
    expect((await post('/tickets/1/assign', { agentId: 5 })).status).toBe(200)
    expect((await post('/tickets/1/assign', { agentId: 6 })).body.message).toBe('Not yours')
    expect((await post('/tickets/1/move', { team: 2 })).status).toBe(403)
    expect(await row(store)).toMatchObject({ agentId: 5, team: 1 })
  })

  it('checks `If-Match`, and increments the version', async () => {
    const { send, get, store } = await serve({ members: { close }, ifMatch: 'required', version: 'version' })
    expect((await send('POST', '/tickets/1/close')).body.meta).toEqual({ reason: 'precondition_missing' })
    expect((await send('POST', '/tickets/1/close', { headers: { 'If-Match': '"old"' } })).status).toBe(412)
    const { headers } = await get('/tickets/1')
    const closed = await send('POST', '/tickets/1/close', { headers: { 'If-Match': String(headers.get('etag')) } })
    expect(closed.status).toBe(200)
    expect(closed.headers.get('etag')).toBe((await get('/tickets/1')).headers.get('etag'))
    expect(await row(store)).toMatchObject({ version: 2, status: 'closed' })
  })

  it('runs its hooks inside the transaction and after the commit', async () => {
    const ran: unknown[] = []
    const { post, store } = await serve({
      members: { close },
      before: {
        close: ({ status }: Ticket, { action }: { action: string }) => void ran.push(['before', status, action]),
      },
      after: {
        close: ({ status, id }: Ticket) => {
          ran.push(['after', status])
          if (id === 3) throw new ForbiddenError()
        },
      },
      afterCommit: { close: ({ status }: Ticket) => void ran.push(['afterCommit', status]) },
    })
    await post('/tickets/1/close', {})
    expect(ran).toEqual([['before', 'open', 'close'], ['after', 'closed'], ['afterCommit', 'closed']])
    expect((await post('/tickets/3/close', {})).status).toBe(403)
    expect((await row(store, 3))?.status).toBe('open')
  })

  it('ignores unwritable fields, hides unreadable ones, and names the field of a conflict', async () => {
    const rename = {
      input: z.object({ title: z.string() }),
      change: (_row: object, { title }: { title?: unknown }) => ({ title, status: 'renamed' }),
    }
    const fields = {
      title: { write: (req: Request) => req.get('x-role') === 'boss' },
      status: { read: () => false, write: () => false },
    }
    const { send, store } = await serve({ members: { rename }, fields })
    expect((await send('POST', '/tickets/1/rename', { body: { title: 'New' } })).body.data).toEqual({
      id: 1,
      title: 'Fire',
      agentId: null,
    })
    expect(await row(store)).toMatchObject({ title: 'Fire', status: 'renamed' })
    const taken = await send('POST', '/tickets/1/rename', { body: { title: 'Other' }, headers: { 'x-role': 'boss' } })
    expect([taken.status, taken.body.data]).toEqual([409, { title: ['Already taken'] }])
  })

  it('runs once for one `Idempotency-Key`', async () => {
    const keys = memoryStore<IdempotencyKey>({ key: 'id' })
    let calls = 0
    const count = { change: () => ({ agentId: ++calls }) }
    const { send } = await serve({
      members: { count, tell: { run: () => ++calls } },
      idempotency: { keys: () => keys, identity: () => 'all' },
    })
    const headers = { 'Idempotency-Key': 'one' }
    const first = await send('POST', '/tickets/1/count', { headers })
    const second = await send('POST', '/tickets/1/count', { headers })
    expect([first.status, calls, second.headers.get('idempotency-replayed')]).toEqual([200, 1, 'true'])
    expect(second.text).toBe(first.text)
    expect((await send('POST', '/tickets/1/tell', { headers })).body.data).toBe(2)
    expect((await send('POST', '/tickets/1/tell', { headers })).body.data).toBe(2)
  })

  it('is scoped by its parent, and gets the path arguments', async () => {
    const given: unknown[] = []
    const peek = {
      input: z.object({ note: z.string() }),
      change: (_row: object, args: object) => (given.push(args), {}),
    }
    const made = crud(
      tickets(),
      { ...base, parent: { arg: 'teamId', column: 'team' }, members: { peek } } as never,
    ) as { handlers: object }
    const { post } = await servingRoutes((app) =>
      mountResource(app, { route: '/teams/:teamId/tickets', name: 'tickets', ...made })
    )
    expect((await post('/teams/1/tickets/1/peek', { note: 'a' })).status).toBe(200)
    expect((await post('/teams/2/tickets/1/peek', { note: 'a' })).status).toBe(404)
    expect(given).toEqual([{ note: 'a', id: 1, teamId: 1 }])
  })
})

describe('a member with `run`', () => {
  it('replies with the returned value, and increments the version', async () => {
    const notify = {
      input: z.object({ text: z.string() }),
      output: z.object({ sent: z.string() }),
      run: ({ version }: Ticket, { text }: { text?: unknown }) =>
        reply('Sent', { sent: `${String(text)} ${version}`, hidden: 1 }, { count: 1 }),
    }
    const { send, store } = await serve({ members: { notify }, ifMatch: 'optional', version: 'version' })
    const sent = await send('POST', '/tickets/1/notify', { body: { text: 'hi' } })
    expect(sent.body).toEqual({ code: 200, message: 'Sent', data: { sent: 'hi 2' }, meta: { count: 1 } })
    expect((await row(store))?.version).toBe(2)
    expect((await send('POST', '/tickets/1/notify', { body: { text: 'hi' }, headers: { 'If-Match': '"old"' } })).status)
      .toBe(412)
  })

  it('is undone if its reply does not fit its output', async () => {
    const run = async ({ id }: Ticket, _args: object, { store }: { store: ReturnType<typeof tickets> }) => {
      await store.update(id, { status: 'lost' })
      return { sent: 1 }
    }
    const { send, store } = await serve({ members: { notify: { output: z.object({ sent: z.boolean() }), run } } })
    expect((await send('POST', '/tickets/1/notify')).status).toBe(500)
    expect((await row(store))?.status).toBe('open')
  })

  it('can delete the row', async () => {
    const run = async ({ id }: Ticket, _args: object, { store }: { store: ReturnType<typeof tickets> }) => {
      await store.delete([id])
    }
    const { send, store } = await serve({ members: { drop: { run } }, ifMatch: 'optional', version: 'version' })
    expect((await send('POST', '/tickets/1/drop')).body.data).toBeNull()
    expect(await row(store)).toBeUndefined()
  })
})

describe('members', () => {
  it.each<[why: string, member: object, code: string, text: string]>([
    ['a misspelt name', { chnage: () => ({}) }, 'crud_option_unknown', 'Did you mean `change`?'],
    ['neither function', {}, 'crud_members', 'needs one of two functions'],
    ['both functions', { change: () => ({}), run: () => 1 }, 'crud_members', 'needs one of two functions'],
    ['a value that is no function beside one', { change: () => ({}), run: 5 }, 'crud_members',
      'needs one of two functions'],
    ['an input that is no schema', { input: { why: z.string() }, change: () => ({}) }, 'crud_members',
      'needs a `z.object`'],
    ['a route without the key', { route: '/close', change: () => ({}) }, 'crud_members', 'without `:id`'],
    [
      'an `id` in its input',
      { input: z.object({ id: z.int() }), change: () => ({}) },
      'crud_members',
      '`id` in its `input`',
    ],
    ['an output beside `change`', { output: z.null(), change: () => ({}) }, 'crud_members', '`output` beside `change`'],
  ])('are refused with %s', (_why, member, code, text) => {
    expect(() => crud(tickets(), { ...base, members: { close: member as never } })).toThrow(
      expect.objectContaining({ code, message: expect.stringContaining(text) as string }) as Error,
    )
  })

  it.each([
    'list',
    'show',
    'create',
    'edit',
    'store',
    'delete',
    'deleteMany',
    'createMany',
    'updateMany',
    'restore',
    'purge',
    'export',
    'import',
  ])(
    'cannot have the name `%s` of an action of crud',
    (name) => {
      expect(() => crud(tickets(), { ...base, members: { [name]: close } })).toThrow(
        expect.objectContaining({ code: 'crud_members' }) as Error,
      )
    },
  )

  it('cannot share a name with `custom`', () => {
    const custom = { close: { methods: ['POST'], route: '/close', handler: () => 1 } } as const
    expect(() => crud(tickets(), { ...base, members: { close }, custom })).toThrow(
      expect.objectContaining({ code: 'crud_custom' }) as Error,
    )
  })

  it('have their own permissions, and accept metadata in `perAction`', () => {
    const router = Router()
    const made = crud(tickets(), { ...base, members: { close }, perAction: { close: { tags: ['State'] } } })
    mountResource(router, { app: 'desk', route: '/tickets', name: 'tickets', ...made })
    expect(JSON.stringify(permissionsOf(router))).toContain('desk.tickets.close')
    expect(routesOf(router).find(({ action }) => action === 'close')?.tags).toEqual(['State'])
  })

  it('are documented with input, output, headers and statuses', async () => {
    const router = Router()
    mountResource(router, {
      route: '/tickets',
      name: 'tickets',
      ...crud(tickets(), { ...base, ifMatch: 'required', members: { assign } }),
    })
    const { paths } = openapi(router, { title: 'Desk', version: '1' }) as unknown as {
      paths: Record<string, Record<string, Operation>>
    }
    const operation = paths['/tickets/{id}/assign']?.post
    expect(operation?.operationId).toBe('assignTicket')
    expect(Object.keys(operation?.responses ?? {})).toEqual(
      expect.arrayContaining(['200', '404', '409', '412', '422', '428']),
    )
    expect(operation?.parameters.map(({ name }) => name)).toEqual(expect.arrayContaining(['id', 'If-Match']))
    expect(JSON.stringify(operation?.requestBody)).toContain('agentId')
    expect(JSON.stringify(operation?.responses['200'])).toContain('ETag')
  })
})

interface Operation {
  readonly operationId: string
  readonly parameters: readonly { readonly name: string }[]
  readonly requestBody: unknown
  readonly responses: Readonly<Record<string, unknown>>
}
