import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { RequestListener } from 'node:http'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { afterAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import type { Served } from 'resourcery'
import { close } from './docs/database.js'
import { expectReplies, moduleOf } from './docs/exchanges.js'
import { anchorsOf, pages } from './docs/pages.js'
import { programsOf, type Program } from './docs/programs.js'
import { serving } from './support/http.js'

/** The exports of a program that the test uses. */
interface Exports {
  readonly app?: RequestListener
  readonly running?: Served | Promise<Served>
}

const root = fileURLToPath(new URL('..', import.meta.url))

// Inside the repository, so that `import … from 'resourcery'` means lib/.
const folder = mkdtempSync(join(root, '.docs-'))
/** Pages whose programs `spec/libraries` and `spec/guides` run, with packages that they install. */
const ELSEWHERE = /^docs\/(?:guides\/|stores\/(?:drizzle|knex|kysely|mongoose|prisma|sequelize|typeorm)\.md$)/
const programs = pages.filter(({ name }) => !ELSEWHERE.test(name)).flatMap(({ name, text }) =>
  programsOf(text).map((program, index) => {
    const file = write(program, `${name.replace(/\W/g, '-')}-${index}.ts`)
    return { ...program, file, title: `${name}, ${program.title}` }
  })
)
writeFileSync(join(folder, 'database.ts'), "export { db } from '../spec/docs/database.js'\n")

afterAll(async () => {
  rmSync(folder, { recursive: true })
  await close()
})

describe('the README', () => {
  const readme = pages[0]?.text ?? ''

  it('shows code before line 15, and two commands to start', () => {
    expect(readme.split('\n').findIndex((line) => line.startsWith('```ts'))).toBeLessThan(14)
    expect(readme).toContain('npm ci && npm start')
    expect(readme).toContain('npm ci && npm test')
  })

  it('has at most 250 lines', () => {
    expect(readme.split('\n').length).toBeLessThan(251)
  })
})

describe('the documentation', () => {
  const others = pages.filter(({ name }) => !name.startsWith('docs/guides/'))
  it.each(others)('contains only code in languages that are tested: $name', ({ text }) => {
    const languages = [...text.matchAll(/^ *```(\w+)$/gm)].map(([, language]) => language)
    expect(['ts', 'js', 'sh', 'json', 'http', 'csv', 'sql', 'mermaid', 'haproxy', 'nginx', 'prisma']).toEqual(
      expect.arrayContaining(languages),
    )
  })

  it('compiles', { timeout: 300_000 }, () => {
    const shared = programs.filter((program) => !declaresCallers(program))
    expect(faultsOf(shared.map(({ file }) => file))).toEqual([])
  })

  const own = programs.filter(declaresCallers)
  it.each(own)('compiles with its own callers: $title', { timeout: 300_000 }, ({ file }) => {
    expect(faultsOf([file])).toEqual([])
  })

  it.each(pages)('links to existing headings and files: $name', ({ name, text }) => {
    const links = [...text.matchAll(/\]\((?!https?:)([^)]+)\)/g)].map(([, target = '']) => target)
    for (const link of links) {
      const [path = '', anchor] = link.split('#', 2)
      const file = path === '' ? join(root, name) : join(root, dirname(name), path)
      expect(ts.sys.fileExists(file) || ts.sys.directoryExists(file), link).toBe(true)
      if (anchor !== undefined) expect(anchorsOf(readFileSync(file, 'utf8')), link).toContain(anchor)
    }
  })

  it('contains programs in the README and on most pages', () => {
    expect(programs.length).toBeGreaterThan(10)
  })

  it('lists every page in its index', () => {
    const index = readFileSync(join(root, 'docs/README.md'), 'utf8')
    for (const { name } of pages.slice(1))
      if (name !== 'docs/README.md') expect(index).toContain(`(${name.replace('docs/', '')})`)
  })
})

describe.each(programs)('$title', ({ exchanges, file }) => {
  it('runs and replies as shown', async () => {
    const log = vi.spyOn(console, 'log').mockImplementation(() => undefined)
    onTestFinished(() => log.mockRestore())
    const { app, running: starting } = await import(file) as Exports
    const running = await starting
    if (running !== undefined) onTestFinished(() => running.close())
    const url = running?.url ?? (app === undefined ? '' : (await serving(app)).url)
    const variables = { ...await import(file) as Record<string, unknown> }
    await expectReplies(exchanges, url, variables)
  })
})

function write({ source }: Program, name: string): string {
  const file = join(folder, name)
  writeFileSync(file, moduleOf(source))
  return file
}

/** Returns true for a program with an `interface Callers`, which would apply to all programs compiled with it. */
function declaresCallers({ source }: Program): boolean {
  return source.includes("declare module 'resourcery'")
}

/** Returns the compiler's messages under the settings of this repository. */
function faultsOf(names: readonly string[]): string[] {
  const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), (file) => ts.sys.readFile(file)) as {
    config: unknown
  }
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root, undefined, join(root, 'tsconfig.json'))
  const types = join(root, 'lib/core/base/types.ts') // its additions to Express's Request
  const program = ts.createProgram([...names, types], options)
  // The pages alone: `npm run types` checks lib.
  const faults = names.flatMap((name) => ts.getPreEmitDiagnostics(program, program.getSourceFile(name)))
  return faults.map(({ file, start = 0, messageText }) => {
    const line = file === undefined ? '' : file.text.slice(0, start).split('\n').length
    return `${file?.fileName ?? ''}:${line} ${ts.flattenDiagnosticMessageText(messageText, '\n')}`
  })
}
