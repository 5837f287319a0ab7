import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { ValidationError } from 'resourcery'
import { validate } from 'resourcery'

const partial = { partial: true } as const

function fieldsOf(run: () => unknown): string[] {
  try {
    run()
    return []
  } catch (error) {
    if (error instanceof ValidationError) return Object.keys(error.fields)
    throw error
  }
}

describe('validate with partial', () => {
  const User = z.object({
    name: z.string().min(2),
    role: z.string().default('user'),
    mode: z.string().prefault('x'),
    colour: z.string().catch('red'),
    note: z.preprocess((value) => value ?? 'none', z.string()),
    nested: z.object({ a: z.string().default('q') }).default({ a: 'z' }),
    maybe: z.string().default('m').nullable().optional(),
  })

  it('adds no defaults for missing fields', () => {
    expect(validate({}, User, partial)).toStrictEqual({})
    expect(validate({ name: 'Ann', admin: true }, User, partial)).toStrictEqual({ name: 'Ann' })
    expect(validate({ name: undefined, role: undefined }, User, partial)).toStrictEqual({})
    expect(validate({ maybe: null }, User, partial)).toStrictEqual({ maybe: null })
  })

  it('checks the sent fields by the schema', () => {
    expect(fieldsOf(() => validate({ name: 'A', role: 5, colour: 5 }, User, partial))).toEqual(['name', 'role'])
    expect(validate({ colour: 5 }, User, partial)).toStrictEqual({ colour: 'red' })
    expect(fieldsOf(() => validate({ name: null }, User, partial))).toEqual(['name'])
  })

  it('replaces a nested value as a whole', () => {
    expect(validate({ nested: {} }, User, partial)).toStrictEqual({ nested: { a: 'q' } })
  })

  it('can be called repeatedly with the same schema', () => {
    expect([validate({ role: 'a' }, User, partial), validate({ role: 'b' }, User, partial)]).toEqual([{ role: 'a' }, {
      role: 'b',
    }])
  })

  it('runs checks of the whole only if all fields were sent', () => {
    const Span = z.object({ from: z.number(), to: z.number(), step: z.number().default(1) }).refine(
      ({ from, to }) => from <= to,
      'Backwards',
    )
    expect(validate({ from: 9 }, Span, partial)).toStrictEqual({ from: 9 })
    expect(validate({ from: 9, to: 3 }, Span, partial)).toStrictEqual({ from: 9, to: 3 })
    expect(fieldsOf(() => validate({ from: 9, to: 3, step: 1 }, Span, partial))).toEqual(['_'])
  })

  it('keeps a strict schema strict and a loose one loose', () => {
    const shape = { name: z.string(), age: z.number() }
    expect(fieldsOf(() => validate({ name: 'Ann', admin: true }, z.strictObject(shape), partial))).toEqual(['admin'])
    expect(validate({ name: 'Ann', x: 1 }, z.looseObject(shape), partial)).toStrictEqual({ name: 'Ann', x: 1 })
  })

  it('selects the option of a union by its discriminator', () => {
    const Shape = z.discriminatedUnion('kind', [
      z.object({ kind: z.literal('circle'), radius: z.number(), fill: z.string().default('none') }),
      z.discriminatedUnion('kind', [z.object({ kind: z.literal('square'), side: z.number() })]),
    ])
    expect(validate({ kind: 'circle' }, Shape, partial)).toStrictEqual({ kind: 'circle' })
    expect(validate({ kind: 'circle', radius: 1, side: 2 }, Shape, partial)).toStrictEqual({
      kind: 'circle',
      radius: 1,
    })
    expect(fieldsOf(() => validate({ kind: 'square', side: 'x' }, Shape, partial))).toEqual(['side'])
    expect(fieldsOf(() => validate({ radius: 1 }, Shape, partial))).toEqual(['kind'])
    expect(fieldsOf(() => validate({ kind: 'line' }, Shape, partial))).toEqual(['kind'])
  })

  it.each([
    ['a pipe', z.object({ a: z.string() }).transform(({ a }) => a)],
    ['a list', z.array(z.string())],
    ['a plain union', z.union([z.object({ a: z.string() }), z.object({ b: z.string() })])],
  ])('refuses %s with a message', (_name, schema) => {
    expect(() => validate({ a: 'x' }, schema, partial)).toThrow(expect.objectContaining({ code: 'validate_partial' }))
  })
})
