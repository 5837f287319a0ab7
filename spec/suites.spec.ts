import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { SERVERS } from './bench/comparison.js'

const root = fileURLToPath(new URL('..', import.meta.url))
const read = (name: string): string => readFileSync(join(root, name), 'utf8')
const contributing = read('CONTRIBUTING.md')
const config = read('spec/vitest.config.ts')
const steps = read('.ci/run')
const { scripts, engines } = JSON.parse(read('package.json')) as {
  readonly scripts: Readonly<Record<string, string>>
  readonly engines: { readonly node: string }
}

describe('CONTRIBUTING.md', () => {
  it('describes exactly the scripts of package.json', () => {
    const described = [...contributing.matchAll(/`(?:[\w./-]+ && |\.ci\/\S+ )?npm (?:run )?([\w:]+)/g)]
    const names = described.map(([, name = '']) => name).filter((name) => !['ci', 'pack', 'version'].includes(name))
    expect([...new Set(names)].sort()).toEqual(Object.keys(scripts).sort())
  })

  it('has the numbers of the configuration', () => {
    const { rules } = JSON.parse(read('.eslintrc.json')) as {
      readonly rules: Readonly<Record<string, readonly [string, { readonly max: number }]>>
    }
    const [file, fn] = [rules['max-lines'], rules['max-lines-per-function']]
    expect(contributing).toContain(`at most ${file?.[1].max} lines, a function at most ${fn?.[1].max}, blank`)
    const [, lines, branches] = /at least ([\d.]+) % of lines and ([\d.]+) % of branches/.exec(contributing) ?? []
    expect(config).toContain(`thresholds: { lines: ${lines}, branches: ${branches} },`)
    const others = SERVERS.filter(({ key }) => !key.startsWith('ours'))
    expect(contributing).toContain(`on this package and on ${others.length} other servers`)
    expect(contributing).toContain(`Node.js ${engines.node.replace('>=', '')} or later`)
  })
})

describe('the suites', () => {
  it('are all run by .ci/run', () => {
    // The first two are in test:coverage, as `npm test` is; .ci/nightly runs the next three, and no CI the last.
    const elsewhere = ['test:embedded', 'test:docs', 'test:proxies', 'test:antd', 'test:generators', 'test:mutation']
    const names = Object.keys(scripts).filter((name) => name.startsWith('test:') && !elsewhere.includes(name))
    expect(names.filter((name) => !steps.includes(`npm run ${name}`))).toEqual([])
  })

  it('of `npm test` start no embedded database', () => {
    const list = /const EMBEDDED = \[([^\]]*)\]/.exec(config)?.[1] ?? ''
    const listed = [...list.matchAll(/'(.+)'/g)].map(([, name = '']) => `${name}.spec.ts`)
    const specs = specsIn('').filter((name) =>
      !/\.(?:property|process)\.|^(?:blog|databases|libraries|front-ends|testing\/check)\//.test(name)
    )
    const starting = specs.filter((name) => /\b(?:openEmbedded|startBlog|PGlite)\b/.test(read(`spec/${name}`)))
    expect(starting.filter((name) => name !== 'suites.spec.ts').sort()).toEqual(listed.sort())
  })
})

/** Returns the specs below a folder of spec; other suites install packages while this one reads. */
function specsIn(folder: string): string[] {
  return readdirSync(join(root, 'spec', folder), { withFileTypes: true }).flatMap((entry) => {
    const name = join(folder, entry.name)
    if (entry.isDirectory()) return entry.name === 'node_modules' ? [] : specsIn(name)
    return name.endsWith('.spec.ts') ? [name] : []
  })
}
