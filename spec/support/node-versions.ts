import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'

/** The oldest supported version, and the maintained release lines. */
export const NODE_VERSIONS = ['20.19.0', '22.23.3', '24.21.0', '26.10.0'] as const

/** Returns the program of another Node.js from the registry, or the current one on systems other than Linux. */
export function nodeProgram(wanted: string, folder: string): string {
  if (process.platform !== 'linux') return process.execPath
  const name = `node-linux-${process.arch}`
  const prefix = join(folder, `node-${wanted}`)
  const program = join(prefix, 'node_modules', name, 'bin/node')
  if (existsSync(program)) return program
  mkdirSync(prefix, { recursive: true })
  const args = [
    '--no-audit',
    '--no-fund',
    '--ignore-scripts',
    '--loglevel=error',
    'install',
    '--prefix',
    prefix,
    `${name}@${wanted}`,
  ]
  const { status, stderr } = spawnSync('npm', args, { cwd: prefix, encoding: 'utf8' })
  if (status !== 0) throw new Error(`npm could not install ${name}@${wanted}\n${stderr}`)
  return program
}
