import { dirname, extname, join } from 'node:path'
import { isWritten } from './fields.js'
import { capital } from '../../core/index.js'
import { namesOf, type Names } from './names.js'
import { textOf, type Project } from './project.js'
import type { Export } from './modules.js'
import type { Source } from './source.js'
import type { TableName } from './table.js'

/** The foreign key of a column that callers write. */
export interface Reference {
  readonly field: string
  readonly to: TableName
  /** The value of the option `references`. */
  readonly value: string
  readonly note?: string
  /** The resource of the other table, where the project has one. */
  readonly resource?: Export
  /** The function that mounts it, and its address. */
  readonly mounted?: { readonly mount: Export; readonly route: string }
  readonly isSelf: boolean
}

/** Returns the references to the resources that are in files beside, and to the table itself; `false` for others. */
export function referencesOf(project: Project, source: Source, names: Names, file: string): Reference[] {
  return source.table.columns.filter(isWritten).flatMap((column): Reference[] => {
    const to = column.references
    if (to === undefined) return []
    const base = { field: column.name, to, isSelf: false }
    if (to.table === source.table.table && (to.schema ?? source.table.schema) === source.table.schema) {
      const key = column.kind === 'int' || column.kind === 'bigint' ? 'number' : 'string'
      const type = project.isTypeScript ? `: Referenced<${key}>` : ''
      return [{ ...base, value: `()${type} => ${names.many}`, isSelf: true }]
    }
    const resource = resourceOf(project, namesOf(to.table, [], source.library === 'prisma'), file)
    if (resource !== undefined) return [{ ...base, value: resource.resource.name, ...resource }]
    return [{ ...base, value: 'false', note: `any row: ${to.table} has no resource here` }]
  })
}

/** Finds the resource of another table in the file that `add` would write for it. */
function resourceOf(project: Project, { many, path }: Names, file: string) {
  const other = join(dirname(file), `${path}${extname(file)}`)
  const text = textOf(join(project.root, other))
  if (!new RegExp(`\\bconst ${many} = crud\\(`).test(text)) return undefined
  const mount = `mount${capital(many)}`
  const [, route] = /\broute: '([^']*)'/.exec(text) ?? []
  const isMounted = route !== undefined && text.includes(`function ${mount}(`)
  return {
    resource: { file: other, name: many },
    ...(isMounted && { mounted: { mount: { file: other, name: mount }, route } }),
  }
}
