import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { expect, it, onTestFinished } from 'vitest'
import { examplesOf } from './docs/examples.js'

const root = fileURLToPath(new URL('..', import.meta.url))

/** Examples with classes and schemas of a library that only `spec/libraries` installs. */
const OF_LIBRARIES = /^(?:sources|stores)\/(?:drizzle|knex|kysely|mongoose|prisma|sequelize|typeorm)\.ts$/

/** A name that belongs to the surroundings of an example, such as a database of the reader's. */
const UNKNOWN_NAMES = new Set([2304, 2307, 2503, 2552, 18004])

const ENTRIES = ['', '/crud', '/client', '/csv', '/dux', '/mcp', '/openapi', '/testing']

it('all examples of docstrings compile', { timeout: 120_000 }, () => {
  const folder = mkdtempSync(join(root, '.examples-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const names = readdirSync(join(root, 'lib'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
  const examples = names
    .filter((name) => !OF_LIBRARIES.test(name))
    .flatMap((name) => examplesOf(name, readFileSync(join(root, 'lib', name), 'utf8')))
  expect(examples.length).toBeGreaterThan(50)
  const files = examples.map(({ file, code }, index) => {
    const path = join(folder, `${index}.ts`)
    const provider = /^(react-admin|refine)\b/.exec(file)?.[1]
    const entries = provider === undefined ? ENTRIES : [`/${provider}`]
    writeFileSync(path, `${importsFor(code, entries)}\n${code}\nexport {}\n`)
    return { path, file, code }
  })
  // A declaration of callers applies to a whole program.
  const own = files.filter(({ code }) => code.includes('interface Callers'))
  const shared = files.filter((one) => !own.includes(one))
  for (const program of [shared, ...own.map((one) => [one])]) {
    expect(faultsOf(program.map(({ path }) => path), program.map(({ file }) => file))).toEqual([])
  }
})

/** Imports the exports of the entries that an example uses and does not declare. */
function importsFor(code: string, entries: readonly string[]): string {
  const seen = new Set<string>()
  return entries.map((entry) => {
    const used = exportsOf(entry).filter((name) => {
      const isUsed = new RegExp(`\\b${name}\\b`).test(code) && !new RegExp(`(?:const|type) ${name}\\b`).test(code)
      return isUsed && !seen.has(name)
    })
    for (const name of used) seen.add(name)
    return `import { ${used.join(', ')} } from 'resourcery${entry}'`
  }).join(';')
}

const exported = new Map<string, string[]>()

/** Returns the exported names of an entry, types included. */
function exportsOf(entry: string): string[] {
  const known = exported.get(entry)
  if (known !== undefined) return known
  const text = readFileSync(join(root, `lib/entries${entry === '' ? '/index' : entry}.ts`), 'utf8')
  const source = ts.createSourceFile('entry.ts', text, ts.ScriptTarget.ESNext)
  const found = source.statements.flatMap((statement) => {
    if (ts.isExportDeclaration(statement) && statement.exportClause && ts.isNamedExports(statement.exportClause)) {
      return statement.exportClause.elements.map(({ name }) => name.text)
    }
    const isExported = ts.canHaveModifiers(statement)
      && statement.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)
    if (!isExported) return []
    if (!ts.isVariableStatement(statement)) return 'name' in statement ? [(statement.name as ts.Identifier).text] : []
    return statement.declarationList.declarations.map(({ name }) => name.getText(source))
  })
  exported.set(entry, found)
  return found
}

/** Returns the messages of the compiler but those about names that are not known. */
function faultsOf(files: readonly string[], names: readonly string[]): string[] {
  const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), (file) => ts.sys.readFile(file)) as {
    config: unknown
  }
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root, undefined, join(root, 'tsconfig.json'))
  const ambient = ['lib/core/base/types.ts', 'spec/docs/example-prelude.ts'].map((file) => join(root, file))
  const settings = { ...options, noUnusedLocals: false, verbatimModuleSyntax: false }
  const program = ts.createProgram([...files, ...ambient], settings)
  return files.flatMap((file, index) =>
    ts.getPreEmitDiagnostics(program, program.getSourceFile(file))
      .filter(({ code }) => !UNKNOWN_NAMES.has(code))
      .map(({ messageText }) => `${names[index] ?? ''}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`)
  )
}
