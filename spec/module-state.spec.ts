import { readdirSync, readFileSync } from 'node:fs'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'

const read = (path: string): string => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8')

const files = readdirSync(new URL('../lib', import.meta.url), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))

/** Matches values that change or that depend on the requests and the apps of the process. */
const STATE = /^(?:new Weak(?:Map|Set)\b|memoize(?:While)?\(|whileUnchanged\(|new (?:Map|Set)(?:<[^(]*>)?\(\)$)/

/** Returns the names of the variables of a module that keep state. */
function statesOf(file: string): string[] {
  const source = ts.createSourceFile(file, read(`lib/${file}`), ts.ScriptTarget.Latest, true)
  return source.statements.filter(ts.isVariableStatement).flatMap(({ declarationList: { flags, declarations } }) =>
    declarations
      .filter(({ initializer }) => (flags & ts.NodeFlags.Const) === 0 || STATE.test(initializer?.getText() ?? ''))
      .map(({ name }) => name.getText())
  )
}

describe('the state of modules', () => {
  it('is listed in CONTRIBUTING, by folder', () => {
    const states = new Map<string, string[]>()
    for (const file of files) {
      const folder = file.slice(0, file.lastIndexOf('/') + 1)
      for (const name of statesOf(file)) states.set(folder, [...states.get(folder) ?? [], name])
    }
    const page = read('CONTRIBUTING.md')
    const section = page.slice(page.indexOf('## State of modules'), page.indexOf('## The journey of a request'))
    const rows = [...section.matchAll(/^\| `([^`]+\/)` \| (.+) \|$/gm)]
    const listed = rows.map((
      [, folder = '', names = ''],
    ) => [folder, names.split(', ').map((name) => name.slice(1, -1))])
    const found = [...states].map(([folder, names]) => [folder, [...new Set(names)].sort()])
    expect(listed.sort()).toEqual(found.sort())
  })

  it('has at most thirty-two maps and sets by objects', () => {
    const count = files.map((file) => read(`lib/${file}`).split(/new Weak(?:Map|Set)/).length - 1)
    expect(count.reduce((sum, one) => sum + one, 0)).toBeLessThanOrEqual(32)
  })
})
