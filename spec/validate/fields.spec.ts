import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { ValidationError } from 'resourcery'
import { toValidationError } from '../../lib/core/validate/parse.js'

function fieldsOf(schema: z.ZodType, data: unknown): Record<string, readonly string[]> {
  const { error } = schema.safeParse(data)
  if (error === undefined) throw new Error('Nothing was refused')
  return { ...toValidationError(error).fields }
}

describe('the messages by field', () => {
  it('join the path with dots, and name the whole `_`', () => {
    const schema = z.object({ items: z.array(z.object({ name: z.string('No text') })) }).superRefine(
      (_value, context) => {
        context.addIssue({ code: 'custom', message: 'Not together' })
      },
    )
    expect(fieldsOf(schema, { items: [{ name: 1 }] })).toEqual({ 'items.0.name': ['No text'] })
    expect(fieldsOf(schema, { items: [] })).toEqual({ _: ['Not together'] })
  })

  it('contain every message of a field once', () => {
    const schema = z.string().min(3, 'Short').regex(/^x/, 'No x').regex(/y$/, 'Short')
    expect(fieldsOf(schema, 'a')).toEqual({ _: ['Short', 'No x'] })
  })

  it('name each unknown key separately', () => {
    expect(fieldsOf(z.object({ inner: z.strictObject({}) }), { inner: { a: 1, b: 2 } })).toEqual({
      'inner.a': ['Unknown field'],
      'inner.b': ['Unknown field'],
    })
  })

  it('come from the closest option of a union', () => {
    const schema = z.object({
      of: z.union([
        z.string('No text'),
        z.object({ a: z.number('No number'), b: z.number('No number') }),
        z.object({ a: z.literal('x', 'No x') }),
      ]),
    })
    expect(fieldsOf(schema, { of: { a: 'y' } })).toEqual({ 'of.a': ['No x'] })
    expect(fieldsOf(schema, { of: 5 })).toMatchObject({ of: ['No text', expect.any(String)] })
  })

  it('come from nested unions and discriminators', () => {
    const inner = z.union([z.object({ a: z.literal(1, 'Not 1') }), z.string('No text')])
    expect(
      fieldsOf(z.object({ x: z.union([z.object({ in: inner }), z.number('No number')]) }), { x: { in: { a: 2 } } }),
    )
      .toEqual({ 'x.in.a': ['Not 1'] })
    expect(Object.keys(fieldsOf(z.discriminatedUnion('kind', [z.object({ kind: z.literal('a') })]), { kind: 'b' })))
      .toEqual(['kind'])
  })

  it('have no prototype, whatever the name of a field', () => {
    const issueAt = (path: string) => ({ code: 'custom' as const, path: [path], message: 'Bad', input: 1 })
    const { fields } = toValidationError({ issues: [issueAt('__proto__'), issueAt('constructor')] })
    expect(Object.entries(fields)).toEqual([['__proto__', ['Bad']], ['constructor', ['Bad']]])
    expect(Object.getPrototypeOf(fields)).toBeNull()
  })
})

describe('toValidationError', () => {
  it('creates an error without a stack, and keeps the stacks of other errors', () => {
    const limit = Error.stackTraceLimit
    const { stack } = toValidationError({
      issues: [{ code: 'custom', path: ['name'], message: 'Too short', input: '' }],
    })
    expect(stack).not.toContain(' at ')
    expect(Error.stackTraceLimit).toBe(limit)
  })

  it('returns a 422 with at most 50 messages', () => {
    const { error } = z.array(z.string()).safeParse(Array.from({ length: 20_000 }, () => 1))
    const refusal = toValidationError(error ?? { issues: [] })
    expect(refusal).toBeInstanceOf(ValidationError)
    expect(refusal.status).toBe(422)
    expect(Object.keys(refusal.fields)).toHaveLength(50)
  })

  it('limits the size for long keys', () => {
    const data = { ['k'.repeat(50_000)]: Array.from({ length: 100 }, () => 1) }
    const { error } = z.record(z.string(), z.array(z.string())).safeParse(data)
    expect(JSON.stringify(toValidationError(error ?? { issues: [] }).fields).length).toBeLessThan(20_000)
    const keys = Object.fromEntries(Array.from({ length: 5_000 }, (_item, n) => [`unknown-key-${n}`, 1]))
    const strict = z.strictObject({}).safeParse(keys)
    expect(JSON.stringify(toValidationError(strict.error ?? { issues: [] }).fields).length).toBeLessThan(20_000)
  })
})
