import { readdirSync, readFileSync } from 'node:fs'
import { STATUS_CODES } from 'node:http'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import { FIELDS } from '../lib/core/base/messages/field-texts.js'
import { REPLIES, SUCCESSES } from '../lib/core/base/messages/reply-texts.js'

const read = (path: string): string => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8')
const page = read('docs/codes.md')
const section = page.slice(page.indexOf('## Messages to clients'), page.indexOf('## Codes of mistakes'))
const [replyTable = '', otherTables = ''] = section.split('### Messages of fields')
const [fieldTable = '', successTable = ''] = otherTables.split('### Messages of successes')

/** Returns the cells of a table's rows without its head. */
function rowsOf(table: string): string[][] {
  const rows = [...table.matchAll(/^\| (.+) \|$/gm)].map(([, cells = '']) => cells.split(' | '))
  return rows.slice(1)
}

function documented(text: string | { readonly other: string }): string {
  return typeof text === 'string' ? text : text.other
}

const files = readdirSync(new URL('../lib', import.meta.url), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && !file.startsWith('messages'))
  .map((file) => ({ file, source: ts.createSourceFile(file, read(`lib/${file}`), ts.ScriptTarget.Latest, true) }))

function nodesOf(source: ts.SourceFile): ts.Node[] {
  const found: ts.Node[] = []
  const visit = (node: ts.Node): void => {
    found.push(node)
    ts.forEachChild(node, visit)
  }
  visit(source)
  return found
}

describe('the messages to clients', () => {
  it('are listed in the table of the docs with their reasons', () => {
    const rows = rowsOf(replyTable)
    const expected = Object.entries(REPLIES).map((
      [key, text],
    ) => [`\`${key.split('.')[0]}\``, `\`${key}\``, documented(text)])
    expect(rows.map(([, ...cells]) => cells.slice(0, 3)).sort()).toEqual(expected.sort())
    expect(rows.filter(([status = '', , , , when]) => !(status in STATUS_CODES || status === '4xx') || !when)).toEqual(
      [],
    )
  })

  it('of fields are listed in the second table', () => {
    const rows = rowsOf(fieldTable)
    const expected = Object.entries(FIELDS).map(([key, text]) => [`\`${key}\``, documented(text)])
    expect(rows.map((cells) => cells.slice(0, 2)).sort()).toEqual(expected.sort())
    expect(rows.filter(([, , when]) => !when)).toEqual([])
  })

  it('of successes are listed in the third table', () => {
    const rows = rowsOf(successTable)
    const expected = Object.entries(SUCCESSES).map(([key, text]) => [`\`${key}\``, text])
    expect(rows.map((cells) => cells.slice(0, 2)).sort()).toEqual(expected.sort())
    expect(rows.filter(([, , when]) => !when)).toEqual([])
  })

  it('of successes are those that the actions of crud have', () => {
    const found = files.filter(({ file }) => file.startsWith('crud/')).flatMap(({ source }) =>
      [...source.text.matchAll(/\bmessage: '([^']+)'|\breply\('([^']+)'/g)].map(([, one, two]) => one ?? two)
    )
    expect([...new Set([...found, 'ok'])].sort()).toEqual(Object.values(SUCCESSES).sort())
  })

  it('are all used in the code', () => {
    const text = files.map(({ source }) => source.text).join('\n')
    // Keys such as `field.format.email` are built from zod's names.
    const isSent = (key: string): boolean =>
      text.includes(`'${key}'`) || key.startsWith('field.format.')
      || /^field\.(?:at_least|at_most|exactly)\.(?:characters|items|bytes|entries)$/.test(key)
    expect([...Object.keys(REPLIES), ...Object.keys(FIELDS)].filter((key) => !isSent(key))).toEqual([])
  })
})

/** The errors whose message is shown; that of a 5xx is for the log. */
const SHOWN =
  /^(?:HttpError|NotFoundError|ValidationError|UnauthorizedError|ForbiddenError|ConflictError|BusinessError|\w+Violation)$/

const BESIDE = /^(?:reason|challenge|headers|cause|columns|constraint)$/

/** Returns the literal texts that an expression gives to an error; calls, such as of `messageOf`, give none. */
function literalsIn(node: ts.Node): string[] {
  if (ts.isStringLiteralLike(node) || ts.isTemplateExpression(node)) {
    return node.getText() === "''"
      ? []
      : [node.getText()]
  }
  if (ts.isPropertyAssignment(node)) return BESIDE.test(node.name.getText()) ? [] : literalsIn(node.initializer)
  return ts.isCallExpression(node) ? [] : node.getChildren().flatMap(literalsIn)
}

/**
 * The files whose errors are those of lib/core/base/errors.ts or lib/crud/contract/violations.ts; clients and providers have classes of their own.
 */
const checked = files.filter(({ file, source }) =>
  !file.startsWith('client/')
  && /from '[./]+(?:core\/|contract\/|base\/)*(?:errors|store|violations|index)\.js'/.test(source.text)
)

describe('the code of lib', () => {
  it('takes every message to a client from the table', () => {
    const found = checked.flatMap(({ file, source }) =>
      nodesOf(source).flatMap((node) => {
        if (!ts.isNewExpression(node) || !SHOWN.test(node.expression.getText())) return []
        const [first, ...others] = node.arguments ?? []
        const isHidden = first !== undefined && ts.isNumericLiteral(first) && first.text.startsWith('5')
        return isHidden
          ? []
          : [first, ...others].flatMap((argument) => (argument === undefined ? [] : literalsIn(argument))).map((text) =>
            `${file}: ${text}`
          )
      })
    )
    expect(found).toEqual([])
  })

  it('gives keys to the messages of stores', () => {
    const calls = files.flatMap(({ file, source }) =>
      nodesOf(source).flatMap((node) =>
        ts.isCallExpression(node) && /^(?:misfit|blame)$/.test(node.expression.getText()) ? [{ file, node }] : []
      )
    )
    // Some libraries have a `misfit` of their own, which makes a MisuseError.
    const toClients = calls.filter(({ file }) => !/(?:library|-store)\.ts$/.test(file))
    const literal = toClients.filter(({ node }) => node.arguments.some(ts.isStringLiteralLike))
    expect([toClients.length > 5, literal.map(({ file, node }) => `${file}: ${node.getText()}`)]).toEqual([true, []])
  })

  it('has no literal messages in its schemas', () => {
    const found = files.flatMap(({ file, source }) =>
      nodesOf(source).flatMap((node) => {
        const isError = ts.isPropertyAssignment(node) && node.name.getText() === 'error'
          && ts.isStringLiteralLike(node.initializer)
        return isError ? [`${file}: ${node.getText()}`] : []
      })
    )
    expect(found).toEqual([])
  })
})
