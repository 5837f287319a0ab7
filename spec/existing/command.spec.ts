import { execFile } from 'node:child_process'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { root } from '../guides/pages.js'

const here = join(root, 'spec/existing')
const callers = '../callers.json'

interface Outcome {
  readonly status: number
  readonly out: string
  readonly error: string
}

/** Runs the installed command in the folder of an app. */
function command(folder: string, ...argv: string[]): Promise<Outcome> {
  const file = join(here, 'node_modules/resourcery/dist/tools/cli/resourcery.js')
  return new Promise((resolve) => {
    execFile(process.execPath, [file, ...argv], { cwd: join(here, 'command', folder) },
      (error, out, complaint) => resolve({ status: Number(error?.code ?? 0), out, error: complaint }))
  })
}

describe.each([
  ['commonjs', 'app.js'],
  ['commonjs', 'named.js'],
  ['compiled', 'app.js'],
  ['module', 'app.js'],
  ['typescript', 'app.ts'],
  ['typescript-commonjs', 'app.ts'],
])('the command on %s/%s', (folder, app) => {
  it('prints routes, access and findings', async () => {
    const ran = async (...argv: string[]): Promise<unknown> => {
      const { status, out, error } = await command(folder, ...argv)
      return [status, out.trim(), error]
    }
    expect(await ran('routes', app)).toEqual([0, [
      'METHOD  PATH    NAME               PERMISSION         AUTH',
      'GET     /notes  site.notes.list    site.notes.list    required',
      'POST    /notes  site.notes.create  site.notes.create  required',
    ].join('\n'), ''])
    expect(await ran('access', app, '--callers', callers)).toEqual([0, [
      'METHOD  PATH    NAME               ann   anonymous',
      'GET     /notes  site.notes.list    pass  401',
      'POST    /notes  site.notes.create  403   401',
    ].join('\n'), ''])
    expect(await ran('doctor', app)).toEqual([0, 'No findings.', ''])
    const checked = await ran('check', app, '--callers', callers, '--budget', '1')
    expect(checked).toMatchObject([0, expect.stringMatching(/^no findings in \d+ requests to 2 routes/), ''])
  })

  it('writes the document', async () => {
    const out = `openapi-${app}.json`
    onTestFinished(() => rm(join(here, 'command', folder, out), { force: true }))
    expect(await command(folder, 'openapi', app, '--out', out)).toMatchObject({ status: 0, out: `Written: ${out}\n` })
    const document = JSON.parse(await readFile(join(here, 'command', folder, out), 'utf8')) as object
    expect(document).toMatchObject({ openapi: '3.1.1', paths: { '/notes': { get: {}, post: {} } } })
  })
})

it('the command uses no colours, and exits with 2 after a mistake', async () => {
  const { status, out, error } = await command('commonjs', 'routes', 'app.js', '--export', 'nothing')
  expect([status, out]).toEqual([2, ''])
  expect(error).toMatch(/exports no `nothing`/)
  expect(error).not.toContain('\u001B')
})
