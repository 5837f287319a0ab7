import { existsSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { capital } from '../../core/index.js'
import { compilerOf } from './compiles.js'
import { isKnown, isRequired } from './fields.js'
import { namesOf } from './names.js'
import { candidates, isMentioned, readProject, type Project, type Runner } from './project.js'
import { referencesOf, type Reference } from './references.js'
import { AddError, type Load } from './modules.js'
import { findSource, type Source } from './source.js'
import { writeResource, type Target, type Typing } from './write-resource.js'
import { writeTest, type Parent } from './write-test.js'

export interface AddOptions {
  /** The module that exports the connection, or the table of Drizzle. */
  readonly from?: string | undefined
  /** The export to use. */
  readonly export?: string | undefined
  readonly route?: string | undefined
  readonly app?: string | undefined
  /** The folder of the resource. */
  readonly folder?: string | undefined
  readonly tests?: Runner | undefined
}

/** A file to write; its path is relative to the project. */
export interface NewFile {
  readonly path: string
  readonly text: string
}

/** The files of a resource, and what its user does with them. */
export interface Added {
  readonly files: readonly NewFile[]
  /** Tells the user what is left to do. */
  readonly steps: readonly string[]
}

/** Returns the files of a resource for a table or model. @throws AddError with what is wrong */
export async function filesFor(root: string, name: string, options: AddOptions, load: Load): Promise<Added> {
  const from = options.from === undefined ? undefined : resolve(root, options.from)
  if (from !== undefined && !existsSync(from)) throw new AddError(`There is no file ${options.from ?? ''}.`)
  const files = candidates(root).filter((file) => file !== from)
  const source = await findSource({ root, name, from, files, wanted: options.export }, load)
  refuse(source)
  const project = readProject(root, source.db.file, options.tests)
  const taken = [source.db.local ?? source.db.name]
  const names = namesOf(source.table.table, taken, source.library === 'prisma')
  const folder = options.folder ?? (existsSync(join(root, 'src')) ? 'src' : dirname(source.db.file))
  const file = join(folder, `${names.path}${project.extension}`)
  const references = referencesOf(project, source, names, file)
  const target: Omit<Target, 'typing'> = { names, file, route: options.route ?? `/${names.path}`, app: options.app,
    references }
  const test = join(project.testFolder ?? folder, `${names.path}.${project.testWord}${project.extension}`)
  refuseTaken(root, [file, test])
  const parents = await parentsOf(source, references)
  const [typing, text] = resourceText(project, source, target)
  return {
    files: [
      { path: file, text },
      { path: test, text: writeTest({ project, source, target: { ...target, typing }, parents }, test) },
    ],
    steps: stepsFor(source, target),
  }
}

/** @throws AddError for a file that exists */
function refuseTaken(root: string, paths: readonly string[]): void {
  const taken = paths.filter((path) => existsSync(join(root, path)))
  if (taken.length === 0) return
  const words = taken.length > 1 ? 'exist' : 'exists'
  throw new AddError(`${taken.join(' and ')} ${words} already. Nothing was written.`, 1)
}

/** Writes the resource; with Kysely by the types of the program, where these have the table and fit. */
function resourceText(project: Project, source: Source, target: Omit<Target, 'typing'>): readonly [Typing, string] {
  const write = (typing: Typing) => [typing, writeResource(project, source, { ...target, typing })] as const
  if (source.library !== 'kysely' || !project.isTypeScript) return write('own')
  if (!isMentioned(project.root, source.called)) return write('added')
  const check = compilerOf(project.root, target.file)
  const fit = (['own', 'added'] as const).map(write).find(([, text]) => check?.(text) === true)
  return fit ?? write(check === undefined ? 'added' : 'replaced')
}

/** @throws AddError for a table that a store cannot have, or whose rows cannot be created. */
function refuse({ table, called }: Source): void {
  const { keys, columns, isView } = table
  if (isView) throw new AddError(`\`${called}\` is a view. Write its routes with \`mountResource\`.`, 1)
  if (keys.length === 0) {
    throw new AddError(`\`${called}\` has no primary key, and a store needs one, of one column.`, 1)
  }
  if (keys.length > 1) {
    throw new AddError(`\`${called}\` has a primary key of several columns (${keys.join(', ')}), and a store needs `
      + 'a key of one column. If its rows link two tables, give one of them `links` (docs/crud.md#links); otherwise '
      + 'write its routes with `mountResource`.', 1)
  }
  const other = columns.find((column) => !isKnown(column) && isRequired({ ...column, name: 'other', kind: 'string' }))
  if (other !== undefined) {
    throw new AddError(`The column \`${other.name}\` of \`${called}\` is required and has the type ${other.type}, for `
      + 'which there is no schema. Write the resource by hand.', 1)
  }
}

/** Returns the rows of other tables that a test has to create: those of resources that need no others. */
async function parentsOf(source: Source, references: readonly Reference[]): Promise<Parent[]> {
  const parents: Parent[] = []
  for (const reference of references) {
    const column = source.table.columns.find(({ name }) => name === reference.field)
    if (reference.mounted === undefined || column === undefined || !isRequired(column)) continue
    const table = await source.related(reference.to)
    const isAlone = table?.keys.length === 1 && table.checks.length === 0
      && !table.columns.some((candidate) =>
        isRequired(candidate) && (candidate.references !== undefined || candidate.kind === 'other')
      )
    if (isAlone) parents.push({ reference, table })
  }
  return parents
}

function stepsFor({ table }: Source, { names, references }: Omit<Target, 'typing'>): string[] {
  const missing = references.filter(({ value }) => value === 'false').map(({ to }) => to.table)
  const verb = missing.length > 1 ? 'have' : 'has'
  return [
    `Call \`mount${capital(names.many)}(app)\` in front of \`notFound()\`.`,
    ...(missing.length === 0 ? [] : [
      `${[...new Set(missing)].join(', ')} ${verb} no resource beside: callers may name any row. Add those tables `
      + 'first, then this one, to let `references` check them.',
    ]),
    ...(table.checks.length > 0
      ? ['The table has a CHECK that no schema expresses: finish the test that is marked as todo.']
      : []),
  ]
}
