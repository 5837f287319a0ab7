import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'

const COMMAND = fileURLToPath(new URL('../../create/index.js', import.meta.url))
const scratch = mkdtempSync(join(tmpdir(), 'resourcery-create-'))
afterAll(() => rmSync(scratch, { recursive: true }))

/** Creates a project, and returns the version of the package in its `package.json`. */
function versionIn(folder: string, spec: string): string {
  const { status, stderr } = spawnSync(process.execPath, [COMMAND, folder, '--resourcery', spec], { cwd: scratch,
    encoding: 'utf8' })
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  const { dependencies } = JSON.parse(readFileSync(join(scratch, folder, 'package.json'), 'utf8')) as {
    dependencies: { resourcery: string }
  }
  return dependencies.resourcery
}

describe('`--resourcery` of npm create', () => {
  it('names a tarball from the folder of the command, and writes it from that of the project', () => {
    mkdirSync(join(scratch, 'packed'))
    writeFileSync(join(scratch, 'packed/resourcery.tgz'), '')
    expect(versionIn('one', 'file:packed/resourcery.tgz')).toBe('file:../packed/resourcery.tgz')
    expect(versionIn('two/three', 'file:./packed/resourcery.tgz')).toBe('file:../../packed/resourcery.tgz')
  })

  it('keeps an absolute file, one that is only found from the project, and a version', () => {
    expect(versionIn('four', `file:${join(scratch, 'resourcery.tgz')}`)).toBe(`file:${join(scratch, 'resourcery.tgz')}`)
    expect(versionIn('five', 'file:../later.tgz')).toBe('file:../later.tgz')
    expect(versionIn('six', '1.2.3')).toBe('1.2.3')
  })
})
