import { describe, expect, it } from 'vitest'
import { z as z3 } from 'zod/v3'
import { MisuseError } from 'resourcery'
import { compileRules } from '../../lib/core/validate/compile-rules.js'
import type { Rules } from 'resourcery'

describe('compileRules', () => {
  it('caches a schema by the object and by its content', () => {
    const rules: Rules = { name: [['required', 'Needed']] }
    expect(compileRules(rules)).toBe(compileRules(rules))
    expect(compileRules({ name: [['required', 'Needed']] })).toBe(compileRules(rules))
    expect(compileRules({ name: [['required', 'Really']] })).not.toBe(compileRules(rules))
  })

  it('keeps a limited number of schemas', () => {
    const first = compileRules({ name: [['required', 'number 0']] })
    for (let n = 1; n <= 600; n++) compileRules({ name: [['required', `number ${n}`]] })
    expect(compileRules({ name: [['required', 'number 0']] })).not.toBe(first)
  })

  it.each([
    ['rules_invalid', null],
    ['rules_invalid', 'name'],
    ['rules_invalid', [['required', 'x']]],
    ['rules_invalid', { name: 'required' }],
    ['rule_unknown', { name: [['requird', 'x']] }],
    ['rule_unknown', { name: [['constructor', 'x']] }],
    ['rule_unknown', { name: [[]] }],
    ['rule_unknown', { name: [5] }],
    ['rule_message', { name: ['required'] }],
    ['rule_message', { name: [['required']] }],
    ['rule_message', { name: [['email', '']] }],
    ['rule_message', { name: [['lengthMin', 2]] }],
    ['rule_message', { name: [['optional', 5]] }],
    ['rule_parameter', { name: [['lengthMin', 'Too short']] }],
    ['rule_parameter', { name: [['lengthMax', -1, 'x']] }],
    ['rule_parameter', { name: [['lengthMax', 1.5, 'x']] }],
    ['rule_parameter', { age: [['min', '3', 'x']] }],
    ['rule_parameter', { age: [['max', Infinity, 'x']] }],
    ['rule_parameter', { age: [['max', NaN, 'x']] }],
    ['rule_conflict', { name: [['required', 'x'], ['optional']] }],
    ['rule_conflict', { name: [['lengthMin', 2, 'x'], ['integer', 'y']] }],
  ])('throws %s for %j', (code, rules) => {
    const compile = () => compileRules(rules as unknown as Rules)
    expect(compile).toThrow(MisuseError)
    expect(compile).toThrow(expect.objectContaining({ code }))
    expect(compile).toThrow(MisuseError) // also the second time: invalid rules are not cached
  })

  it('names a schema of zod 3', () => {
    expect(() => compileRules(z3.object({ name: z3.string() }) as unknown as Rules)).toThrow(
      /The rules are a schema of zod 3\. Write .*, or a schema of zod 4\./,
    )
  })
})
