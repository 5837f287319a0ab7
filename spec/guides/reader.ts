import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import pg from 'pg'
import { expect } from 'vitest'
import { root, type Page, type Step } from './pages.js'
import { Shell, wordsOf, type Reply } from './shell.js'

const here = join(root, 'spec/guides')
const preload = join(here, 'preload.mjs')
/** Commands that a guide shows and that are not run: they install, need a network, or prepare what is there. */
const NOT_RUN = ['mkdir', 'cd', 'createdb', 'docker', 'redis-server', 'npx tsc', 'npx resourcery', 'npm init', 'wscat']
/** Follows the steps of a guide, each version of its files in a folder of its own. */
export class Reader {
  readonly folders: string[] = []
  readonly #shell = new Shell()
  readonly #env: Record<string, string>
  readonly #suite: string
  readonly #base: string
  #server: { readonly child: ChildProcess; readonly url: string } | undefined
  #type = 'commonjs'
  #printed: Reply | string = ''

  /** Writes the files of a page into a folder of a suite, which has the packages. */
  constructor({ name }: Page, env: Record<string, string>, suite = here) {
    this.#env = env
    this.#suite = suite
    this.#base = join(suite, 'written', name.replace(/\.md$/, ''))
    rmSync(this.#base, { recursive: true, force: true })
    this.#addFolder()
  }

  async follow(step: Step): Promise<void> {
    if (step.kind === 'file') await this.#write(step)
    else if (step.kind === 'command') await this.#run(step.line)
    else this.#compare(step.language, step.text)
  }

  async close(): Promise<void> {
    const child = this.#server?.child
    this.#server = undefined
    if (child === undefined || child.exitCode !== null) return
    const killing = setTimeout(() => child.kill('SIGKILL'), 8000)
    child.kill('SIGTERM')
    await once(child, 'exit')
    clearTimeout(killing)
  }

  /** The address of the server that the page has started. */
  get url(): string {
    return this.#server?.url ?? ''
  }

  get #folder(): string {
    return this.folders.at(-1) ?? this.#base
  }

  #addFolder(): void {
    const next = join(this.#base, String(this.folders.length + 1))
    if (this.folders.length > 0) cpSync(this.#folder, next, { recursive: true })
    else mkdirSync(next, { recursive: true })
    this.folders.push(next)
    // otherwise vitest uses the configuration of this repository
    writeFileSync(join(next, 'vitest.config.mjs'), 'export default {}\n')
    this.#setPackage()
  }

  #setPackage(): void {
    writeFileSync(join(this.#folder, 'package.json'), JSON.stringify({ private: true, type: this.#type }))
  }

  async #write({ name, text, more }: Extract<Step, { kind: 'file' }>): Promise<void> {
    const replaced = existsSync(join(this.#folder, name))
    if (replaced) await this.close()
    if (replaced && !more) this.#addFolder()
    const file = join(this.#folder, name)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, more && existsSync(file) ? `${readFileSync(file, 'utf8')}\n${text}` : text)
  }

  async #run(line: string): Promise<void> {
    const [, name = '', curl = '', path = ''] = /^(\w+)=\$\((curl .*?) \| jq -r '?\.([\w.]+)'?\)$/.exec(line) ?? []
    const [, exported, value = ''] = /^(?:export )?([A-Z_a-z]\w*)=(\S+|\$\(.*\))$/.exec(line) ?? []
    const [, printedTo = '', file = '', words = ''] = /^(\w+)=\$\(npx tsx (\S+) ?(.*)\)$/.exec(line) ?? []
    if (printedTo !== '') {
      await this.#end('node', ['--import', 'tsx', file, ...wordsOf(words)])
      this.#shell.set(printedTo, String(this.#printed).trim())
    } else if (name !== '') this.#shell.set(name, String(at(JSON.parse((await this.#curl(curl)).text), path)))
    else if (line.startsWith('curl ')) this.#printed = await this.#curl(line)
    else if (exported !== undefined) this.#set(exported, value)
    else if (line.startsWith('npm install ')) checkPackages(line, this.#suite)
    else if (line === 'npm pkg set type=module') this.#setType('module')
    else if (line.startsWith('psql ')) await this.#sql([/-f (\S+)/.exec(line)?.[1] ?? ''])
    else if (line.startsWith('npx prisma migrate ')) await this.#sql(this.#migrations())
    else if (line.startsWith('npx prisma generate')) await this.#end('npx', ['prisma', 'generate'])
    else if (line.startsWith('npx tsc --outDir ')) await this.#end('npx', wordsOf(line).slice(1))
    else if (line.startsWith('npx drizzle-kit ')) await this.#end('npx', wordsOf(line).slice(1))
    else if (/ (?:server\.\w+|bin\/www|dist\/main\.js)$/.test(line)) await this.#start(wordsOf(line).at(-1))
    else if (/^npx (?:jest|vitest)\b/.test(line)) await this.#end('npx', wordsOf(line).slice(1))
    else if (/^(?:node|npx tsx) .*--test/.test(line)) await this.#test(line)
    else if (/^(?:node|npx tsx) /.test(line)) await this.#end('node', ['--import', 'tsx', wordsOf(line).at(-1) ?? ''])
    else if (!NOT_RUN.some((command) => line.startsWith(command))) throw new Error(`Guides cannot run ${line}`)
  }

  #setType(type: string): void {
    this.#type = type
    this.#setPackage()
  }

  /** Sets a variable of the environment. What the test provides stays, such as DATABASE_URL. */
  #set(name: string, value: string): void {
    const text = value.startsWith('$(') ? 'a secret of more than thirty-two bytes for tests' : wordsOf(value)[0] ?? ''
    this.#env[name] ??= text
    this.#shell.set(name, text)
  }

  #migrations(): string[] {
    const folder = 'prisma/migrations'
    const names = readdirSync(join(this.#folder, folder)).map((name) => `${folder}/${name}/migration.sql`)
    return names.filter((name) => existsSync(join(this.#folder, name))).sort()
  }

  async #sql(files: readonly string[]): Promise<void> {
    const client = new pg.Client({ connectionString: this.#env.DATABASE_URL })
    await client.connect()
    for (const file of files) await client.query(readFileSync(join(this.#folder, file), 'utf8'))
    await client.end()
  }

  /** Runs tests without the server, whose worker may share the database with them. */
  async #test(line: string): Promise<void> {
    await this.close()
    const files = wordsOf(line).filter((word) => /\.test\.\w+$/.test(word))
    await this.#end('node', ['--import', 'tsx', '--test', ...files])
  }

  /** Runs a command to its end. */
  async #end(command: string, args: readonly string[]): Promise<void> {
    const child = spawn(command, args, { cwd: this.#folder, env: this.#environment() })
    const printed = outputOf(child)
    const [code] = await once(child, 'close') as [number | null]
    this.#printed = printed()
    expect(code, `${command} ${args.join(' ')}\n${this.#printed}`).toBe(0)
  }

  async #start(file = this.#main): Promise<void> {
    await this.close()
    this.#main = file
    const imports = existsSync(join(this.#folder, 'telemetry.ts')) ? ['--import', './telemetry.ts'] : []
    const args = ['--import', 'tsx', '--import', preload, ...imports, file]
    const child = spawn(process.execPath, args, {
      cwd: this.#folder,
      env: this.#environment(),
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    })
    const printed = outputOf(child)
    const port = await Promise.race([
      once(child, 'message').then(([message]) => (message as { port: number }).port),
      once(child, 'exit').then(() => undefined),
    ])
    expect(port, `${file} did not listen:\n${printed()}`).toBeTypeOf('number')
    this.#server = { child, url: `http://localhost:${port ?? 0}` }
    this.#log = printed
  }

  #main = 'server.ts'
  #log = (): string => ''

  #environment(): NodeJS.ProcessEnv {
    const own = Object.entries(process.env).filter(([name]) => !/^(?:NODE_ENV$|VITEST|INIT_CWD$|npm_)/.test(name))
    return { ...Object.fromEntries(own), CHECKPOINT_DISABLE: '1', PRISMA_SCHEMA_ENGINE_BINARY: './package.json',
      ...this.#env }
  }

  async #curl(line: string): Promise<Reply> {
    if (this.#server === undefined) await this.#start()
    const reply = await this.#shell.curl(line, this.#server?.url ?? '')
    expect(reply.head, `${line}\n${reply.text}\n${this.#log()}`).not.toMatch(/ 50[0-24-9]/)
    return reply
  }

  #compare(language: string, text: string): void {
    const printed = this.#printed
    if (typeof printed === 'string') return fitsText(printed, text)
    if (language === 'http') return fitsHead(printed, text)
    if (language === 'json') {
      const shown = JSON.parse(text) as unknown
      const actual = JSON.parse(printed.text) as unknown
      expect(masked(actual, shown), this.#log()).toEqual(shown)
    } else fitsText(printed.text, text)
  }
}

/** Collects what a process prints. */
function outputOf(child: ChildProcess): () => string {
  let text = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (part: Buffer) => {
      text += part.toString()
    })
  }
  return () => text
}

/** Returns the packages that the guides of a folder may install. */
function packagesOf(folder: string): string[] {
  return [folder, root].flatMap((one) => {
    const { dependencies, devDependencies } = JSON.parse(readFileSync(join(one, 'package.json'), 'utf8')) as Record<
      string,
      object | undefined
    >
    return Object.keys({ ...dependencies, ...devDependencies })
  })
}

function checkPackages(line: string, folder: string): void {
  const names = wordsOf(line).slice(2).filter((word) => !word.startsWith('-') && !word.endsWith('.tgz'))
  const unknown = names.map((name) => name.replace(/(?<=.)@\d+$/, '')).filter((name) =>
    ![...packagesOf(folder), 'resourcery'].includes(name)
  )
  expect(unknown, `${line}: packages that ${folder}/package.json does not have`).toEqual([])
}

function at(value: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((inner, key) => (inner as Record<string, unknown>)[key], value)
}

/** Returns a value with the strings of a page where they fit: `…` in them stands for any characters. */
function masked(actual: unknown, shown: unknown): unknown {
  if (typeof shown === 'string') return typeof actual === 'string' && patternOf(shown).test(actual) ? shown : actual
  if (Array.isArray(shown) && Array.isArray(actual)) return actual.map((one, index) => masked(one, shown[index]))
  if (!isObject(shown) || !isObject(actual)) return actual
  return Object.fromEntries(Object.entries(actual).map(([key, value]) => [key, masked(value, shown[key])]))
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function patternOf(shown: string): RegExp {
  return new RegExp(`^${shown.split('…').map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')).join('.*?')}$`, 's')
}

/** Checks that a text contains the lines of a page in their order. */
function fitsText(printed: string, shown: string): void {
  let rest = printed.replaceAll('\r\n', '\n').split('\n')
  for (const line of shown.trim().split('\n')) {
    const index = rest.findIndex((one) => patternOf(line.trim()).test(one.trim()))
    expect(index, `no line ${line} in\n${printed}`).toBeGreaterThanOrEqual(0)
    rest = rest.slice(index + 1)
  }
}

function fitsHead({ head, headers, text }: Reply, shown: string): void {
  const [start, ...lines] = shown.trim().split('\n')
  expect(head, text).toBe(start)
  for (const line of lines) {
    const [, name = '', value = ''] = /^([^:]+): (.*)$/.exec(line) ?? []
    expect(patternOf(value).test(headers.get(name) ?? ''), `${line}, not ${String(headers.get(name))}`).toBe(true)
  }
}
