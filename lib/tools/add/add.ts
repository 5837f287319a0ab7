import { existsSync } from 'node:fs'
import { extname, join, relative } from 'node:path'
import { isRequired, namesOf } from './fields.js'
import { readProject } from './project.js'
import { findSource, type Source } from './source.js'
import { writeResource } from './write-resource.js'
import { writeTest } from './write-test.js'

interface AddOptions {
  /** The module that exports the connection, or the table of Drizzle. */
  readonly from: string | undefined
  readonly route: string | undefined
  readonly app: string | undefined
}

/** A file to write. */
export interface NewFile {
  readonly path: string
  readonly text: string
}

/** Returns the files of a resource for a table or model, or a text that says why there are none. */
export async function filesFor(
  root: string,
  name: string,
  { from, route, app }: AddOptions,
  load: (url: string) => Promise<object>,
): Promise<readonly NewFile[] | string> {
  const source = await findSource(root, name, from, load)
  if (typeof source === 'string') return source
  const refusal = refusalOf(source)
  if (refusal !== undefined) return refusal
  const own = inside(root, source)
  const project = readProject(root, source.db.file)
  const { path } = namesOf(source)
  const folder = ['src'].find((one) => existsSync(join(root, one))) ?? '.'
  const extension = project.isTypeScript ? '.ts' : extname(source.db.file)
  const target = { file: join(folder, `${path}${extension}`), route: route ?? `/${path}`, app }
  const test = join(project.testFolder, `${path}.${project.testFolder === 'spec' ? 'spec' : 'test'}${extension}`)
  return [
    { path: target.file, text: writeResource(project, own, target) },
    { path: test, text: writeTest(project, own, target, test) },
  ]
}

/** Makes the paths of a source relative to the project. */
function inside(root: string, source: Source): Source {
  const { db, declared } = source
  return {
    ...source,
    db: { ...db, file: relative(root, db.file) },
    ...(declared && { declared: { ...declared, file: relative(root, declared.file) } }),
  }
}

function refusalOf({ table }: Source): string | undefined {
  if (table.keys.length !== 1) {
    const keys = table.keys.length === 0
      ? 'no primary key'
      : `a primary key of several columns (${table.keys.join(', ')})`
    return `\`${table.name}\` has ${keys}, and a store needs a key of one column. `
      + 'Write its routes with `mountResource`.'
  }
  const other = table.columns.find((column) =>
    column.kind === 'other' && !column.isNullable && column.default === undefined
  )
  if (other !== undefined && isRequired({ ...other, kind: 'string' })) {
    return `The column \`${other.name}\` of \`${table.name}\` is required and has the type ${other.type}, for which `
      + 'there is no schema. Write the resource by hand.'
  }
  return undefined
}
