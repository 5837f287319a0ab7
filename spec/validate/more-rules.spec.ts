import express from 'express'
import { describe, expect, it } from 'vitest'
import { MisuseError, ValidationError } from 'resourcery'
import { errorHandler } from 'resourcery'
import { openapi } from 'resourcery/openapi'
import { RequestParam } from 'resourcery'
import { mountResource } from 'resourcery'
import { send } from 'resourcery'
import type { Rule, Rules } from 'resourcery'
import { validate } from 'resourcery'
import { serving } from '../support/http.js'

/** Returns the value that passed, or the messages of its field. */
function checked(rules: unknown, value: unknown, others: object = {}): unknown {
  try {
    return validate({ ...(value === undefined ? {} : { it: value }), ...others }, { it: rules } as Rules).it
  } catch (error) {
    if (error instanceof ValidationError) return { ...error.fields }.it
    throw error
  }
}

const M = ['Not what we want']
const TAGS = ['in', ['news', 'guide'], M[0]]
const SIZES = ['in', [1, 2.5], M[0]]
/** A host of very many different characters, which takes `URL` the square of their time. */
const HANZI = Array.from({ length: 50_000 }, (_, index) => String.fromCharCode(0x4E00 + index % 20_000)).join('')
const LONG = `https://${'a'.repeat(2000)}@example.com/${'a'.repeat(2000)}`
const CODE = ['regex', /^[A-Z]{3}$/, M[0]]

describe('a single rule without a list around it', () => {
  it.each<[unknown, unknown, unknown]>([
    [['required', 'Name is required'], 'Ada', 'Ada'],
    [['required', 'Name is required'], ' ', ['Name is required']],
    [['required', 'Name is required'], undefined, ['Name is required']],
    [['lengthMin', 2, 'Too short'], 'ab', 'ab'],
    [['lengthMin', 2, 'Too short'], 'a', ['Too short']],
    [['lengthMin', 2, 'Too short'], undefined, null],
    [['optional'], undefined, null],
    [['optional'], 5, 5],
    [['max', 5, 'At most five'], '6', ['At most five']],
    [['integer', 'A whole number'], '6', 6],
    [['email', 'No address'], 'x', ['No address']],
    [TAGS, 'news', 'news'],
    [['optional', 'May be missing'], 1, 1],
  ])('%j reads %j as %j', (rule, value, result) => {
    expect(checked(rule, value)).toEqual(result)
    expect(checked([rule], value)).toEqual(result)
  })

  it.each<[string, unknown]>([
    ['rule_message', ['required', 'email']],
    ['rule_message', ['required', 'Required']],
    ['rule_message', ['required', 'optional']],
    ['rule_message', ['lengthMin', 2, 'email']],
    ['rule_message', ['lengthMin', 2, 'short']],
    ['rule_message', ['email', ' required ']],
    ['rule_message', ['optional', 'integer']],
    ['rule_message', ['required']],
    ['rule_message', ['required', '']],
    ['rule_message', ['required', ['email', 'No address']]],
    ['rule_message', ['in', ['a', 'b'], 'email']],
    ['rule_message', ['regex', /a/, 'regex']],
    ['rule_message', ['equals', 'other', 'other']],
    ['rule_parameter', ['lengthMin', 'Too short']],
    ['rule_unknown', ['requird', 'Name is required']],
    ['rules_invalid', ['required', 'Name is required', 'lengthMin', 2, 'Too short']],
    ['rules_invalid', ['required', 'Name is required', ['lengthMin', 2, 'Too short']]],
    ['rules_invalid', [['required', 'Name is required', 'Twice over']]],
  ])('is refused with %s: %j', (code, rules) => {
    const refused = expect.objectContaining({ name: 'MisuseError', code }) as MisuseError
    for (let time = 0; time < 2; time++) expect(() => checked(rules, 'x')).toThrow(refused)
    const mount = () =>
      mountResource(express(), {
        route: '/x',
        name: 'x',
        handlers: { create: { input: { it: rules } as unknown as Rules, handler: () => null } },
      })
    expect(mount).toThrow(refused)
  })

  it('may stand beside lists of rules, in a request', async () => {
    const app = express().use(express.json())
    app.post('/', (req, res) => {
      const note = validate(RequestParam.body(req), {
        name: ['required', 'Name is required'],
        nick: ['lengthMin', 2, 'Too short'],
        age: [['required', 'Age is required'], ['integer', 'A whole number']],
      })
      const typed: { name: unknown; nick: string | null; age: number } = note
      send(res, 'ok', typed)
    })
    const { post } = await serving(app.use(errorHandler()))
    expect((await post('/', { name: 'Ada', age: '5' })).body.data).toEqual({ name: 'Ada', nick: null, age: 5 })
    expect((await post('/', { nick: 'a', age: 'x' })).body.data)
      .toEqual({ name: ['Name is required'], nick: ['Too short'], age: ['A whole number'] })
  })
})

describe('the rule', () => {
  it.each<[unknown[], readonly [unknown, unknown][]]>([
    [TAGS, [['news', 'news'], ['guide', 'guide'], ['News', M], [1, M], [['news'], M], [true, M], ['', null], [{}, M]]],
    [SIZES, [[1, 1], ['1', 1], ['2.5', 2.5], ['01', M], [3, M], ['x', M], [true, M], [[1], M]]],
    [CODE, [['ABC', 'ABC'], ['abc', M], ['ABCD', M], [5, M], ['A\nBC', M], [['ABC'], M]]],
    [['regex', /b/, M[0]], [['abc', 'abc'], ['ac', M]]],
    [['regex', /^b/gi, M[0]], [['BB', 'BB'], ['bb', 'bb'], ['bc', 'bc'], ['ab', M]]],
    [['regex', /b/y, M[0]], [['bb', 'bb'], ['bb', 'bb'], ['ab', M]]],
    [['url', M[0]], [
      ['https://example.com/a?b#c', 'https://example.com/a?b#c'],
      ['http://localhost:3000', 'http://localhost:3000'],
      ['javascript:alert(1)', M],
      ['ftp://example.com', M],
      ['example.com', M],
      ['//example.com', M],
      ['https://', M],
      ['https:///x', M],
      ['https://exa mple.com', M],
      [' https://example.com', M],
      ['https://example.com\n', M],
      [LONG, LONG],
      [`https://x@${HANZI}/@example.com`, M],
      [5, M],
    ]],
    [['boolean', M[0]], [
      [true, true],
      [false, false],
      ['true', true],
      ['false', false],
      [1, M],
      ['1', M],
      ['yes', M],
      ['', null],
    ]],
    [['date', M[0]], [
      ['2026-12-01', new Date('2026-12-01')],
      ['2026-12-01T08:30:00+02:00', new Date('2026-12-01T06:30:00Z')],
      ['2026-02-30', M],
      ['tomorrow', M],
      ['2026', M],
      [5, M],
      ['', null],
      ['2026-12-01T08:30:00', M],
    ]],
    [['array', M[0]], [[[], []], [[1, 'a', {}], [1, 'a', {}]], ['a', M], [{ 0: 'a' }, M], [5, M], [null, null], ['',
      null]]],
  ])('%j reads values', (rule, cases) => {
    for (const [value, result] of cases) {
      expect([value, checked([rule], value)]).toEqual([value, result])
      const needed = [['required', 'It is required'], rule]
      const isMissing = value === null || value === ''
      expect([value, checked(needed, value)]).toEqual([value, isMissing ? ['It is required'] : result])
    }
  })

  it('is not confused with another one that has the same text', () => {
    expect(checked([['regex', /a/, M[0]]], 'a')).toBe('a')
    expect(checked([['regex', /b/, M[0]]], 'a')).toEqual(M)
    expect(checked([['regex', /A/i, M[0]]], 'a')).toBe('a')
    expect(checked([['regex', /A/, M[0]]], 'a')).toEqual(M)
    expect(() => checked([['regex', '/a/', M[0]]], 'a')).toThrow(MisuseError)
    expect(() => checked([['in', [1n], M[0]]], 'a')).toThrow(MisuseError)
  })

  it('lets every broken rule of a string be named', () => {
    const rules = [['required', 'It is required'], ['lengthMax', 2, 'Too long'], ['regex', /^a/, 'Not like that'], [
      'in',
      ['ab', 'ac'],
      'Not one of them',
    ]]
    expect(checked(rules, 'ac')).toBe('ac')
    expect(checked(rules, 'bcd')).toEqual(['Too long', 'Not like that', 'Not one of them'])
  })

  it.each<[string, unknown]>([
    ['rule_parameter', ['in', [], M[0]]],
    ['rule_parameter', ['in', ['a', 1], M[0]]],
    ['rule_parameter', ['in', 'a', M[0]]],
    ['rule_parameter', ['in', [NaN], M[0]]],
    ['rule_parameter', ['in', [null], M[0]]],
    ['rule_parameter', ['regex', '^a$', M[0]]],
    ['rule_parameter', ['regex', M[0]]],
    ['rule_parameter', ['equals', '', M[0]]],
    ['rule_parameter', ['equals', 'it', M[0]]],
    ['rule_message', ['in', ['a']]],
    ['rule_message', ['boolean']],
    ['rule_message', ['equals', 'other']],
  ])('is refused with %s: %j', (code, rule) => {
    expect(() => checked([rule], 'x')).toThrow(expect.objectContaining({ code }) as Error)
  })

  it.each<[readonly unknown[][]]>([
    [[TAGS, ['integer', M[0]]]],
    [[SIZES, ['lengthMin', 1, M[0]]]],
    [[['array', M[0]], ['lengthMin', 1, M[0]]]],
    [[['date', M[0]], ['email', M[0]]]],
    [[['boolean', M[0]], ['integer', M[0]]]],
    [[['url', M[0]], ['date', M[0]]]],
  ])('is refused beside rules for another type: %j', (rules) => {
    expect(() => checked(rules, 'x')).toThrow(expect.objectContaining({ code: 'rule_conflict' }) as Error)
  })
})

describe('the rules `equals` and `confirmed`', () => {
  const equals = [['required', 'It is required'], ['lengthMin', 2, 'Too short'], ['equals', 'other', 'Not the same']]
  const confirmed = equals.map((rule) => (rule[0] === 'equals' ? ['confirmed', 'Not the same'] : rule))

  it.each([['other', equals], ['it_confirmation', confirmed]] as const)('compare with `%s` of the request',
    (name, rules) => {
      expect(checked(rules, 'abc', { [name]: 'abc' })).toBe('abc')
      expect(checked(rules, 'abc', { [name]: 'abd' })).toEqual(['Not the same'])
      expect(checked(rules, 'abc')).toEqual(['Not the same'])
      expect(checked(rules, 'a', { [name]: 'b' })).toEqual(['Too short', 'Not the same'])
      expect(checked(rules, undefined, { [name]: 'b' })).toEqual(['It is required'])
      expect(checked(rules, 'abc', { [name]: ['abc'] })).toEqual(['Not the same'])
      expect(checked([rules[2]], undefined)).toBeNull()
      expect(checked([rules[2]], 5, { [name]: 5 })).toBe(5)
    })

  it('leave the other field out of the result unless it has rules', () => {
    const only = { it: ['confirmed', 'Not the same'] } as const
    expect(validate({ it: 'a', it_confirmation: 'a', more: 1 }, only)).toEqual({ it: 'a' })
    const both = { it: ['equals', 'again', 'Not the same'], again: ['required', 'Say it again'] } as const
    expect(validate({ it: 'a', again: 'a' }, both)).toEqual({ it: 'a', again: 'a' })
  })

  it('apply to a partial update of the field', () => {
    const rules = { it: confirmed as unknown as readonly Rule[], name: [['optional']] } as Rules
    expect(validate({ name: 'x' }, rules, { partial: true })).toEqual({ name: 'x' })
    expect(validate({ it: 'abc', it_confirmation: 'abc' }, rules, { partial: true })).toEqual({ it: 'abc' })
    expect(() => validate({ it: 'abc' }, rules, { partial: true })).toThrow('Not the same')
    expect(() => validate({ it: 'abc', it_confirmation: 'x', name: 'x' }, rules, { partial: true })).toThrow(
      'Not the same',
    )
  })

  it('apply to the input of actions, PATCH included', async () => {
    const app = express()
    const input = { password: [['required', 'A password is required'], ['confirmed', 'Not the same']] } as const
    const handler = (_req: unknown, _res: unknown, args: object) => args
    mountResource(app, {
      route: '/users',
      name: 'users',
      handlers: { create: { input, handler }, store: { input, handler } },
    })
    const { send: ask } = await serving(app.use(errorHandler()))
    for (const [method, path, result] of [['POST', '/users', {}], ['PATCH', '/users/1', { id: '1' }]] as const) {
      expect((await ask(method, path, { body: { password: 'abc', password_confirmation: 'abc' } })).body.data)
        .toEqual({ ...result, password: 'abc' })
      expect(await ask(method, path, { body: { password: 'abc', password_confirmation: 'x' } }))
        .toMatchObject({ status: 422, body: { data: { password: ['Not the same'] } } })
    }
    expect((await ask('PATCH', '/users/1', { body: {} })).body.data).toEqual({ id: '1' })
  })
})

describe('a document', () => {
  it('describes each rule', () => {
    const app = express()
    const rules = {
      tag: [['required', 'A tag'], ['in', ['news', 'guide'], 'Not one']],
      size: ['in', [1, 2], 'Not one'],
      code: [['required', 'A code'], ['regex', /^[A-Z]{3}$/, 'Not it'], ['regex', /A/, 'Not it']],
      any: ['regex', /a/i, 'Not it'],
      site: [['required', 'A site'], ['url', 'No address']],
      day: ['date', 'No date'],
      list: [['required', 'A list'], ['array', 'No list']],
      on: ['boolean', 'True or false'],
      mail: [['required', 'A mail'], ['email', 'No address'], ['confirmed', 'Not the same']],
      flat: ['max', 5, 'Too much'],
      same: ['equals', 'mail', 'Not the same'],
    } as const satisfies Rules
    mountResource(app, { route: '/x', name: 'things', handlers: { create: { input: rules, handler: () => null } } })
    const document = openapi(app, { title: 'X', version: '1' })
    const schema = document.components.schemas.ThingCreate as { properties: Readonly<Record<string, unknown>>;
      required: string[] }
    expect(schema.properties).toEqual({
      tag: { type: 'string', enum: ['news', 'guide'] },
      size: { type: ['number', 'null'], enum: [1, 2, null] },
      code: { type: 'string', minLength: 1, pattern: '^[A-Z]{3}$', allOf: [{ pattern: 'A' }] },
      any: { type: ['string', 'null'], pattern: expect.stringContaining('u0000') as string },
      site: { type: 'string', minLength: 1, pattern: '\\S', format: 'uri' },
      day: { type: ['string', 'null'], format: 'date-time' },
      list: { type: 'array', items: {} },
      on: { type: ['boolean', 'null'] },
      mail: { type: 'string', minLength: 1, pattern: '\\S', format: 'email' },
      mail_confirmation: { type: 'string', minLength: 1, pattern: '\\S', format: 'email' },
      flat: { type: ['number', 'null'], maximum: 5 },
      same: {},
    })
    expect(schema.required).toEqual(['tag', 'code', 'site', 'list', 'mail', 'mail_confirmation'])
  })
})
