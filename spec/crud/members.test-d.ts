import { Router } from 'express'
import { describe, expectTypeOf, it } from 'vitest'
import { z } from 'zod'
import { createClient } from 'resourcery/client'
import { crud, memoryStore, type Hooks } from 'resourcery/crud'
import { mountResource } from 'resourcery'
import type { Mounted } from 'resourcery'

interface Ticket {
  id: number
  projectId: number
  title: string
  agentId: number | null
  status: 'open' | 'closed'
  tags: string[]
  version: number
}

const tickets = memoryStore<Ticket>({ key: 'id' })
const base = { input: z.object({ title: z.string() }), output: z.object({ id: z.int(), title: z.string(), status: z.string() }) }

type DataOf<Call extends (...args: never) => unknown> = Extract<Awaited<ReturnType<Call>>, { ok: true }> extends { readonly data: infer Data } ? Data : never

function clientOf<M extends Mounted<'tickets'>>(_mounted: M) {
  return createClient<{ tickets: M }>({ url: '', routes: [] })
}

describe('members', () => {
  it('infer the arguments of their functions and the names of hooks', () => {
    const made = crud(tickets, {
      ...base, parent: { arg: 'projectId', column: 'projectId' },
      before: { close: (row) => { expectTypeOf(row).toEqualTypeOf<Ticket>() } },
      afterCommit: { notify: (row) => { expectTypeOf(row.title).toBeString() } },
      perAction: { assign: { summary: 'Assign to an agent' } },
      members: {
        assign: {
          input: z.object({ agentId: z.int() }),
          change: (row, args, context) => {
            expectTypeOf(row).toEqualTypeOf<Ticket>()
            expectTypeOf(args).toEqualTypeOf<{ agentId: number; id: number; projectId: number }>()
            expectTypeOf(context.store.db).toEqualTypeOf<undefined>()
            return { agentId: args.agentId }
          },
        },
        close: { change: () => ({ status: 'closed' }) },
        label: { route: '/:id/labels', change: async (row) => Promise.resolve({ tags: [...row.tags, 'new'] }) },
        notify: { methods: ['PUT'], input: z.object({ text: z.string() }), output: z.object({ sent: z.boolean() }), run: (_row, { text }) => ({ sent: text !== '' }) },
      },
    })
    expectTypeOf<keyof typeof made.custom>().toEqualTypeOf<'assign' | 'close' | 'label' | 'notify'>()
    const mounted = mountResource(Router(), { route: '/projects/:projectId/tickets', name: 'tickets', ...made })
    const api = clientOf(mounted)
    expectTypeOf(api.tickets.assign).parameter(0).toMatchObjectType<{ agentId: number; id: number | string; projectId: number }>()
    expectTypeOf<DataOf<typeof api.tickets.assign>>().toEqualTypeOf<{ id: number; title: string; status: string }>()
    expectTypeOf<DataOf<typeof api.tickets.notify>>().toEqualTypeOf<{ sent: boolean }>()
    // @ts-expect-error without the field of its input
    expectTypeOf(api.tickets.assign).toBeCallableWith({ id: 1, projectId: 1 })
  })

  it('accept hooks of the type `Hooks` that names them', () => {
    const hooks: Hooks<Ticket, unknown, { title: string }, 'close'> = {
      check: (_row, { action }) => {
        expectTypeOf(action).toEqualTypeOf<'list' | 'show' | 'create' | 'edit' | 'store' | 'delete' | 'restore' | 'purge' | 'close'>()
      },
      before: { close: (row) => { expectTypeOf(row).toEqualTypeOf<Ticket>() } },
    }
    crud(tickets, { ...base, ...hooks, members: { close: { change: () => ({ status: 'closed' }) } } })
    // @ts-expect-error no such member
    const wrong: Hooks<Ticket, unknown, { title: string }, 'close'> = { before: { shut: () => undefined } }
    expectTypeOf(wrong).toExtend<object>()
  })

  it('infer a member whose only part is a function of the row', () => {
    const made = crud(tickets, { ...base, members: { close: { change: ({ tags }) => ({ status: 'closed', tags: [...tags, 'done'] }) } } })
    expectTypeOf(made.custom).toHaveProperty('close')
    expectTypeOf(made.custom.close.handler).parameter(2).toEqualTypeOf<{ id: number }>()
    const shown = crud(tickets, { ...base, members: { count: { run: (row) => row.tags.length } } })
    expectTypeOf(shown.custom).toHaveProperty('count')
    crud(tickets, { ...base, members: { close: { change: async (row, { id }) => Promise.resolve({ status: id === row.id ? 'closed' : 'open' }) } } })
    // @ts-expect-error no such status
    crud(tickets, { ...base, members: { close: { change: (row) => ({ status: 'done', tags: row.tags }) } } })
    // @ts-expect-error no such column
    crud(tickets, { ...base, members: { close: { change: (row) => ({ state: 'closed', tags: row.tags }) } } })
    // @ts-expect-error no such column
    crud(tickets, { ...base, members: { close: { change: async (row) => Promise.resolve({ state: 'closed', tags: row.tags }) } } })
  })

  it('write only columns of the row', () => {
    crud(tickets, { ...base, members: { move: { input: z.object({ to: z.int() }), change: (_row, { to }) => (to === 0 ? {} : { projectId: to }) } } })
    // @ts-expect-error no such column
    crud(tickets, { ...base, members: { close: { change: () => ({ status: 'closed', sttaus: 1 }) } } })
    // @ts-expect-error no such column
    crud(tickets, { ...base, members: { close: { change: (row) => ({ title: 'Fire', sttaus: row }) } } })
    // @ts-expect-error no such column
    crud(tickets, { ...base, members: { close: { change: async (row) => Promise.resolve({ title: 'Fire', sttaus: row }) } } })
    // @ts-expect-error not a value of this column
    crud(tickets, { ...base, members: { close: { change: () => ({ status: 'shut' }) } } })
    // @ts-expect-error never null
    crud(tickets, { ...base, members: { close: { change: () => ({ title: null }) } } })
    // @ts-expect-error no columns
    crud(tickets, { ...base, members: { close: { change: () => undefined } } })
  })

  it('have exactly one of `change` and `run`', () => {
    // @ts-expect-error neither
    crud(tickets, { ...base, members: { close: {} } })
    // @ts-expect-error neither
    crud(tickets, { ...base, members: { close: { input: z.object({ why: z.string() }), methods: 'PUT' } } })
    // @ts-expect-error neither, beside one that has one
    crud(tickets, { ...base, members: { open: { change: () => ({ status: 'open' }) }, close: { route: '/:id/close' } } })
    // @ts-expect-error neither, with undefined
    crud(tickets, { ...base, members: { close: { change: undefined } } })
    // @ts-expect-error both
    crud(tickets, { ...base, members: { close: { change: () => ({ status: 'closed' }), run: () => 1 } } })
    crud(tickets, { ...base, members: { close: { change: () => ({ status: 'closed' }), run: undefined } } })
    crud(tickets, { ...base, members: { close: { change: undefined, run: (row) => row.id } } })
  })

  it('refuse other names, hooks, arguments and outputs', () => {
    // @ts-expect-error misspelt
    crud(tickets, { ...base, members: { close: { chnage: () => ({}) } } })
    // @ts-expect-error no such member
    crud(tickets, { ...base, members: { close: { change: () => ({}) } }, before: { clsoe: () => undefined } })
    // @ts-expect-error no such member
    crud(tickets, { ...base, members: { close: { change: () => ({}) } }, perAction: { clsoe: { summary: 'Close' } } })
    // @ts-expect-error not a field of its input
    crud(tickets, { ...base, members: { close: { input: z.object({ why: z.string() }), change: (_row, { reason }) => ({ title: String(reason) }) } } })
    // @ts-expect-error another output
    crud(tickets, { ...base, members: { close: { output: z.object({ sent: z.boolean() }), run: () => ({ sent: 1 }) } } })
    crud(tickets, { ...base, members: { close: { methods: 'PUT', change: () => ({}) } } })
    // @ts-expect-error not a method
    crud(tickets, { ...base, members: { close: { methods: 'SEND', change: () => ({}) } } })
    // @ts-expect-error not a method
    crud(tickets, { ...base, members: { close: { methods: ['SEND'], change: () => ({}) } } })
  })
})
