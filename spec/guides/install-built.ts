import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './pages.js'

/** Installs what `npm run build` has made into a suite, as a copy like that of npm. */
export function installBuilt(suite: string): void {
  const installed = join(suite, 'node_modules/resourcery')
  rmSync(installed, { recursive: true, force: true })
  for (const part of ['dist', 'package.json']) {
    cpSync(join(root, part), join(installed, part), { recursive: true })
  }
}
