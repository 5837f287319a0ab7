import { dirname, join } from 'node:path'
import { isRequired, member, property, quote } from './fields.js'
import { capital } from '../../core/index.js'
import { specifierOf, textOf, type Project } from './project.js'
import type { Reference } from './references.js'
import { bodyOf, isTakenTwice, missingKey } from './samples.js'
import type { Export } from './modules.js'
import type { Source } from './source.js'
import type { Column, Table } from './table.js'
import { importLines, importOf, type Import, type Target } from './write-resource.js'

/** A row of another table that a test creates first. */
export interface Parent {
  readonly reference: Reference
  readonly table: Table
}

interface Testing {
  readonly project: Project
  readonly source: Source
  readonly target: Target
  readonly parents: readonly Parent[]
}

/** Writes the test of a resource, on the database of the project. */
export function writeTest(given: Testing, file: string): string {
  const project = withImports(given.project)
  const testing = { ...given, project }
  const { source, target, parents } = testing
  const { isImmediate = false } = source.close
  const tests = testsOf(testing)
  const migrate = moduleIn(project, dirname(target.file), 'migrate', /export (?:async )?function migrate\b/)
  const settings = moduleIn(project, dirname(file), 'environment', /process\.env/)
  const [before, after] = project.tests === 'node' ? ['before', 'after'] : ['beforeAll', 'afterAll']
  const mounts: Export[] = [
    ...parents.flatMap(({ reference }) => reference.mounted?.mount ?? []),
    { file: target.file, name: `mount${capital(target.names.many)}` },
  ]
  const migration = migrate === undefined ? [] : [{ file: migrate, name: 'migrate' }]
  const own = [source.close.import, ...migration, ...mounts].map((exported) => importOf(project, file, exported))
  const early = settings === undefined ? '' : earlyImport(project, specifierOf(project, file, settings))
  const mounted = mounts.map(({ name }) => `${name}(app)\n`).join('')
  const packages = packagesOf(testing, tests, [after, ...(migrate === undefined ? [] : [before])])
  return `${importLines(project, packages)}${early}${importLines(project, own)}
const app = express()
${guardsOf(project, target.app)}${mounted}app.use(notFound(), errorHandler())
${tests.includes('inject<Reply>') ? '\ninterface Reply {\n  data: Record<string, unknown>\n}\n' : ''}
${migrate === undefined ? '' : `${before}(() => migrate())\n`}${after}(${isImmediate ? '' : 'async '}() => {
  ${isImmediate ? '' : 'await '}${source.close.call}
})
${tests}`
}

/** Returns the project as its tests see it: Vitest cannot be required, and reads imports in CommonJS packages too. */
function withImports(project: Project): Project {
  return project.tests === 'vitest' ? { ...project, isModule: true } : project
}

function packagesOf({ project, target: { app } }: Testing, tests: string, hooks: readonly string[]): Import[] {
  const runner: Readonly<Record<Project['tests'], readonly Import[]>> = {
    node: [{ names: [...hooks, 'test'], from: 'node:test' }],
    vitest: [{ names: [...hooks, 'expect', 'test'], from: 'vitest' }],
    jest: project.isModule ? [{ names: [...hooks, 'expect', 'test'], from: '@jest/globals' }] : [],
  }
  const guards = app === undefined ? [] : ['auth', 'permission']
  return [
    ...(project.tests === 'node' ? [{ names: ['assert'], from: 'node:assert/strict', isDefault: true }] : []),
    { names: ['randomInt', 'randomUUID'].filter((name) => tests.includes(`${name}(`)), from: 'node:crypto' },
    { names: ['express'], from: 'express', isDefault: true },
    { names: ['errorHandler', 'notFound', ...guards].sort(), from: 'resourcery' },
    { names: ['inject', ...(app === undefined || !project.isTypeScript ? [] : ['type InjectedCaller'])],
      from: 'resourcery/testing' },
    ...runner[project.tests],
  ]
}

/** Finds a module of the project beside a file. */
function moduleIn({ root }: Project, folder: string, name: string, content: RegExp): string | undefined {
  return ['ts', 'js', 'mts', 'mjs'].map((extension) => join(folder, `${name}.${extension}`))
    .find((path) => content.test(textOf(join(root, path))))
}

function earlyImport({ isModule, isTypeScript }: Project, from: string): string {
  return isModule || isTypeScript ? `import ${quote(from)} // before the database\n` : `require(${quote(from)})\n`
}

/** Writes the guards and the caller: TypeScript asks for the claims that the program declares of its callers. */
function guardsOf({ isTypeScript }: Project, app: string | undefined): string {
  if (app === undefined) return ''
  const type = isTypeScript ? ' as InjectedCaller // add what `Callers` declares, where a hook or a scope reads it' : ''
  return `const caller = { id: 1, role: 'admin' }${type}
app.use(
  auth(${quote(app)}, { secret: 'a secret of the tests, at least 32 bytes' }),
  permission(${quote(app)}, { roles: { admin: ['*'] } }),
)\n`
}

function testsOf(testing: Testing): string {
  const { project, source: { table, isEnforced }, target, parents } = testing
  const { names: { many, one }, route } = target
  const is = matcher(project, 'equal', 'toBe')
  const required = table.columns.filter(isRequired)
  const open = required.filter(({ name, references }) => (
    references !== undefined && !parents.some(({ reference }) => reference.field === name)
  ))
  const needed = required[0]
  const isReferred = open.some(({ name }) =>
    target.references.some(({ field, value }) => field === name && value !== 'false')
  )
  const begin = beginOf(project)
  return `
${begin}test('${many} are listed', async () => {
  const reply = await inject(app, { method: 'GET', path: ${quote(route)}${asCaller(target)} })
  ${is('reply.status', '200')}
})
${
    needed === undefined ? '' : `
${begin}test(${quote(`${article(one)} needs ${needed.name}`)}, async () => {
  const reply = await inject(app, { method: 'POST', path: ${quote(route)}, body: {}${asCaller(target)} })
  ${is('reply.status', '422')}
})
`
  }${
    table.checks.length > 0
      ? `\n// ${table.checks.map((text) => text.replaceAll(/\s+/g, ' ')).join(' and ')}: no schema expresses this.
${begin}test.todo('${article(one)} is created, changed and deleted')\n`
      : open.length === 0
      ? roundTrip(testing)
      : isEnforced || isReferred
      ? refusal(testing, open, isReferred)
      : ''
  }`
}

/** The promises of node:test are its own to await: linters want to see that this is meant. */
function beginOf({ tests, isTypeScript, isModule }: Project): string {
  return tests === 'node' && isTypeScript && isModule ? 'void ' : ''
}

function asCaller({ app }: Target): string {
  return app === undefined ? '' : ', as: caller'
}

/** Returns a function that writes a comparison of two expressions. */
function matcher({ tests }: Project, assertion: string, expectation: string) {
  return (actual: string, expected: string): string => (
    tests === 'node' ? `assert.${assertion}(${actual}, ${expected})` : `expect(${actual}).${expectation}(${expected})`
  )
}

/** Writes the test of a row that refers to one that does not exist. */
function refusal({ project, source: { table }, target }: Testing, open: readonly Column[],
  isReferred: boolean): string
{
  const { names: { one }, route } = target
  const missing = Object.fromEntries(open.map((column) => [column.name, missingKey(column)]))
  const words = open.map(({ references }) => references?.table ?? '').join(' and ')
  return `
${beginOf(project)}test(${quote(`${article(one)} refers to rows of ${words} that exist`)}, async () => {
  const body = ${bodyOf(table, missing)}
  const reply = await inject(app, { method: 'POST', path: ${quote(route)}, body${asCaller(target)} })
  ${matcher(project, 'equal', 'toBe')('reply.status', isReferred ? '422' : '409')}
})
`
}

function roundTrip(testing: Testing): string {
  const { project, source: { table }, target, parents } = testing
  const { names: { one }, route } = target
  const [is, same] = [matcher(project, 'equal', 'toBe'), matcher(project, 'deepEqual', 'toEqual')]
  const as = asCaller(target)
  const [key = 'id'] = table.keys
  const created = parents.map((parent) => parentOf(testing, parent))
  const fields = Object.fromEntries(created.map(({ field, value }) => [field, value]))
  const changed = table.columns.find((column) =>
    isRequired(column) && column.references === undefined
    && !table.keys.includes(column.name)
  )
  const status = (method: string, expected: string, more = ''): string =>
    `  ${is(`(await inject(app, { method: '${method}', path${more}${as} })).status`, expected)}\n`
  const again = isTakenTwice(table)
    ? `  ${is(`(await inject(app, { method: 'POST', path: ${quote(route)}, body${as} })).status`, '409')}\n`
    : ''
  const reply = project.isTypeScript ? '<Reply>' : ''
  const patch = changed === undefined
    ? ''
    : status('PATCH', '200', `, body: { ${property(changed.name)}: ${sampleIn(changed)} }`)
  return `
${beginOf(project)}test(${quote(`${article(one)} is created, read, changed and deleted`)}, async () => {
${created.map(({ before }) => before).join('')}  const body = ${bodyOf(table, fields)}
  const created = await inject${reply}(app, { method: 'POST', path: ${quote(route)}, body${as} })
  ${is('created.status', '201')}
${again}  const path = \`${route}/\${encodeURIComponent(String(${member('created.json.data', key)}))}\`
  const read = await inject${reply}(app, { method: 'GET', path${as} })
  ${same('read.json.data', 'created.json.data')}
${patch}${status('DELETE', '200')}${status('GET', '404')}${created.map(({ after }) => after).reverse().join('')}})
`
}

/** Writes a value for the change of a field: that of the body, where it need not be another one. */
function sampleIn(column: Column): string {
  return column.isList ? '[]' : member('body', column.name)
}

/** Writes how the row of another table is created before the test, and deleted after it. */
function parentOf({ project, target }: Testing, { reference, table }: Parent) {
  const { field, mounted } = reference
  const name = `${field.replaceAll(/\W|_?id$/gi, '') || 'other'}Reply`
  const as = asCaller(target)
  const route = mounted?.route ?? ''
  const value = member(`${name}.json.data`, table.keys[0] ?? 'id')
  const reply = project.isTypeScript ? '<Reply>' : ''
  return {
    field,
    value,
    before: `  const ${name} = await inject${reply}(app, { method: 'POST', path: ${quote(route)}, `
      + `body: ${bodyOf(table)}${as} })\n`,
    after:
      `  await inject(app, { method: 'DELETE', path: \`${route}/\${encodeURIComponent(String(${value}))}\`${as} })\n`,
  }
}

function article(name: string): string {
  const words = name.replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2').toLowerCase()
  return `${/^[aeio]/.test(words) ? 'an' : 'a'} ${words}`
}
