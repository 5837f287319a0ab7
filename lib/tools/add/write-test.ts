import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isRequired, isWritten, namesOf, quote } from './fields.js'
import { specifierOf, textOf, type Project } from './project.js'
import type { Source } from './source.js'
import type { Column } from './table.js'
import { importLines, type Import, type Target } from './write-resource.js'

/** Writes the test of a resource, on the database of the project. */
export function writeTest(project: Project, source: Source, target: Target, file: string): string {
  const { many } = namesOf(source)
  const mount = `mount${many[0]?.toUpperCase()}${many.slice(1)}`
  const { app, route } = target
  const isVitest = project.tests === 'vitest'
  const migrate = ['ts', 'js'].map((one) => join(project.root, dirname(target.file), `migrate.${one}`))
    .find((one) => /export async function migrate\b/.test(textOf(one)))
  const settings = ['ts', 'js'].map((one) => join(dirname(file), `environment.${one}`))
    .find((one) => existsSync(join(project.root, one)))
  const tests = testsOf(project, source, route, app)
  const names = ['express', ...(app === undefined ? [] : ['auth', 'permission']), 'errorHandler', 'notFound']
  const imports: Import[] = [
    ...(project.tests === 'node' ? [{ names: ['assert'], from: 'node:assert/strict' }] : []),
    ...(tests.includes('randomUUID()') ? [{ names: ['randomUUID'], from: 'node:crypto' }] : []),
    ...(project.tests === 'node'
      ? [{ names: ['after', ...(migrate === undefined ? [] : ['before']), 'test'], from: 'node:test' }]
      : []),
    { names: ['express'], from: 'express' },
    { names: names.slice(1), from: 'resourcery' },
    { names: ['inject'], from: 'resourcery/testing' },
    ...(isVitest
      ? [{ names: ['afterAll', ...(migrate === undefined ? [] : ['beforeAll']), 'expect', 'test'], from: 'vitest' }]
      : []),
  ]
  const own: Import[] = [
    { names: [mount], from: specifierOf(project, file, target.file) },
    { names: [closeName(source)],
      from: specifierOf(project, file, join(source.db.file).replace(`${project.root}/`, '')) },
    ...(migrate === undefined
      ? []
      : [{ names: ['migrate'], from: specifierOf(project, file, migrate.replace(`${project.root}/`, '')) }]),
  ]
  const [before, after] = project.tests === 'node' ? ['before', 'after'] : ['beforeAll', 'afterAll']
  const early = settings === undefined ? '' : importOnly(project, specifierOf(project, file, settings))
  return `${importLines(project, imports)}${early}${importLines(project, own)}
const app = express()
${
    app === undefined
      ? ''
      : `app.use(auth(${quote(app)}, { secret: 'a secret of the tests, at least 32 bytes' }), permission(${
        quote(app)
      }, { roles: { admin: ['*'] } }))\n`
  }${mount}(app)
app.use(notFound(), errorHandler())

${migrate === undefined ? '' : `${before}(() => migrate())\n`}${after}(() => ${closeCall(source)})
${tests}`
}

function importOnly(project: Project, from: string): string {
  return project.isModule ? `import ${quote(from)} // before the database\n` : `require(${quote(from)})\n`
}

function closeName({ close, db }: Source): string {
  return close ?? db.name
}

function closeCall({ close, db, library, dialect }: Source): string {
  if (close !== undefined) return `${close}()`
  if (library === 'prisma') return `${db.name}.$disconnect()`
  if (library === 'drizzle') return dialect === 'sqlite' ? `${db.name}.$client.close()` : `${db.name}.$client.end()`
  return `${db.name}.destroy()`
}

function testsOf(project: Project, source: Source, route: string, app: string | undefined): string {
  const equal = (actual: string, expected: string): string =>
    project.tests === 'node' ? `assert.equal(${actual}, ${expected})` : `expect(${actual}).toBe(${expected})`
  const as = app === undefined ? '' : ", as: { id: 1, role: 'admin' }"
  const { many, one } = namesOf(source)
  const { columns } = source.table
  const key = columns.find(({ name }) => name === source.table.keys[0])
  const needed = columns.filter((column) => isRequired(column) && column.references !== undefined)
  const body = columns.filter((column) => isWritten(column) && (isRequired(column) || column.name === key?.name))
  const fields = body.map((column) => `${column.name}: ${sampleOf(column, isUnique(source, column))}`).join(', ')
  const post =
    `inject${project.isTypeScript ? `<{ data: { ${key?.name}: string | number } }>` : ''}(app, { method: 'POST', `
    + `path: ${quote(route)}, body${as} })`
  const list = `
test('${many} are listed', async () => {
  const reply = await inject(app, { method: 'GET', path: ${quote(route)}${as} })
  ${equal('reply.status', '200')}
})
`
  const refused = firstRefusal(body, needed)
  const empty = refused === undefined ? '' : `
test('${article(one)} needs ${refused.name}', async () => {
  const reply = await inject(app, { method: 'POST', path: ${quote(route)}, body: {}${as} })
  ${equal('reply.status', '422')}
})
`
  if (needed.length > 0 && source.dialect === 'sqlite') return `${list}${empty}`
  if (needed.length > 0) {
    return `${list}${empty}
test('${article(one)} refers to records that exist', async () => {
  const body = { ${fields} }
  const { status } = await inject(app, { method: 'POST', path: ${quote(route)}, body${as} })
  ${equal('status === 409 || status === 422', 'true')}
})
`
  }
  const conflict = body.some((column) => isUnique(source, column))
    ? `  ${equal(`(await inject(app, { method: 'POST', path: ${quote(route)}, body${as} })).status`, '409')}\n`
    : ''
  return `${list}${empty}
test('${article(one)} is created, read and deleted', async () => {
  const body = { ${fields} }
  const created = await ${post}
  ${equal('created.status', '201')}
${conflict}  const path = \`${route}/\${created.json.data.${key?.name}}\`
  ${equal(`(await inject(app, { method: 'GET', path${as} })).status`, '200')}
  ${equal(`(await inject(app, { method: 'DELETE', path${as} })).status`, '200')}
  ${equal(`(await inject(app, { method: 'GET', path${as} })).status`, '404')}
})
`
}

function firstRefusal(body: readonly Column[], needed: readonly Column[]): Column | undefined {
  return body.find(isRequired) ?? needed[0]
}

function article(name: string): string {
  const words = name.replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2').toLowerCase()
  return `${/^[aeio]/.test(words) ? 'an' : 'a'} ${words}`
}

function isUnique({ table }: Source, { name }: Column): boolean {
  return [...table.uniques.values()].includes(name) || table.keys.length === 1 && table.keys[0] === name
}

/** Writes a value that a column accepts. */
function sampleOf(column: Column, isUniqueOne: boolean): string {
  const { kind, values, length, references } = column
  if (values !== undefined) return quote(values[0] ?? '')
  if (kind === 'int' || kind === 'bigint') return references !== undefined || isUniqueOne ? '2147483000' : '1'
  if (kind === 'uuid') return 'randomUUID()'
  if (kind === 'string') {
    if (references !== undefined || isUniqueOne)
      return length !== undefined && length < 36
        ? stringOf(length)
        : 'randomUUID()'
    return quote(/mail/i.test(column.name) ? 'ann@example.test'.slice(0, length ?? 16) : 'Sample'.slice(0, length ?? 6))
  }
  return SAMPLES[kind] ?? "''"
}

function stringOf(length: number): string {
  return `randomUUID().slice(0, ${length})`
}

const SAMPLES: Readonly<Partial<Record<Column['kind'], string>>> = {
  number: '1.5',
  decimal: "'1'",
  bool: 'true',
  date: "'2026-01-02T03:04:05.000Z'",
  calendarDate: "'2026-01-02'",
  json: '{}',
}
