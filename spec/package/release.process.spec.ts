import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { root } from '../support/processes.js'

const ADDRESS = 'https://git.example.com/authors/resourcery'

it('sets the address of the repository, and changes nothing else', () => {
  const { run, manifest } = checkout()
  const before = manifest()
  expect(run('v1.2.3', `${ADDRESS}.git`)).toMatchObject({ status: 0 })
  expect(manifest()).toEqual({
    ...before,
    repository: { type: 'git', url: `git+${ADDRESS}.git` },
    bugs: { url: `${ADDRESS}/issues` },
    homepage: `${ADDRESS}#readme`,
  })
})

it('makes the links of the README absolute, those to pictures and those with an anchor too', () => {
  const { run, readme } = checkout()
  expect(run('v1.2.3', ADDRESS)).toMatchObject({ status: 0 })
  expect(readme()).toBe([
    `[Docs](${ADDRESS}/blob/v1.2.3/docs/README.md), [an anchor](${ADDRESS}/blob/v1.2.3/docs/crud.md#input)`,
    `![A picture](${ADDRESS}/raw/v1.2.3/spec/bench/chart.svg), [zod](https://zod.dev), [here](#start)`,
    '',
  ].join('\n'))
})

it('gives the scaffold the same version, and its projects a range that has it', () => {
  const { run, scaffold } = checkout()
  expect(run('v1.2.3', ADDRESS)).toMatchObject({ status: 0 })
  expect(scaffold()).toEqual(['1.2.3', '^1.2.3'])
})

it.each([
  ['a tag of another version', ['v1.2.4', ADDRESS], 'package.json has another version than the tag v1.2.4.\n'],
  ['a path for an address', ['v1.2.3', '/srv/resourcery'], 'This is no address of a repository: /srv/resourcery\n'],
  ['a missing address', ['v1.2.3'], 'Usage: .ci/release <tag> <address of the repository>\n'],
])('refuses %s', (_what, args, message) => {
  const { run, manifest } = checkout()
  const before = manifest()
  expect(run(...args)).toMatchObject({ status: 1, stderr: message })
  expect(manifest()).toEqual(before)
})

it('refuses a version without a section in the changelog', () => {
  const { run } = checkout('## [Unreleased]\n')
  expect(run('v1.2.3', ADDRESS)).toMatchObject({ status: 1, stderr: 'CHANGELOG.md has no section [1.2.3].\n' })
})

const README = `[Docs](docs/README.md), [an anchor](docs/crud.md#input)
![A picture](spec/bench/chart.svg), [zod](https://zod.dev), [here](#start)
`

/** Returns a function that runs the script in a copy of the repository's root with version 1.2.3. */
function checkout(changelog = '## [Unreleased]\n\n## [1.2.3] - 2027-01-01\n') {
  const folder = mkdtempSync(join(tmpdir(), 'resourcery-release-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  for (const path of ['.ci/release', 'create/package.json', 'create/parts/tools.js']) {
    cpSync(join(root, path), join(folder, path))
  }
  const manifest = (): Record<string, unknown> =>
    JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Record<string, unknown>
  const original = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Record<string, unknown>
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ ...original, version: '1.2.3' }, null, 2))
  writeFileSync(join(folder, 'CHANGELOG.md'), changelog)
  writeFileSync(join(folder, 'README.md'), README)
  const run = (...args: string[]) => spawnSync(join(folder, '.ci/release'), args, { encoding: 'utf8' })
  const scaffold = (): readonly string[] => [
    (JSON.parse(readFileSync(join(folder, 'create/package.json'), 'utf8')) as { version: string }).version,
    /resourcery: '(.*)'/.exec(readFileSync(join(folder, 'create/parts/tools.js'), 'utf8'))?.[1] ?? '',
  ]
  const readme = (): string => readFileSync(join(folder, 'README.md'), 'utf8')
  return { run, manifest, scaffold, readme }
}
