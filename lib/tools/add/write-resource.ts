import { existsSync } from 'node:fs'
import { dirname, extname, join } from 'node:path'
import { declaredTypeOf, filterOf, inputOf, isConfidential, isWritten, namesOf, outputOf, quote,
  typeOf } from './fields.js'
import { lowerFirst } from './prisma.js'
import { specifierOf, textOf, type Project } from './project.js'
import type { Source } from './source.js'

/** An import: the names, and where they come from. */
export interface Import {
  readonly names: readonly string[]
  readonly from: string
  readonly isType?: boolean
}

/** The place and address of a resource. */
export interface Target {
  readonly file: string
  readonly route: string
  readonly app: string | undefined
}

/** Writes imports in the form of the project; types have no import in JavaScript. */
export function importLines(project: Project, imports: readonly Import[]): string {
  return imports.filter(({ isType }) => isType !== true || project.isTypeScript).map(({ names, from, isType }) => {
    if (!project.isModule)
      return `const ${isPlain(names) ? names[0] : `{ ${names.join(', ')} }`} = require(${quote(from)})\n`
    const list = isPlain(names) ? String(names[0]) : `{ ${names.join(', ')} }`
    return `import ${isType === true ? 'type ' : ''}${list} from ${quote(from)}\n`
  }).join('')
}

/** True for a default import. */
function isPlain(names: readonly string[]): boolean {
  return names.length === 1 && ['express', 'assert'].includes(names[0] ?? '')
}

/** Writes the module of a resource. */
export function writeResource(project: Project, source: Source, { file, route, app }: Target): string {
  const { many, one } = namesOf(source)
  const { columns, keys } = source.table
  const written = columns.filter((column) => isWritten(column) && (!keys.includes(column.name) || !column.isGenerated))
  const shown = columns.filter((column) => column.kind !== 'other' && !isConfidential(column))
  const references = referencesOf(project, source, file)
  const store = storeOf(project, source)
  const schemas = `
/** What clients get. */
const ${one} = z.object({
${shown.map((column) => `  ${nameOf(column.name)}: ${outputOf(source, column)},\n`).join('')}}).meta({ id: '${one}' })

/** What clients send. */
const New${one} = z.object({
${written.map((column) => `  ${nameOf(column.name)}: ${inputOf(source, column)},\n`).join('')}})
`
  const usesParam = /\bparam\./.test(schemas)
  const imports: Import[] = [
    { names: ['Express'], from: 'express', isType: true },
    ...(store.names.length > 0 ? [{ names: store.names, from: 'kysely', isType: true }] : []),
    { names: ['mountResource', ...(usesParam ? ['param'] : [])], from: 'resourcery' },
    { names: ['crud'], from: 'resourcery/crud' },
    { names: [`${source.library}Store`], from: `resourcery/${source.library}` },
    { names: ['z'], from: 'zod' },
    ...references.imports,
    ...databaseImports(project, source, file, many),
  ]
  const mount = `mount${many[0]?.toUpperCase()}${many.slice(1)}`
  const [exported, types] = [project.isModule ? 'export ' : '', project.isTypeScript]
  return `${importLines(project, imports)}${store.types}${schemas}
${exported}const ${many} = crud(${store.call}, {
  input: New${one},
  output: ${one},
${listOptions(source)}${conflictsOf(source, written.map(({ name }) => name))}${references.option}})

/** Adds ${route} to an app, in front of \`notFound()\`. */
${exported}function ${mount}(app${types ? ': Express' : ''})${types ? ': void' : ''} {
  mountResource(app, { ${app === undefined ? '' : `app: ${quote(app)}, `}route: ${
    quote(route)
  }, name: '${many}', ...${many} })
}
${project.isModule ? '' : `\nmodule.exports = { ${many}, ${mount} }\n`}`
}

function nameOf(name: string): string {
  return /^[a-z_$][\w$]*$/i.test(name) ? name : quote(name)
}

function databaseImports(project: Project, { db, declared }: Source, file: string, many: string): Import[] {
  const table = declared === undefined
    ? []
    : [declared.name === many ? tableAlias(project, declared.name) : declared.name]
  if (declared === undefined || declared.file === db.file) {
    return [{ names: [db.name, ...table], from: specifierOf(project, file, db.file) }]
  }
  return [
    { names: [db.name], from: specifierOf(project, file, db.file) },
    { names: table, from: specifierOf(project, file, declared.file) },
  ]
}

function tableAlias({ isModule }: Project, name: string): string {
  return `${name}${isModule ? ' as' : ':'} ${name}Table`
}

/** Writes the call of the store, and the types of the columns where the program has none. */
function storeOf(project: Project, source: Source): { call: string; types: string; names: readonly string[] } {
  const { library, table, db, declared, isTyped } = source
  const { many, one } = namesOf(source)
  const types = table.columns.flatMap((column) => {
    const type = declaredTypeOf(source, column)
    return type === undefined ? [] : [`${nameOf(column.name)}: '${type}'`]
  })
  const [key = 'id'] = table.keys
  const options = [
    ...(key !== 'id' && (library === 'kysely' || library === 'knex') ? [`key: ${quote(key)}`] : []),
    ...(types.length > 0 ? [`columns: { ${types.join(', ')} }`] : []),
  ]
  const last = options.length > 0 ? `, { ${options.join(', ')} }` : ''
  if (library === 'prisma') return plain(`prismaStore(${db.name}, '${lowerFirst(table.name)}'${last})`)
  if (library === 'drizzle') {
    return plain(`drizzleStore(${db.name}, ${declared?.name === many ? `${many}Table` : declared?.name ?? ''})`)
  }
  const row = `${one}Columns`
  const isDeclared = project.isTypeScript && !isTyped
  const lines = table.columns.map((column) => {
    const hasDefault = library === 'kysely' && (column.isGenerated || column.default !== undefined)
    const type = typeOf(source, column)
    return `  ${nameOf(column.name)}: ${hasDefault ? `Generated<${type}>` : type}\n`
  })
  const text = isDeclared ? `\n/** The columns of the table. */\ninterface ${row} {\n${lines.join('')}}\n` : ''
  const name = quote(table.name)
  if (library === 'knex') {
    return { call: `knexStore${isDeclared ? `<${row}>` : ''}(${db.name}, ${name}${last})`, types: text, names: [] }
  }
  // The same object: a reference needs one connection.
  const typed = isDeclared ? `${db.name} as unknown as Kysely<{ ${nameOf(table.name)}: ${row} }>` : db.name
  return { call: `kyselyStore(${typed}, ${name}${last})`, types: text,
    names: isDeclared ? [...(text.includes('Generated<') ? ['Generated'] : []), 'Kysely'] : [] }
}

function plain(call: string): { call: string; types: string; names: readonly string[] } {
  return { call, types: '', names: [] }
}

function listOptions(source: Source): string {
  const shown = source.table.columns.filter((column) => column.kind !== 'other' && !isConfidential(column))
  const sorted = shown.filter(({ kind }) => kind !== 'json').map(({ name }) => quote(name))
  const searched = shown.filter(({ kind, values }) => kind === 'string' && values === undefined).map(({ name }) =>
    quote(name)
  )
  const filtered = shown.filter(({ kind, values }) => values !== undefined || kind === 'bool')
  return `  sort: [${sorted.join(', ')}],
${searched.length > 0 ? `  search: [${searched.join(', ')}],\n` : ''}\
${
    filtered.length > 0
      ? `  filters: {\n${
        filtered.map((column) => `    ${nameOf(column.name)}: { eq: ${filterOf(source, column)} },\n`).join('')
      }  },\n`
      : ''
  }`
}

function conflictsOf({ table }: Source, written: readonly string[]): string {
  const lines = [...table.uniques].filter(([name, field]) => name !== '' && written.includes(field)).map((
    [name, field],
  ) => `    ${nameOf(name)}: { field: ${quote(field)}, message: 'Already taken' },\n`)
  return lines.length > 0 ? `  conflicts: { // 409\n${lines.join('')}  },\n` : ''
}

/** Writes the references: to the resources that exist, and `false` where there is none. */
function referencesOf(project: Project, source: Source, file: string): { option: string; imports: Import[] } {
  const imports: Import[] = []
  const lines = source.table.columns.filter(isWritten).flatMap((column) => {
    if (column.references === undefined) return []
    const target = namesOf({ ...source, table: { ...source.table, name: column.references } })
    if (column.references === source.table.name)
      return [`    ${nameOf(column.name)}: false, // each row of this table\n`]
    const other = join(dirname(file), `${target.path}${extname(file)}`)
    const isThere = existsSync(join(project.root, other)) && new RegExp(`\\b${target.many} = crud\\(`)
      .test(textOf(join(project.root, other)))
    if (!isThere) return [`    ${nameOf(column.name)}: false, // ${column.references} has no resource: every row\n`]
    if (!imports.some(({ names }) => names[0] === target.many)) {
      imports.push({ names: [target.many], from: specifierOf(project, file, other) })
    }
    return [`    ${nameOf(column.name)}: ${target.many},\n`]
  })
  return { option: lines.length > 0 ? `  references: {\n${lines.join('')}  },\n` : '', imports }
}
