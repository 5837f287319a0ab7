import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { folder, modules, type Outcome } from './typed.js'

const app = `${modules}app.ts`

describe('the executable', () => {
  const command = (...argv: string[]): Promise<Outcome> =>
    new Promise((resolve) => {
      const file = fileURLToPath(new URL('../../lib/tools/cli/resourcery.ts', import.meta.url))
      execFile(process.execPath, ['--import', 'tsx', file, ...argv],
        (error, out, complaint) => resolve({ status: Number(error?.code ?? 0), out, error: complaint }))
    })

  it('prints the result and exits', async () => {
    expect(await command('routes', app)).toMatchObject({
      status: 0,
      out: expect.stringContaining('admin.users.list') as string,
      error: '',
    })
  })

  it('asks for a loader only if the module that is missing is there in TypeScript', async () => {
    const root = await folder()
    await writeFile(join(root, 'package.json'), '{ "type": "module" }')
    await writeFile(join(root, 'missing.ts'), "import './absent.js'")
    await writeFile(join(root, 'unknown.ts'), "import 'a-package-that-is-not-installed'")
    const errors = []
    for (const name of ['missing.ts', 'unknown.ts']) errors.push((await command('routes', join(root, name))).error)
    expect(errors).toEqual([expect.stringContaining('absent.js'), expect.stringContaining('not-installed')])
    expect(errors.join()).not.toContain('loader')
  })

  it('prints its version', async () => {
    const { version } = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8')) as object & {
      readonly version: string
    }
    expect(await command('--version')).toEqual({ status: 0, out: `${version}\n`, error: '' })
    expect(await command('openapi', app, '--version', '1.2.3')).toMatchObject({ status: 0 })
  })

  it('fails for a module that never finishes', async () => {
    const path = await folder()
    const files = { 'tla.mjs': 'await new Promise(() => {})',
      'made.mjs': 'export const makeApp = () => new Promise(() => {})' }
    for (const [name, text] of Object.entries(files)) {
      await writeFile(join(path, name), text)
      const { status, out, error } = await command('openapi', join(path, name))
      expect([status, out, error]).toEqual([2, '', expect.stringContaining('never settles')])
    }
  })

  it('exits with 2 for a module that ends the process', async () => {
    const path = await folder()
    const files = {
      'ends.mjs': 'process.exit(0)',
      'ends-when-called.mjs': 'export const makeApp = () => process.exit(1)',
      'throws-later.mjs': "setTimeout(() => { throw new Error('no database') })\nawait new Promise(() => {})",
    }
    for (const [name, text] of Object.entries(files)) {
      await writeFile(join(path, name), text)
      const { status, out, error } = await command('openapi', join(path, name))
      expect([name, status, out, error]).toEqual([name, 2, '',
        expect.stringContaining('before the command had finished')])
    }
  })

  it('prints nothing but the result to stdout, whatever the module prints', async () => {
    const path = join(await folder(), 'prints.mts')
    await writeFile(path,
      `console.log('3 variables from .env')\nprocess.stdout.write('ready')\nexport * from ${JSON.stringify(app)}`)
    const { status, out, error } = await command('routes', path, '--manifest')
    expect([status, error]).toEqual([0, '3 variables from .env\nready'])
    expect(JSON.parse(out)).toContainEqual(expect.objectContaining({ name: 'users.list' }))
  })

  it('refuses a module that starts to listen', async () => {
    const { status, error } = await command('routes', `${modules}listens.ts`)
    expect([status, error]).toEqual([2, expect.stringContaining('listens when it is loaded') as string])
  })

  it('checks fields that name an address with a server of its own', async () => {
    const { status, out, error } = await command('check', `${modules}hooked.ts`, '--budget', '30')
    expect([status, error, out]).toEqual([0, '', expect.stringMatching(/^no findings in/) as string])
  })
})
