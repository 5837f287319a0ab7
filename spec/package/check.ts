import { spawnSync, type SpawnSyncOptions } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'rolldown'
import { NODE_VERSIONS, nodeProgram } from '../support/node-versions.js'

/*
 * Packs the package, installs it where it cannot find this repository, and uses it there: see consumer.ts.
 * It needs a build in dist/ and the npm registry, for the dependencies and for the other versions of Node.js.
 */

const SOURCES = ['consumer.ts', 'declared.ts']
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
  await bundle()
  for (const wanted of NODE_VERSIONS) for (const kind of Object.keys(KINDS)) use(nodeProgram(wanted, scratch), kind)
} finally {
  rmSync(scratch, { recursive: true, force: true })
}

function install(): void {
  npm(['pack', '--silent', '--pack-destination', scratch], { cwd: root })
  writeFileSync(join(scratch, 'package.json'), JSON.stringify({ private: true }))
  const peers = ['express', '@types/express', 'zod'].map((name) => `${name}@${devDependencies[name] ?? ''}`)
  npm(['install', join(scratch, `resourcery-${version}.tgz`), ...peers])
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
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ type }))
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: SOURCES }))
    run(process.execPath, [createRequire(import.meta.url).resolve('typescript/bin/tsc'), '-p', folder])
    say('compiles, declarations checked:', kind)
  }
}

/** Bundles the client for browsers from the installed package: it must be small and free of Node.js. */
async function bundle(): Promise<void> {
  const input = join(scratch, 'node_modules/resourcery/dist/entries/client.js')
  const { output } = await build({ input, write: false, platform: 'browser', output: { minify: true } })
  const [{ code, imports }] = output
  const size = Buffer.byteLength(code)
  if (imports.length > 0 || code.includes('node:') || size >= 4000) {
    throw new Error(`resourcery/client has ${size} bytes and imports ${imports.join(', ') || 'nothing'}`)
  }
  say(`resourcery/client has ${size} bytes`)
}

function use(node: string, kind: string): void {
  run(node, [join(scratch, kind, 'out/consumer.js')])
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
