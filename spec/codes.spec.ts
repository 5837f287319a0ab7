import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

const read = (path: string): string => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8')
const source = read('lib/core/base/misuse.ts').split('export type MisuseCode =')[1]?.split('\n\n')[0] ?? ''
const page = read('docs/codes.md')
const matches = (text: string, pattern: RegExp): string[] =>
  [...text.matchAll(pattern)].map(([, found]) => String(found))

/** Lists the members of `MisuseCode`; codes that several libraries share have the form `{library}_key`. */
const codes = matches(source, /'([^']+)'/g).concat(
  matches(source, /`\$\{Library\}(_[a-z_]+)`/g).map((end) => `{library}${end}`),
)

describe('the misuse codes', () => {
  it('consist of an area and a problem', () => {
    expect(codes.filter((code) => !/^(?:[a-z0-9]+|\{library\})(?:_[a-z0-9]+)+$/.test(code))).toEqual([])
    expect(codes.length).toBeGreaterThan(90)
    expect(new Set(codes).size).toBe(codes.length)
  })

  it('are exactly those in the table of the docs', () => {
    const table = page.slice(page.indexOf('## Codes of mistakes'))
    expect(matches(table, /^\| `([^`]+)` \|/gm).sort()).toEqual(codes.toSorted())
  })

  it('are all thrown', () => {
    const files = readdirSync(new URL('../lib', import.meta.url), { recursive: true, encoding: 'utf8' }).filter((
      file,
    ) => file.endsWith('.ts'))
    const text = files.map((file) => read(`lib/${file}`)).join('\n').replace(source, '')
    const thrown = (code: string): boolean =>
      text.includes(`'${code}'`) || text.includes(`\`${code.replace('{library}', '${library}')}\``)
      || text.includes(code.replace('{library}', "'kysely"))
    // The three schemas of an action are checked in one place.
    const composed = ['input_invalid', 'query_invalid', 'output_invalid']
    expect(codes.filter((code) => !thrown(code) && !composed.includes(code))).toEqual([])
  })
})

it('lists every reason in the docs', () => {
  const union = /export type Reason =([^]*?)\n\n/.exec(read('lib/core/base/reason.ts'))?.[1] ?? ''
  const reasons = matches(union, /'([a-z_]+)'/g)
  const table = page.slice(0, page.indexOf('## Codes of mistakes'))
  const told = [
    ...matches(table, /`([a-z_]+)`/g),
    ...['missing', 'invalid', 'anonymous', 'in_use', 'reused'].filter((end) => table.includes(`\`${end}\``)).map((
      end,
    ) => `idempotency_key_${end}`),
  ]
  expect(reasons.length).toBeGreaterThan(10)
  expect(reasons.filter((reason) => !told.includes(reason))).toEqual([])
})
