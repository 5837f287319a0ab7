import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, extname, join, relative } from 'node:path'

/** How the files of a project are written. */
export interface Project {
  readonly root: string
  readonly isTypeScript: boolean
  /** False for CommonJS. */
  readonly isModule: boolean
  readonly tests: 'vitest' | 'jest' | 'node'
  /** The folder of tests, relative to the root. */
  readonly testFolder: string
  /** The extension of imports of files of the project. */
  readonly importExtension: string
}

interface Manifest {
  readonly type?: string
  readonly dependencies?: object
  readonly devDependencies?: object
}

/** Describes the project in a folder by its package.json, tsconfig.json and folders. */
export function readProject(root: string, database: string): Project {
  const manifest = JSON.parse(textOf(join(root, 'package.json')) || '{}') as Manifest
  const packages = { ...manifest.dependencies, ...manifest.devDependencies }
  const config = textOf(join(root, 'tsconfig.json'))
  const isTypeScript = /\.[cm]?ts$/.test(database) || config !== '' && !/\.[cm]?js$/.test(database)
  const folder = ['test', 'tests', 'spec'].find((name) => existsSync(join(root, name)))
  return {
    root,
    isTypeScript,
    isModule: isTypeScript || manifest.type === 'module' && !database.endsWith('.cjs') || database.endsWith('.mjs'),
    tests: 'vitest' in packages ? 'vitest' : 'jest' in packages ? 'jest' : 'node',
    testFolder: folder ?? relative(root, dirname(database)),
    importExtension: isTypeScript ? extensionOf(config) : extname(database),
  }
}

function extensionOf(config: string): string {
  if (/"(?:allowImportingTsExtensions|rewriteRelativeImportExtensions)"\s*:\s*true/.test(config)) return '.ts'
  return /"module(?:Resolution)?"\s*:\s*"(?:commonjs|node|node10|bundler|preserve|esnext|es20\d\d)"/i.test(config)
    ? ''
    : '.js'
}

export function textOf(file: string): string {
  return existsSync(file) ? readFileSync(file, 'utf8') : ''
}

const FOLDERS = ['src', '.', 'src/db', 'src/database', 'db', 'database', 'lib']
const NAMES = /^(?:database|db|client|connection|data-source|index|kysely|knex|drizzle|prisma|schema|tables|stores?)$/

/** Lists the modules that may export a connection or tables; the one that was named comes alone. */
export function candidates(root: string, named: string | undefined): string[] {
  if (named !== undefined) return [join(root, named)]
  return FOLDERS.flatMap((folder) => {
    const path = join(root, folder)
    if (!existsSync(path)) return []
    return readdirSync(path)
      .filter((file) => /^[^.]+\.[cm]?[jt]s$/.test(file) && NAMES.test(basename(file, extname(file))))
      .map((file) => join(path, file))
      .filter((file) => /kysely|knex|drizzle|prisma/i.test(textOf(file)))
  })
}

/** Returns the specifier by which one file of the project imports another. */
export function specifierOf(project: Project, from: string, to: string): string {
  const path = relative(dirname(from), to).replace(/\.[cm]?[jt]s$/, project.importExtension).replaceAll('\\', '/')
  return path.startsWith('.') ? path : `./${path}`
}
