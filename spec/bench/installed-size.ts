import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { installed, npm, peers } from './prepare.js'
import { pathOf } from './processes.js'
import { table } from './tables.js'

/** Measures a fresh installation with and without the package. */
export async function installedSize(): Promise<string> {
  const bare = pathOf('build/bare')
  mkdirSync(bare, { recursive: true })
  writeFileSync(join(bare, 'package.json'), JSON.stringify({ private: true }))
  await npm(['install', '--prefer-offline', ...peers], bare)
  const [tarball = ''] = readdirSync(installed).filter((name) => name.endsWith('.tgz'))
  const rows = [['`express` and `zod`', bare], ['`resourcery`, `express` and `zod`', installed]].map(
    ([label = '', folder = '']) => {
      const files = readdirSync(join(folder, 'node_modules'), { recursive: true, withFileTypes: true }).filter((
        entry,
      ) => entry.isFile())
      const bytes = files.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0)
      const packages = files
        .filter(({ parentPath, name }) =>
          name === 'package.json' && /node_modules\/(@[^/]+\/)?[^/@]+$/
            .test(parentPath)
        )
        .length
      return [label, String(packages), (bytes / 1e6).toFixed(1)]
    },
  )
  const packed = (statSync(join(installed, tarball)).size / 1000).toFixed(0)
  return `${table(['installed', 'packages', 'MB'], rows)}\n\nThe package itself is ${packed} kB as a tarball.`
}
