import { capital } from '../../core/index.js'
import { declaredTypeOf, inputOf, isConfidential, isInherited, isKnown, isPlain, isShown, isWritten, listed, outputOf,
  property, quote, typeOf, valueOf } from './fields.js'
import type { Names } from './names.js'
import { specifierOf, type Project } from './project.js'
import type { Reference } from './references.js'
import type { Export } from './modules.js'
import type { Source } from './source.js'
import type { Column } from './table.js'

export interface Import {
  readonly names: readonly string[]
  readonly from: string
  readonly isType?: boolean
  readonly isDefault?: boolean
}

/**
 * Where Kysely has the type of a row from: the types of the program, a row that the file adds to them, or one that
 * replaces them.
 */
export type Typing = 'own' | 'added' | 'replaced'

/** The place and address of a resource. */
export interface Target {
  readonly names: Names
  readonly file: string
  readonly route: string
  readonly app: string | undefined
  readonly references: readonly Reference[]
  readonly typing: Typing
}

/** Writes imports in the form of the project; types have no import in JavaScript. */
export function importLines(project: Project, imports: readonly Import[]): string {
  const { isModule, isTypeScript } = project
  return imports.filter(({ isType, names }) => names.length > 0 && (isType !== true || isTypeScript)).map(
    ({ names, from, isType, isDefault }) => {
      const list = isDefault === true ? String(names[0]) : `{ ${names.join(', ')} }`
      return isModule || isTypeScript
        ? `import ${isType === true ? 'type ' : ''}${list} from ${quote(from)}\n`
        : `const ${list.replaceAll(' as ', ': ')} = require(${quote(from)})\n`
    },
  ).join('')
}

/** Returns the import of an export of the project; a default export gets a name. */
export function importOf(project: Project, file: string, { file: from, name, local = name }: Export): Import {
  const isDefault = name === 'default'
  return { names: [isDefault || local === name ? local : `${name} as ${local}`], from: specifierOf(project, file, from),
    isDefault }
}

/** Writes the module of a resource. */
export function writeResource(project: Project, source: Source, target: Target): string {
  const { names: { many, one }, route, app, references } = target
  const { columns } = source.table
  const written = columns.filter(isWritten)
  const hidden = columns.filter((column) => !isKnown(column))
  const schemas = `${
    hidden.map(({ name, type }) => `// \`${name}\` (${type}) is left out: it has no schema.\n`).join('')
  }\
const ${one} = z.object({
${columns.filter(isShown).map((column) => `  ${property(column.name)}: ${outputOf(source, column)},\n`).join('')}\
}).meta({ id: '${one}' })
const New${one} = z.object({
${written.map((column) => fieldOf(source, column)).join('')}})
`
  const options = `  input: New${one}, output: ${one},
${idOption(source)}${listOptions(source)}${scopeNote(source)}${conflictsOf(source, written)}${referencesOption(target)}`
  const exported = project.isModule || project.isTypeScript ? 'export ' : ''
  const [type, result] = project.isTypeScript ? [': Express', ': void'] : ['', '']
  const usesParam = /\bparam\./.test(schemas + options)
  const imports: Import[] = [
    { names: ['Express'], from: 'express', isType: true },
    { names: ['mountResource', ...(usesParam ? ['param'] : [])], from: 'resourcery' },
    { names: ['crud', ...(references.some(({ isSelf }) => isSelf) && project.isTypeScript ? ['type Referenced'] : [])],
      from: 'resourcery/crud' },
    { names: [`${source.library}Store`], from: `resourcery/${source.library}` },
    { names: target.typing === 'replaced' ? ['Kysely'] : [], from: 'kysely', isType: true },
    { names: ['z'], from: 'zod' },
    ...ownImports(project, source, target),
  ]
  const last = exported === '' ? `\nmodule.exports = { ${many}, mount${capital(many)} }\n` : ''
  return `${importLines(project, imports)}
${rowType(project, source, target)}${schemas}
${storeOf(project, source, target)}
${exported}const ${many} = crud(store, {
${options}})

/** Adds ${route} to an app: call it in front of \`notFound()\`. */
${exported}function mount${capital(many)}(app${type})${result} {
  mountResource(app, { ${app === undefined ? '' : `app: ${quote(app)}, `}route: ${quote(route)}, name: '${many}', \
...${many} })
}
${last}`
}

function fieldOf(source: Source, column: Column): string {
  return `  ${property(column.name)}: ${inputOf(source, column)},${noteOf(source, column)}\n`
}

function noteOf({ library }: Source, column: Column): string {
  if (column.kind === 'json' && library === 'drizzle') return ' // any JSON: with a `$type` the column needs its schema'
  return isConfidential(column) ? ' // written, and never sent' : ''
}

function ownImports(project: Project, source: Source, { file, names, references }: Target): Import[] {
  const { db, declared } = source
  const table = declared && { ...declared, local: tableName(source, names) }
  const exports = [db, ...(table ? [table] : []), ...references.flatMap(({ resource }) => resource ?? [])]
  const imports = new Map<string, Import>()
  for (const exported of exports) {
    const made = importOf(project, file, exported)
    const imported = imports.get(made.from)
    const isJoined = imported !== undefined && made.isDefault !== true && imported.isDefault !== true
    const all = isJoined ? { ...imported, names: [...new Set([...imported.names, ...made.names])] } : made
    imports.set(isJoined || imported === undefined ? made.from : `${made.from} ${made.names.join()}`, all)
  }
  return [...imports.values()]
}

/** Names the table of Drizzle in the file, beside the resource. */
function tableName({ declared }: Source, { many }: Names): string {
  const name = declared?.name ?? ''
  return name === many || name === 'default' ? `${many}Table` : name
}

/** True if the file declares the row of the table: the types of the program may not name it. */
function hasRow(project: Project, { library }: Source, { typing }: Target): boolean {
  return project.isTypeScript && (library === 'knex' || (library === 'kysely' && typing !== 'own'))
}

function rowType(project: Project, source: Source, target: Target): string {
  if (!hasRow(project, source, target)) return ''
  const lines = source.table.columns.filter(({ name }) => !isInherited(name)).map((column) => (
    `  ${property(column.name)}: ${typeOf(source, column)}\n`
  ))
  return `interface ${target.names.one}Row {\n${lines.join('')}}\n\n`
}

function storeOf(project: Project, source: Source, target: Target): string {
  const { library, db, called } = source
  const options = storeOptions(source)
  const row = hasRow(project, source, target) ? `${target.names.one}Row` : undefined
  const database = row === undefined || library === 'knex'
    ? db.local ?? db.name
    : typedDatabase(db.local ?? db.name, target, `{ ${property(called)}: ${row} }`)
  const table = library === 'drizzle' ? tableName(source, target.names) : quote(called)
  const type = row !== undefined && library === 'knex' ? `<${row}>` : ''
  const begin = `const store = ${library}Store${type}(${database}, ${table}`
  return options.length === 0 ? `${begin})\n` : `${listed(`${begin}, `, ['{', '}'], options)})\n`
}

function storeOptions(source: Source): string[] {
  const { library, table } = source
  const types = table.columns.filter(isKnown).flatMap((column) => {
    const type = declaredTypeOf(source, column)
    return type === undefined ? [] : [`${property(column.name)}: '${type}'`]
  })
  const [key = 'id'] = table.keys
  return [
    ...(key !== 'id' && (library === 'kysely' || library === 'knex') ? [`key: ${quote(key)}`] : []),
    ...(types.length > 0 ? [listed('  columns: ', ['{', '}'], types).trim()] : []),
  ]
}

function typedDatabase(local: string, { typing }: Target, tables: string): string {
  if (typing === 'added') return `${local}.withTables<${tables}>()`
  return typing === 'replaced' ? `${local} as unknown as Kysely<${tables}>` : local
}

/** Writes the schema of the key in the path, where it is not an integer. */
function idOption(source: Source): string {
  const key = source.table.columns.find(({ name }) => name === source.table.keys[0])
  const schema = key === undefined ? 'param.int()' : valueOf(source, key)
  return schema.startsWith('param.int()') ? '' : `  id: ${schema},\n`
}

/** The parameters that a list has anyway. */
const PARAMETERS = new Set(['page', 'limit', 'sort', 'search', 'ids', 'cursor', 'tree', 'include'])

const SORTED = new Set<Column['kind']>(['int', 'bigint', 'number', 'decimal', 'string', 'date', 'calendarDate'])

function listOptions(source: Source): string {
  const shown = source.table.columns.filter((column) => isShown(column) && !column.isList && isPlain(column.name))
  const sorted = shown.filter(({ kind }) => SORTED.has(kind)).map(({ name }) => quote(name))
  const searched = shown.filter(({ kind, values, allowed }) => kind === 'string' && (values ?? allowed) === undefined)
    .map(({ name }) => quote(name))
  const filtered = shown.filter(({ name, kind, values, allowed, references }) =>
    !PARAMETERS.has(name) && ((values ?? allowed) !== undefined || kind === 'bool' || references !== undefined)
  )
  const filters = filtered.map((column) => (
    `    ${property(column.name)}: { eq: ${valueOf(source, column)} },\n`
  ))
  return `${listed('  sort: ', ['[', ']'], sorted)},
${searched.length > 0 ? `${listed('  search: ', ['[', ']'], searched)},\n` : ''}\
${filters.length > 0 ? `  filters: {\n${filters.join('')}  },\n` : ''}`
}

/** Suggests a scope for a column with the name of an owner. */
function scopeNote({ table }: Source): string {
  const owner = table.columns.find(({ name }) =>
    /^(?:tenant|organi[sz]ation|org|account|workspace|company|owner|user)_?id$/i.test(name)
  )
  if (owner === undefined || !isPlain(owner.name)) return ''
  const scope = `scope: (req) => [['${owner.name}', '=', …]]`
  return `  // Does \`${owner.name}\` say whose row it is? Then ${scope}, see docs/crud.md#scope.\n`
}

function conflictsOf({ table, dialect }: Source, written: readonly Column[]): string {
  // SQLite names no constraint in its errors.
  if (dialect === 'sqlite') return ''
  const lines = [...table.uniques].flatMap(([name, [field, ...others]]) => {
    const isWrittenOne = others.length === 0 && written.some((column) => column.name === field)
    const message = 'Already taken'
    return isWrittenOne ? [`    ${property(name)}: { field: ${quote(field ?? '')}, message: '${message}' },\n`] : []
  })
  return lines.length > 0 ? `  conflicts: {\n${lines.join('')}  },\n` : ''
}

function referencesOption({ references }: Target): string {
  const lines = references.map(({ field, value, note }) => (
    `    ${property(field)}: ${value},${note === undefined ? '' : ` // ${note}`}\n`
  ))
  return lines.length > 0 ? `  references: {\n${lines.join('')}  },\n` : ''
}
