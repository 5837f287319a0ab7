import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, dirname, extname, join, relative } from 'node:path'

export type Runner = 'vitest' | 'jest' | 'node'

/** Describes the form of the files of a project. */
export interface Project {
  readonly root: string
  readonly isTypeScript: boolean
  /** False for CommonJS. */
  readonly isModule: boolean
  readonly tests: Runner
  /** The folder of tests, relative to the root; `undefined` for tests beside the files. */
  readonly testFolder: string | undefined
  /** The word in the names of tests: `books.test.ts`. */
  readonly testWord: 'test' | 'spec'
  /** The extension of the files that are written. */
  readonly extension: string
  /** The extension of imports of files of the project. */
  readonly importExtension: string
}

interface Manifest {
  readonly type?: string
  readonly dependencies?: object
  readonly devDependencies?: object
}

/** Describes the project in a folder by its package.json and tsconfig.json, and by the module of its connection. */
export function readProject(root: string, database: string, tests: Runner | undefined): Project {
  const manifest = JSON.parse(textOf(join(root, 'package.json')) || '{}') as Manifest
  const packages = { ...manifest.dependencies, ...manifest.devDependencies }
  const config = textOf(join(root, 'tsconfig.json'))
  const own = extname(database)
  const isTypeScript = own.endsWith('ts')
  const testFolder = ['test', 'tests', 'spec'].find((name) => isFolder(join(root, name)))
  return {
    root,
    isTypeScript,
    isModule: isModuleOf(own, manifest),
    tests: tests ?? (['vitest', 'jest'] as const).find((name) => name in packages) ?? 'node',
    testFolder,
    testWord: testFolder === 'spec' ? 'spec' : 'test',
    extension: own,
    importExtension: isTypeScript ? extensionOf(config, own) : own,
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}

/** TypeScript has the form of ES modules, whatever it is compiled to. */
function isModuleOf(extension: string, { type }: Manifest): boolean {
  if (extension === '.js') return type === 'module'
  return ['.ts', '.mts', '.mjs'].includes(extension)
}

function extensionOf(config: string, own: string): string {
  if (/"(?:allowImportingTsExtensions|rewriteRelativeImportExtensions)"\s*:\s*true/.test(config)) return own
  return /"module(?:Resolution)?"\s*:\s*"(?:commonjs|node|node10|bundler|preserve|esnext|es20\d\d)"/i.test(config)
    ? ''
    : own.replace('ts', 'js')
}

export function textOf(file: string): string {
  return existsSync(file) ? readFileSync(file, 'utf8') : ''
}

/** The folders that have no modules of the program. */
const OTHER = /^(?:\..*|node_modules|dist|build|out|coverage|public|tests?|spec|__tests__|migrations?|seeds?|scripts)$/
const CONNECTIONS =
  /new Kysely\b|\bknex\b|\bdrizzle\s*\(|(?:pg|mysql|sqlite)Table(?:Creator)?\s*\(|pgSchema\s*\(|new PrismaClient/i
const EXPORTS = /^\s*export\b|\bmodule\.exports\b|\bexports\.\w/m
const MOST_FILES = 2000

/** Lists the modules of a project, those of the highest folders first. */
function modulesIn(root: string): string[] {
  const files: string[] = []
  const folders = [root]
  for (let folder = folders.shift(); folder !== undefined && files.length < MOST_FILES; folder = folders.shift()) {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name)
      if (entry.isDirectory() && !OTHER.test(entry.name)) folders.push(path)
      else if (/\.[cm]?[jt]s$/.test(entry.name)) files.push(path)
    }
  }
  return files
}

/** Lists the modules that may export a connection or tables. */
export function candidates(root: string): string[] {
  return modulesIn(root).filter((file) => {
    if (!isModule(basename(file)) || relative(root, file).includes('generated')) return false
    const text = textOf(file)
    return CONNECTIONS.test(text) && EXPORTS.test(text)
  })
}

/** True if a type of the program may have a property of this name. */
export function isMentioned(root: string, name: string): boolean {
  const pattern = new RegExp(`(?:^|[\\s{;,'"])${name.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')}['"]?\\??\\s*:`)
  return modulesIn(root).some((file) => /\.[cm]?ts$/.test(file) && pattern.test(textOf(file)))
}

function isModule(name: string): boolean {
  return /^[^.]+\.[cm]?[jt]s$/.test(name) && !/^(?:migrate|migration|seed|knexfile)/i.test(name)
}

/** Returns the specifier by which one file of the project imports another. */
export function specifierOf({ importExtension }: Project, from: string, to: string): string {
  const path = relative(dirname(from), to).replace(/\.[cm]?[jt]s$/, importExtension).replaceAll('\\', '/')
  return path.startsWith('.') ? path : `./${path}`
}
