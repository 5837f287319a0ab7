import { spawnSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ERRORS, FITTING, SETTING } from '../support/type-errors.js'

/* TypeScript 7 on the package, its type tests and its samples, and the sentences of its errors. */

const root = fileURLToPath(new URL('../..', import.meta.url))
const compiler = fileURLToPath(new URL('node_modules/typescript/bin/tsc', import.meta.url))

interface Compiled {
  readonly status: number | null
  readonly text: string
}

/** Compiles a project without writing anything. */
function compile(project: string): Compiled {
  const options = ['--noEmit', '--incremental', 'false', '--pretty', 'false', '-p', project]
  const { status, stdout, stderr } = spawnSync(process.execPath, [compiler, ...options], { cwd: root,
    encoding: 'utf8' })
  return { status, text: `${stdout}${stderr}` }
}

/** Returns the last line of the message about each line of a file. */
function sentences(text: string, file: string): ReadonlyMap<number, string> {
  const found = new Map<number, string>()
  let at = 0
  for (const line of text.split('\n')) {
    const [, name, number = '', message = ''] = /^(\S*)\((\d+),\d+\): error TS\d+: (.*)$/.exec(line) ?? []
    if (name?.endsWith(file) === true) at = Number(number)
    if (at > 0 && line.trim() !== '') found.set(at, (name === undefined ? line : message).trim())
  }
  return found
}

/** Compiles programs with errors, and returns what is wrong with the messages. */
async function wrongSentences(): Promise<string[]> {
  const folder = await mkdtemp(join(root, 'spec', 'typescript-7', 'node_modules', '.errors-'))
  const programs = [...ERRORS.map(([, line]) => line), ...FITTING]
  const before = `${SETTING}\n`.split('\n').length
  await writeFile(join(folder, 'errors.ts'), `${SETTING}\n${programs.join('\n')}\nexport {}\n`)
  const config = { extends: join(root, 'tsconfig.json'), include: ['errors.ts'], exclude: [] }
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config))
  const { text } = compile(folder)
  await rm(folder, { recursive: true })
  const said = sentences(text, 'errors.ts')
  return programs.flatMap((program, index) => {
    const message = said.get(before + index)
    const expected = ERRORS[index]?.[2]
    if (expected === undefined ? message === undefined : message !== undefined && expected.test(message)) return []
    return [`${program}\n  has the message: ${message ?? 'none'}\n  expected: ${String(expected ?? 'none')}`]
  })
}

const failures = await wrongSentences()
for (const project of ['.', 'samples/bookings']) {
  const { status, text } = compile(project)
  if (status !== 0) failures.push(`${project} does not compile:\n${text}`)
}
for (const failure of failures) console.error(failure)
console.log(
  failures.length === 0
    ? 'TypeScript 7 compiles everything, and its errors end with a sentence.'
    : 'TypeScript 7 fails.',
)
process.exitCode = failures.length === 0 ? 0 : 1
