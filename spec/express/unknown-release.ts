import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { root } from '../support/processes.js'

/** Returns a folder with an express and a router in which `router.handle` has another source. */
export function unknownRelease(): string {
  const folder = mkdtempSync(join(root, 'node_modules/.release-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  for (const name of ['express', 'router']) {
    cpSync(join(root, 'node_modules', name), join(folder, 'node_modules', name), { recursive: true })
  }
  const file = join(folder, 'node_modules/router/index.js')
  const source = readFileSync(file, 'utf8')
  writeFileSync(file, source.replace("debug('dispatching %s %s'", "debug('handling %s %s'"))
  return folder
}
