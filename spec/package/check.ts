import { spawnSync, type SpawnSyncOptions } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'rolldown'
import { isNightly } from '../support/nightly.js'
import { NODE_VERSIONS, nodeProgram } from '../support/node-versions.js'
import { formsOf, TYPESCRIPT, type Form } from './types.js'

/*
 * Packs the package, installs it where it cannot find this repository, and uses it there: see consumer.ts. In
 * .ci/nightly TypeScript finds it in all forms of types.ts, otherwise in some of them.
 * It needs a build in dist/ and the npm registry, for the dependencies and for the other versions of Node.js.
 */

const SOURCES = ['consumer.ts', 'declared.ts', 'declared-crud.ts', 'declared-values.ts', 'es-client.mts']
const PEERS = ['express', '@types/express', 'zod', 'kysely']
/** What CommonJS requires of other packages; all of them have a form for it. */
const REQUIRED = ['express', 'http-errors', 'multer', 'csv-parse', 'csv-stringify/sync', 'fast-check']
const KINDS = { esm: 'module', commonjs: 'commonjs' }

const root = fileURLToPath(new URL('../..', import.meta.url))
const scratch = mkdtempSync(join(tmpdir(), 'resourcery-package-'))
const { version, devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  readonly version: string
  readonly devDependencies: Readonly<Record<string, string>>
}

try {
  install()
  compile()
  for (const form of formsOf(isNightly)) compileAs(form)
  checkCommonJs()
  await bundle()
  // By day the oldest: the version of this process is one more.
  for (const wanted of isNightly ? NODE_VERSIONS : NODE_VERSIONS.slice(0, 1)) {
    const node = nodeProgram(wanted, scratch)
    for (const kind of Object.keys(KINDS)) use(node, kind)
    loadBothWays(node)
  }
} finally {
  rmSync(scratch, { recursive: true, force: true })
}

function install(): void {
  npm(['pack', '--silent', '--pack-destination', scratch], { cwd: root })
  writeFileSync(join(scratch, 'package.json'), JSON.stringify({ private: true }))
  const peers = PEERS.map((name) => `${name}@${devDependencies[name] ?? ''}`)
  npm(['install', join(scratch, `resourcery-${version}.tgz`), ...peers])
  const compilers = Object.entries(TYPESCRIPT).map(([version, source]) => `typescript-${version}@${source}`)
  npm(['install', ...compilers])
  cpSync(join(scratch, 'node_modules/resourcery'), join(scratch, 'copy/node_modules/resourcery'), { recursive: true })
  say('packed and installed with', ...peers)
}

/**
 * Compiles the sources as both kinds of module. `skipLibCheck` is off, so that the declarations must compile without
 * the settings of this repository, and declarations are emitted, so that each inferred type must have a name.
 */
function compile(): void {
  const compilerOptions = {
    target: 'es2023',
    lib: ['es2023'],
    module: 'nodenext',
    types: ['node'],
    strict: true,
    skipLibCheck: false,
    declaration: true,
    outDir: 'out',
  }
  for (const [kind, type] of Object.entries(KINDS)) {
    const folder = join(scratch, kind)
    mkdirSync(folder)
    for (const file of SOURCES) cpSync(join(root, 'spec/package', file), join(folder, file))
    writeFileSync(join(folder, 'getting-started.ts'), gettingStarted())
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ type }))
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts', '*.mts'] }))
    run(process.execPath, [createRequire(import.meta.url).resolve('typescript/bin/tsc'), '-p', folder])
    say('compiles, declarations checked:', kind)
  }
}

/** Returns the first program of Getting started, on a free port, which closes as soon as it listens. */
function gettingStarted(): string {
  const [, program = ''] = /```ts\n(.*?)```/s.exec(readFileSync(join(root, 'docs/getting-started.md'), 'utf8')) ?? []
  return `${program.replace('port: 3000', 'port: 0')}void running.then(({ close }) => close())\n`
}

/** Compiles a module that imports every subpath, with the declarations of all dependencies checked. */
function compileAs({ version, name, type, options }: Form): void {
  const folder = join(scratch, `${version}-${name.replaceAll(/\W+/g, '-')}`)
  mkdirSync(folder)
  cpSync(join(root, 'spec/package/subpaths.ts'), join(folder, 'subpaths.ts'))
  const common = { target: 'es2023', lib: ['es2023'], types: ['node'], strict: true, noEmit: true, skipLibCheck: false }
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ type }))
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ compilerOptions: { ...common, ...options }, include: ['subpaths.ts'] }),
  )
  run(process.execPath, [join(scratch, `node_modules/typescript-${version}/bin/tsc`), '-p', folder])
  say(`every subpath compiles: TypeScript ${version},`, name)
}

/** Checks that CommonJS needs nothing that a test runner or an old Node.js cannot load: `import()`, ES modules. */
function checkCommonJs(): void {
  const folder = join(scratch, 'node_modules/resourcery/dist')
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.cjs'))
  for (const file of files) {
    const text = readFileSync(join(folder, file), 'utf8')
    const required = [...text.matchAll(/\brequire\("([^"]+)"\)/g)].map(([, id]) => String(id))
    const unknown = required.filter((id) => !/^(?:node:|url$|\.{1,2}\/.+\.cjs$)/.test(id) && !REQUIRED.includes(id))
    if (unknown.length > 0 || /\bimport\(/.test(text)) {
      throw new Error(`${file} has an import() or requires ${unknown.join(', ')}`)
    }
  }
  say(`${files.length} files of CommonJS require no ES module`)
}

function loadBothWays(node: string): void {
  cpSync(join(root, 'spec/package/instances.mjs'), join(scratch, 'instances.mjs'))
  run(node, [join(scratch, 'instances.mjs'), join(scratch, 'copy')])
  say('one instance by import and require on Node.js', run(node, ['--version']).trim())
}

/** Bundles the client for browsers from the installed package: it must be small and free of Node.js. */
async function bundle(): Promise<void> {
  const input = join(scratch, 'node_modules/resourcery/dist/entries/client.js')
  const { output } = await build({ input, write: false, platform: 'browser', output: { minify: true } })
  const [{ code, imports }] = output
  const size = Buffer.byteLength(code)
  if (imports.length > 0 || code.includes('node:') || size >= 4500) {
    throw new Error(`resourcery/client has ${size} bytes and imports ${imports.join(', ') || 'nothing'}`)
  }
  say(`resourcery/client has ${size} bytes`)
}

function use(node: string, kind: string): void {
  for (const file of ['consumer.js', 'getting-started.js']) run(node, [join(scratch, kind, 'out', file)])
  say('works on Node.js', run(node, ['--version']).trim(), 'as', kind)
}

function npm(args: readonly string[], options?: SpawnSyncOptions): void {
  run('npm', ['--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error', ...args], options)
}

function run(program: string, args: readonly string[], options: SpawnSyncOptions = {}): string {
  const { status, stdout, stderr } = spawnSync(program, args, { cwd: scratch, ...options, encoding: 'utf8' })
  if (status !== 0) throw new Error(`This failed: ${program} ${args.join(' ')}\n${stdout}${stderr}`)
  return stdout
}

function say(...words: string[]): void {
  console.log(words.join(' '))
}
