import { relative } from 'node:path'
import { hasProperties } from '../../core/index.js'
import { isDrizzleTable, libraryOf } from './libraries.js'

export interface Export {
  /** The file, relative to the project. */
  readonly file: string
  readonly name: string
  /** The name in the file that imports it, where it is another one. */
  readonly local?: string
}

export interface Found extends Export {
  readonly value: unknown
}

/** A mistake of the user, with a sentence. */
export class AddError extends Error {
  readonly status: 1 | 2

  constructor(message: string, status: 1 | 2 = 2) {
    super(message)
    this.status = status
  }
}

export type Load = (file: string) => Promise<unknown>

/** Where exports are searched for. */
export interface Searched {
  readonly root: string
  /** The module that the user has named. */
  readonly from: string | undefined
  /** The other modules that may export connections or tables. */
  readonly files: readonly string[]
}

interface Loaded {
  readonly found: readonly Found[]
  /** Tells which modules cannot be loaded. */
  readonly failures: readonly string[]
}

/**
 * Loads the modules of a project. A named one is loaded alone, unless it is of Drizzle, whose tables may be in another
 * module than the connection.
 *
 * @throws AddError if the named module cannot be loaded
 */
export async function exportsOf({ root, from, files }: Searched, load: Load): Promise<Loaded> {
  if (from === undefined) return loadAll(root, files, load)
  const { found, failures: [failure] } = await loadAll(root, [from], load)
  if (failure !== undefined) throw new AddError(failure)
  const isDrizzle = found.some(({ value }) => libraryOf(value) === 'drizzle' || isDrizzleTable(value))
  if (!isDrizzle) return { found, failures: [] }
  const others = await loadAll(root, files, load)
  return { found: [...found, ...others.found], failures: others.failures }
}

async function loadAll(root: string, files: readonly string[], load: Load): Promise<Loaded> {
  const found: Found[] = []
  const failures: string[] = []
  for (const path of files) {
    const file = relative(root, path)
    try {
      found.push(...namedExports(await load(path)).map(([name, value]) => ({ file, name, value })))
    } catch (error) {
      failures.push(`${file} cannot be loaded: ${error instanceof Error ? error.message : String(error)}`)
    }
  }
  return { found, failures }
}

/** Lists the exports of a module; names of CommonJS that Node.js does not find are properties of the default. */
function namedExports(module: unknown): (readonly [string, unknown])[] {
  if (!hasProperties(module)) return []
  const { default: inner } = module
  const isCommonJs = 'module.exports' in module || (typeof inner === 'object' && inner !== null && !libraryOf(inner))
  const all = isCommonJs ? { ...(inner ?? {}), ...module } : module
  return Object.entries(all).filter(([name]) => name !== 'module.exports')
}
