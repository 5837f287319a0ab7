import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { RequestListener } from 'node:http'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { afterAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import type { Served } from '../lib/serve.js'
import { curl } from './readme/curl.js'
import { close } from './readme/database.js'
import { sectionsOf, type Section } from './readme/sections.js'
import { serving } from './support/http.js'

/** What a section's program leaves behind, by the names in it. */
interface Program {
  readonly app: RequestListener
  readonly running?: Served
}

const root = fileURLToPath(new URL('..', import.meta.url))
const readme = readFileSync(join(root, 'README.md'), 'utf8')
const sections = sectionsOf(readme)

// Inside the repository, so that `import … from 'resourcery'` means lib/.
const folder = mkdtempSync(join(root, '.readme-'))
const files = sections.map((section, index) => write(section, `section-${index}.ts`))
writeFileSync(join(folder, 'database.ts'), "export { db } from '../spec/readme/database.js'\n")

afterAll(async () => {
  rmSync(folder, { recursive: true })
  await close()
})

describe('the README', () => {
  it('shows code before line 15, and the two commands of a newcomer', () => {
    expect(readme.split('\n').findIndex((line) => line.startsWith('```ts'))).toBeLessThan(14)
    expect(readme).toContain('npm ci && npm start')
    expect(readme).toContain('npm ci && npm test')
  })

  it('has no code but what is tried here', () => {
    const languages = [...readme.matchAll(/^ *```(\w+)$/gm)].map(([, language]) => language)
    expect(new Set(languages)).toEqual(new Set(['ts', 'sh', 'json', 'http', 'csv']))
  })

  it('has code that compiles', { timeout: 60_000 }, () => {
    expect(faultsOf(files)).toEqual([])
  })

  it('links to headings and files that exist', () => {
    const anchors = [...readme.matchAll(/^## (.+)$/gm)].map(([, title = '']) => `#${title.toLowerCase().replaceAll(' ', '-')}`)
    const links = [...readme.matchAll(/\]\((?!https:)([^)]+)\)/g)].map(([, target = '']) => target)
    for (const link of links) {
      if (link.startsWith('#')) expect(anchors).toContain(link)
      else expect(ts.sys.fileExists(join(root, link)) || ts.sys.directoryExists(join(root, link)), link).toBe(true)
    }
  })
})

describe.each(sections.map((section, index) => ({ ...section, file: files[index] ?? '' })))('$title', ({ exchanges, file }) => {
  it('runs, and answers as it is shown', async () => {
    const log = vi.spyOn(console, 'log').mockImplementation(() => undefined)
    onTestFinished(() => log.mockRestore())
    const program = await import(file) as Program
    const { running } = program
    if (running !== undefined) onTestFinished(() => running.close())
    const url = running?.url ?? (await serving(program.app)).url
    for (const { curl: line, head, reply, csv, file } of exchanges) {
      const response = await curl(line, url, { ...program }, file)
      if (csv === undefined) expect(await response.json(), line).toEqual(reply)
      else expect(await response.text(), line).toBe(csv.replaceAll('\n', '\r\n'))
      if (head !== undefined) expectHead(response, head)
    }
  })
})

function expectHead(response: Response, head: string): void {
  const [start, ...lines] = head.trim().split('\n')
  expect(start).toBe(`HTTP/1.1 ${response.status} ${response.statusText}`)
  for (const line of lines) {
    const [name = '', value] = line.split(': ', 2)
    expect(response.headers.get(name)).toBe(value)
  }
}

/** The program of a section as a module that gives away its names and picks a free port. */
function write({ program }: Section, name: string): string {
  const names = ['app', 'running', 'token'].filter((one) => new RegExp(`^const ${one}\\b`, 'm').test(program))
  const file = join(folder, name)
  writeFileSync(file, `${program.replaceAll('port: 3000', 'port: 0')}\nexport { ${names.join(', ')} }\n`)
  return file
}

/** What the compiler says, with the settings of this repository. */
function faultsOf(names: readonly string[]): string[] {
  const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), (file) => ts.sys.readFile(file)) as { config: unknown }
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root, undefined, join(root, 'tsconfig.json'))
  const types = join(root, 'lib/types.ts') // what it adds to Express's Request
  return ts.getPreEmitDiagnostics(ts.createProgram([...names, types], options)).map(({ file, start = 0, messageText }) => {
    const line = file === undefined ? '' : file.text.slice(0, start).split('\n').length
    return `${file?.fileName ?? ''}:${line} ${ts.flattenDiagnosticMessageText(messageText, '\n')}`
  })
}
