import { describe, expect, it } from 'vitest'
import { checkOptionNames } from '../lib/options.js'

const KNOWN = ['secret', 'clockTolerance', 'renew']

const check = (options: unknown): void => checkOptionNames("auth('admin')", options, KNOWN, { slide: 'renew' })

describe('the names of options', () => {
  it('pass where all are known', () => {
    expect(() => check({})).not.toThrow()
    expect(() => check({ secret: 1, renew: undefined })).not.toThrow()
  })

  it.each([
    ['secrets', 'Did you mean `secret`? '], ['SECRET', 'Did you mean `secret`? '], ['clocktolerence', 'Did you mean `clockTolerance`? '],
    ['renw', 'Did you mean `renew`? '], ['audience', ''], ['constructor', ''], ['x', ''],
  ])('are refused where %s is none of them, with the close match and all there are', (name, question) => {
    expect(() => check({ secret: 1, [name]: 1 })).toThrow(expect.objectContaining({
      name: 'MisuseError', code: 'option_unknown',
      message: `auth('admin'): there is no option \`${name}\`. ${question}The options are secret, clockTolerance, renew.`,
    }))
  })

  it('are refused where an old one is used, with the name that replaced it', () => {
    expect(() => check({ slide: true })).toThrow("auth('admin'): the option `slide` is called `renew` now.")
  })

  it.each([[null, 'null'], [[], 'a list'], ['60', '"60"'], ['x'.repeat(40), 'a string'], [60, '60'], [() => 1, 'a function']])('are not looked for in %j, which is no object', (options, shown) => {
    expect(() => check(options)).toThrow(expect.objectContaining({ code: 'options_shape', message: `auth('admin'): the options are an object, not ${shown}.` }))
  })
})
