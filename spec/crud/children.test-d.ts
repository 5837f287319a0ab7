import { describe, expectTypeOf, it } from 'vitest'
import { z } from 'zod'
import { mountResource } from 'resourcery'
import { createClient } from 'resourcery/client'
import { crud, memoryStore } from 'resourcery/crud'
import express from 'express'

interface Line {
  id: number
  invoiceId: number
  text: string
  amount: number
}

const Line = z.object({ id: z.int(), invoiceId: z.int(), text: z.string(), amount: z.int() })
const Invoice = z.object({ id: z.int(), title: z.string() })
const lines = crud(memoryStore<Line>({ key: 'id' }), {
  input: z.object({ invoiceId: z.int(), text: z.string(), amount: z.int().default(1) }), output: Line,
})
const invoices = memoryStore<{ id: number; title: string }>({ key: 'id' })
const options = { input: Invoice.pick({ title: true }), output: Invoice }
const withLines = crud(invoices, { ...options, children: { lines: { of: lines, column: 'invoiceId' } } })

describe('the option `children` of crud', () => {
  it('adds the field to the types of the client', async () => {
    const mounted = mountResource(express(), { route: '/invoices', name: 'invoices', ...withLines })
    expectTypeOf(mounted).not.toBeAny()
    const api = createClient<{ invoices: typeof mounted }>({ url: '', routes: {} as never })
    const reply = await api.invoices.create({ title: 'x', lines: [{ text: 'a' }, { id: 1, amount: 2 }] })
    if (reply.ok) expectTypeOf(reply.data.lines).toEqualTypeOf<Line[]>()
    await api.invoices.create({ title: 'x' })
    await api.invoices.store({ id: 1, lines: [{ id: 1 }, { text: 'a' }] })
    await api.invoices.edit({ id: 1, title: 'x', lines: [] })
    // @ts-expect-error an element has the types of its fields
    await api.invoices.create({ title: 'x', lines: [{ text: 5 }] })
    // @ts-expect-error a new child needs its fields
    await api.invoices.create({ title: 'x', lines: [{ amount: 5 }] })
  })

  it('needs a list that has a least number', async () => {
    const needed = crud(invoices, { ...options, children: { lines: { of: lines, column: 'invoiceId', min: 1 } } })
    const mounted = mountResource(express(), { route: '/invoices', name: 'invoices', ...needed })
    expectTypeOf(mounted).not.toBeAny()
    const api = createClient<{ invoices: typeof mounted }>({ url: '', routes: {} as never })
    // @ts-expect-error the list is missing
    await api.invoices.create({ title: 'x' })
    await api.invoices.store({ id: 1, title: 'x' })
  })

  it('takes a resource and known options', () => {
    // @ts-expect-error a misspelt column of this record
    crud(invoices, { ...options, links: { tagIds: { of: tags, through, own: 'invoiceI', other: 'tagId' } } })
    // @ts-expect-error a misspelt column of the other record
    crud(invoices, { ...options, links: { tagIds: { of: tags, through, own: 'invoiceId', other: 'tagI' } } })
    // @ts-expect-error a store is no resource
    crud(invoices, { ...options, children: { lines: { of: invoices, column: 'invoiceId' } } })
    // @ts-expect-error the column is missing
    crud(invoices, { ...options, children: { lines: { of: lines } } })
    // @ts-expect-error a misspelt option
    crud(invoices, { ...options, children: { lines: { of: lines, column: 'invoiceId', most: 5 } } })
  })

  it('may be declared in the output', () => {
    const output = Invoice.extend({ lines: z.array(Line.pick({ id: true })) })
    crud(invoices, { input: options.input, output, children: { lines: { of: lines, column: 'invoiceId' } } })
  })

  it('leaves the types of other resources as they are', () => {
    expectTypeOf(lines.handlers.create.input).toExtend<z.ZodObject>()
    expectTypeOf<z.output<typeof lines.handlers.show.output>>().toEqualTypeOf<Line>()
  })
})

describe('the option `links` of crud', () => {
  const tags = crud(memoryStore<{ id: string; name: string }>({ key: 'id' }), {
    id: z.string(), input: z.object({ name: z.string() }), output: z.object({ id: z.string(), name: z.string() }),
  })
  const through = memoryStore<{ id: number; invoiceId: number; tagId: string }>({ key: 'id' })

  it('adds ids of the type of the other resource', async () => {
    const tagged = crud(invoices, {
      ...options, links: { tagIds: { of: tags, through, own: 'invoiceId', other: 'tagId' } },
    })
    const mounted = mountResource(express(), { route: '/invoices', name: 'invoices', ...tagged })
    expectTypeOf(mounted).not.toBeAny()
    const api = createClient<{ invoices: typeof mounted }>({ url: '', routes: {} as never })
    const reply = await api.invoices.create({ title: 'x', tagIds: ['a'] })
    if (reply.ok) expectTypeOf(reply.data.tagIds).toEqualTypeOf<string[]>()
    await api.invoices.store({ id: 1, title: 'x' })
    // @ts-expect-error an id has the type of the key
    await api.invoices.create({ title: 'x', tagIds: [5] })
  })

  it('takes a resource, a store and two columns', () => {
    // @ts-expect-error a column is missing
    crud(invoices, { ...options, links: { tagIds: { of: tags, through, own: 'invoiceId' } } })
    // @ts-expect-error a store is no resource
    crud(invoices, { ...options, links: { tagIds: { of: through, through, own: 'invoiceId', other: 'tagId' } } })
  })
})
