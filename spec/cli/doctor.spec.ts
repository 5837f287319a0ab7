import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { run } from '../../lib/tools/cli/run.js'
import { doctor, OWN_CODES } from '../../lib/tools/doctor.js'
import { TESTED, untestedIn } from '../../lib/tools/versions.js'
import { NODE_VERSIONS } from '../support/node-versions.js'
import { app } from './modules/careful.js'

async function examine(name: string, ...options: string[]): Promise<{ readonly status: number; readonly out: string }> {
  const module = fileURLToPath(new URL(`modules/${name}.ts`, import.meta.url))
  const out: string[] = []
  const status = await run(['doctor', module, ...options], (text) => out.push(text), (text) => out.push(text),
    (url) => import(url) as Promise<object>)
  return { status, out: out.join('\n') }
}

interface Diagnosis {
  readonly findings: readonly { readonly code: string; readonly message: string; readonly page: string }[]
}

describe('resourcery doctor', () => {
  it('finds each mistake, with a code and a page, and exits with 1', async () => {
    const { status, out } = await examine('careless', '--json')
    const { findings } = JSON.parse(out) as Diagnosis
    const found = findings.map(({ code, message }) => [code, message.split(/[,:.] /)[0]])
    expect([status, found]).toEqual([1, [
      ['error_handler_missing', 'The app has no error handler'],
      ['trust_proxy_all', '`trust proxy` is true'],
      ['secret_guessable', "The secret of `auth('desk')` reads like a placeholder"],
      ['not_found_missing', 'Nothing answers unknown paths'],
      ['guard_missing', "No `auth('shop')` was found in front of GET /orders and its like"],
      ['guard_missing', "No `permission('shop')` was found in front of GET /orders and its like"],
      ['handler_undeclared', "GET /desk/by-hand is after `permission('desk')`"],
      ['grant_dead', "`permission('desk')` grants `desk.ticket.close` to the role `clerk`"],
    ]])
    for (const { page } of findings) expect(page).toMatch(/^docs\/serving\.md#\w+$/)
  })

  it('prints the findings line by line, and counts them', async () => {
    const { out } = await examine('careless')
    expect(out).toContain('trust_proxy_all: `trust proxy` is true, so each client can set its own address')
    expect(out.split('\n').at(-1)).toBe('8 findings.')
  })

  it('has nothing to say of a careful app, and exits with 0', async () => {
    expect(await examine('careful')).toEqual({ status: 0, out: 'No findings.' })
  })

  it('finds a pool that does not survive a lost connection, with the line that makes it', async () => {
    const { status, out } = await examine('pools', '--json')
    const { findings } = JSON.parse(out) as Diagnosis
    expect([status, findings.map(({ code, message }) => [code, /pools\.ts:\d+/.exec(message)?.[0]])]).toEqual([1, [
      ['pool_unguarded', 'pools.ts:7'],
      ['pool_unguarded', 'pools.ts:8'],
    ]])
  })

  it('finds versions that no test has seen', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'resourcery-doctor-'))
    try {
      for (const [name, version] of [['express', '5.9.1'], ['express/node_modules/router', '2.3.9'], ['zod',
        '4.0.17']] as const)
      {
        mkdirSync(join(folder, 'node_modules', name), { recursive: true })
        writeFileSync(join(folder, 'node_modules', name, 'package.json'), JSON.stringify({ version }))
      }
      const untested = untestedIn(folder, '27.0.1')
      expect(untested.map(({ name, version }) => `${name} ${version}`)).toEqual(['node 27.0.1', 'express 5.9.1',
        'zod 4.0.17'])
      const { findings } = await doctor(app, { untested })
      expect(findings[1]).toEqual({ code: 'version_untested', page: 'docs/serving.md#version_untested',
        message: 'No test of this release has run with express 5.9.1, only with 5.1 to 5.3.' })
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  it('knows the versions that the suites install', () => {
    const read = (file: string): Readonly<Record<string, Readonly<Record<string, string>>>> =>
      JSON.parse(readFileSync(fileURLToPath(new URL(`../../${file}`, import.meta.url)), 'utf8'))
    const installed = { ...read('spec/libraries/package.json').dependencies, ...read('package.json').devDependencies }
    for (const [name, [lowest, highest]] of Object.entries(TESTED)) {
      if (name === 'node')
        expect([lowest, highest]).toEqual([NODE_VERSIONS[0], NODE_VERSIONS.at(-1) ?? ''].map(minorOf))
      else if (name !== 'router' && name !== 'kysely')
        expect([name, minorOf(installed[name] ?? '')]).toEqual([name, highest])
    }
  })

  it.each([...OWN_CODES])('describes %s at a place of the page that it names', (code) => {
    const page = readFileSync(fileURLToPath(new URL('../../docs/serving.md', import.meta.url)), 'utf8')
    expect(page).toContain(`<a id="${code}"></a>\`${code}\``)
  })

  it('names a section of the codes for what `serve` refuses or warns of', () => {
    const page = readFileSync(fileURLToPath(new URL('../../docs/codes.md', import.meta.url)), 'utf8')
    expect(page).toContain('\n## Codes of mistakes\n')
  })
})

function minorOf(version: string): string {
  return version.split('.').slice(0, 2).join('.')
}
