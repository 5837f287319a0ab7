import { describe, expectTypeOf, it } from 'vitest'
import { z } from 'zod'
import { crud, type Store } from 'resourcery/crud'
import { prismaStore } from 'resourcery/prisma'
import type { Prisma, PrismaClient } from '../generated/postgres/client.js'

declare const prisma: PrismaClient
const In = z.object({ title: z.string() })
const Out = z.object({ id: z.string(), title: z.string() })
const store = () => prismaStore(prisma, 'project', { columns: { views: 'integer', dueOn: 'calendarDate' } })

describe('prismaStore', () => {
  it('has the columns of the model with decimals as strings, and the client of a transaction as `db`', () => {
    interface Row {
      id: string; title: string; status: 'OPEN' | 'CLOSED'; history: ('OPEN' | 'CLOSED')[]; tags: string[]; scores: number[]; times: Date[]; settings: Prisma.JsonValue
      budget: string; views: number; ratio: number | null; logo: Uint8Array<ArrayBuffer> | null; secret: string; dueOn: string | null; startOn: Date | null
      teamId: number | null; createdAt: Date; updatedAt: Date
    }
    type Found = ReturnType<typeof store> extends Store<infer R, Prisma.TransactionClient> ? R : never
    expectTypeOf<Found>().toExtend<Row>()
    expectTypeOf<Row>().toExtend<Found>()
    expectTypeOf<keyof Found>().toEqualTypeOf<keyof Row>()
    expectTypeOf(store().db.team.create).toBeFunction()
    void crud(store(), { input: In, output: Out, sort: ['title'], filters: { views: { range: z.coerce.number() } }, scope: () => [['dueOn', '<', '2026-12-01']] })
  })

  it('accepts a client with extensions', () => {
    const extended = prisma.$extends({ client: { hello: () => 'hello' } })
    expectTypeOf(prismaStore(extended, 'team').db.hello()).toExtend<string>()
    expectTypeOf(prismaStore(extended, 'team')).toExtend<Store<{ id: number }>>()
  })

  it('refuses a column that the model does not have', () => {
    // @ts-expect-error no such column
    void crud(store(), { input: In, output: Out, search: ['titel'] })
    // @ts-expect-error a relation is no column
    void crud(store(), { input: In, output: Out, sort: ['team'] })
    // @ts-expect-error no such model
    prismaStore(prisma, 'projekt')
    // @ts-expect-error a method is no model
    prismaStore(prisma, '$transaction')
    // @ts-expect-error The model has no column "titel"
    prismaStore(prisma, 'project', { columns: { titel: 'integer' } })
    // @ts-expect-error a string is read as it is
    prismaStore(prisma, 'project', { columns: { title: 'integer' } })
    // @ts-expect-error no such type
    prismaStore(prisma, 'project', { columns: { dueOn: 'date' } })
    // @ts-expect-error a relation is no key
    prismaStore(prisma, 'project', { key: 'team' })
    // @ts-expect-error no such option
    prismaStore(prisma, 'project', { keys: 'id' })
  })
})
