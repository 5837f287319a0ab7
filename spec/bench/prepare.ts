import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { generateTsoa } from './generate-tsoa.js'
import { outputOf, pathOf } from './processes.js'

const root = pathOf('../..')
const { version, devDependencies } = JSON.parse(readFileSync(`${root}/package.json`, 'utf8')) as {
  version: string
  devDependencies: Record<string, string>
}

/** The fresh installation. */
export const installed = pathOf('build/installed')
/** The dependencies of the package in the tested versions. */
export const peers = ['express', 'zod'].map((name) => `${name}@${devDependencies[name] ?? ''}`)
/** The repository's compiler: the bench has an older one below its packages. */
export const tsc = createRequire(`${root}/package.json`).resolve('typescript/lib/tsc.js')

/**
 * Packs the package from `dist/` and installs it, with Express and zod, into a separate folder, like a user would;
 * compiles the servers into that folder.
 */
export async function prepare(): Promise<void> {
  rmSync(installed, { recursive: true, force: true })
  mkdirSync(installed, { recursive: true })
  await npm(['pack', '--silent', '--pack-destination', installed], root)
  writeFileSync(`${installed}/package.json`, JSON.stringify({ private: true, type: 'module' }))
  await npm(['install', '--prefer-offline', `./resourcery-${version}.tgz`, ...peers], installed)
  await generateTsoa()
  for (const project of ['servers/tsconfig.build.json', 'servers/express-zod-api']) {
    await outputOf(process.execPath, [tsc, '-p', pathOf(project)])
  }
}

export async function npm(args: readonly string[], cwd: string): Promise<void> {
  await outputOf('npm', ['--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error', ...args], { cwd })
}
