import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { generateTsoa } from './generate-tsoa.js'
import { outputOf, pathOf } from './processes.js'

const root = pathOf('../..')
export const installed = pathOf('build/installed')

/**
 * Packs the package from `dist/` and installs it, with Express and zod, into a folder of its own, as a user has it; compiles the
 * servers into that folder.
 */
export async function prepare(): Promise<void> {
  rmSync(installed, { recursive: true, force: true })
  mkdirSync(installed, { recursive: true })
  const { version, devDependencies } = JSON.parse(readFileSync(`${root}/package.json`, 'utf8')) as { version: string; devDependencies: Record<string, string> }
  await npm(['pack', '--silent', '--pack-destination', installed], root)
  writeFileSync(`${installed}/package.json`, JSON.stringify({ private: true, type: 'module' }))
  const peers = ['express', 'zod'].map((name) => `${name}@${devDependencies[name] ?? ''}`)
  await npm(['install', '--prefer-offline', `./resourcery-${version}.tgz`, ...peers], installed)
  const tsc = createRequire(`${root}/package.json`).resolve('typescript/bin/tsc')
  await generateTsoa()
  for (const folder of ['servers', 'servers/express-zod-api']) await outputOf(process.execPath, [tsc, '-p', pathOf(folder)])
}

async function npm(args: readonly string[], cwd: string): Promise<void> {
  await outputOf('npm', ['--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error', ...args], { cwd })
}
