import express from 'express'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { mountResource } from 'resourcery'
import { crud, memoryStore } from 'resourcery/crud'

const Note = z.object({ id: z.int(), title: z.string(), version: z.int() })

function mounted(options: object): void {
  const store = memoryStore({ key: 'id', rows: [{ id: 1, title: 'Milk', version: 1 }] })
  const built = (crud as (store: unknown, options: object) => object)(store, {
    input: z.object({ title: z.string() }),
    output: Note,
    ...options,
  })
  mountResource(express(), { route: '/notes', name: 'notes', ...built } as never)
}

const LIST = [0, true, 'title', { title: true }, () => []]
const FUNCTION = [0, true, 'title', ['title'], {}]
const BOOLEAN = [0, 1, 'true', {}, [], () => true]
const OBJECT = [0, true, 'title', ['title']]
const SCHEMA = [0, true, 'title', ['title'], {}, () => Note]

/** Values of each option that are none of its forms. */
const WRONG: Readonly<Record<string, readonly unknown[]>> = {
  id: SCHEMA,
  input: [...SCHEMA, undefined],
  changes: SCHEMA,
  output: [...SCHEMA, undefined],
  sort: LIST,
  order: LIST,
  search: LIST,
  filters: [...OBJECT, { title: true }, ...['eq', 'oneOf', 'ne', 'range'].map((kind) => ({ title: { [kind]: true } })),
    { title: { contains: 'yes' } }, { title: { eq: z.string(), isNull: z.string() } }],
  customFilters: OBJECT,
  limit: ['10', true, {}],
  maxLimit: ['10', true, {}],
  total: BOOLEAN,
  cursor: BOOLEAN,
  headers: BOOLEAN,
  unknownParams: [0, true, 'drop', {}, [1]],
  unknownFields: [0, true, 'ignore', {}],
  cursorSecret: [0, true, {}, () => 'secret'],
  paramNames: [...OBJECT, { search: 1 }],
  transform: FUNCTION,
  transformMany: FUNCTION,
  listMeta: FUNCTION,
  fields: [...OBJECT, { title: { read: true } }, { title: { write: ['desk.titles'] } }],
  scope: [0, true, 'title', ['title'], { list: 'title' }, {}, { list: undefined }],
  conflicts: OBJECT,
  check: FUNCTION,
  before: [...OBJECT, { create: 'title' }, { delete: true }],
  after: [...OBJECT, { edit: {} }],
  afterCommit: [...OBJECT, { create: [] }],
  deadline: ['10', true, {}, -1],
  custom: OBJECT,
  perAction: OBJECT,
  references: [0, 'rooms', ['title'], { title: 'rooms' }],
  parent: [0, true, 'notes'],
  softDelete: [0, 'title', ['title']],
  children: [...OBJECT, { lines: 'lines' }],
  links: [...OBJECT, { tags: 'tags' }],
  tree: [0, true, 'title', ['title']],
  bulk: [0, 'create', {}, ['nothing']],
  export: [0, 'yes', ['title']],
  import: [0, 'yes', ['title']],
  ifMatch: [0, 'always', {}],
  version: [0, true, ['title'], 'nothing'],
  aggregates: [0, 'title', { sum: 'title' }],
  dialect: [0, true, 'dux', ['title']],
  members: [...OBJECT, { authors: 'authors' }],
  idempotency: [0, 'yes', ['title'], {}, { keys: {} }, { keys: () => undefined }],
  include: [0, 'title', ['title']],
}

const cases = Object.entries(WRONG).flatMap(([name, values]) =>
  values.map((value) => [name, typeof value === 'function' ? String(value) : JSON.stringify(value), value] as const)
)

describe('crud refuses, with a code and a sentence,', () => {
  it.each(cases)('`%s: %s`', (name, _text, value) => {
    let thrown: unknown
    try {
      mounted({ [name]: value })
    } catch (error) {
      thrown = error
    }
    expect(thrown).toMatchObject({ name: 'MisuseError', code: expect.stringMatching(/^\w+$/) })
    expect((thrown as Error).message).toContain(name)
  })
})

it('lists every option of crud', () => {
  let message = ''
  try {
    mounted({ nonsense: true })
  } catch (error) {
    message = (error as Error).message
  }
  const names = message.replace(/^.* The options are (.*)\.$/, '$1').split(', ')
  expect(Object.keys(WRONG).sort()).toEqual(names.sort())
})
