import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { root } from './support/processes.js'

describe('the main entry of the package', () => {
  let steps: Readonly<Record<string, readonly string[]>>
  beforeAll(() => {
    const { stdout, stderr } = spawnSync(process.execPath, [
      '--import',
      'tsx',
      join(root, 'spec/support/main-entry.ts'),
    ], { cwd: root, encoding: 'utf8' })
    expect(stderr).toBe('')
    steps = JSON.parse(stdout) as typeof steps
  })

  it('loads Express, zod and http-errors, and no optional package', () => {
    expect(steps.served).toEqual(['express', 'http-errors', 'zod'])
  })

  it('loads jose with the first secret', () => {
    expect(steps.signed).toContain('jose')
    expect(steps.signed).not.toContain('multer')
  })

  it('loads multer and file-type with the first upload', () => {
    expect(steps.uploaded).toEqual(expect.arrayContaining(['file-type', 'multer']))
  })
})
