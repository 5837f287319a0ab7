import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { follow } from '../guides/follow.js'
import { EXISTING, readPages, root } from '../guides/pages.js'
import { isNightly } from '../support/nightly.js'
import { checkExpressApp } from './checks/express-app.js'
import { checkIdentityLibraries } from './checks/identity-libraries.js'
import { checkNest } from './checks/nestjs.js'
import { checkPlatforms } from './checks/platforms.js'

const here = join(root, 'spec/existing')

/** Sends more requests to the program of a page than the page shows. */
const CHECKS: Readonly<Record<string, (url: string) => Promise<void>>> = {
  'existing-express-app.md': checkExpressApp,
  'identity-libraries.md': checkIdentityLibraries,
  'nestjs.md': checkNest,
  'platforms.md': checkPlatforms,
}

it('has checks for each page', () => {
  expect(Object.keys(CHECKS).sort()).toEqual(EXISTING)
})

/** By day one application that adopts resources, and one that is built on a framework; each night all of them. */
const TYPED_IN = isNightly ? EXISTING : ['existing-express-app.md', 'nestjs.md']

it.each(readPages().filter(({ name }) => TYPED_IN.includes(name)))(
  'docs/guides/$name runs as its reader types it, and leaves the application as it is',
  { timeout: 240_000 },
  (page) => follow(page, here, {}, CHECKS[page.name]),
)

it('an application in CommonJS with ts-jest and its settings as they are passes its tests', { timeout: 240_000 },
  () => {
    const jest = join(here, 'node_modules/jest/bin/jest.js')
    const { status, stderr } = spawnSync(process.execPath, [jest], { cwd: join(here, 'ts-jest'), encoding: 'utf8' })
    expect(status, stderr).toBe(0)
    expect(stderr).toContain('4 passed')
  })
