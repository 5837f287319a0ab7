import { mkdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline/promises'
import { pathToFileURL } from 'node:url'
import { filesFor, type Added, type AddOptions, type NewFile } from '../add/add.js'
import { AddError } from '../add/modules.js'
import { CliError, wordsOf, type ImportModule } from './load-routes.js'
import type { Answer } from './openapi-command.js'

interface AddCommand extends Omit<AddOptions, 'tests'> {
  readonly tests?: string | undefined
  /** Prints what would be written. */
  readonly 'dry-run'?: boolean | undefined
}

const RUNNERS = ['vitest', 'jest', 'node'] as const

/** Writes a resource and its test for a table or model; never over a file that exists. */
export async function addCommand(
  option: string | undefined,
  { 'dry-run': isDry = false, tests, ...options }: AddCommand,
  load: ImportModule,
): Promise<Answer> {
  const root = process.cwd()
  const runner = RUNNERS.find((known) => known === tests)
  if (tests !== undefined && runner === undefined) throw new CliError('--tests is one of vitest, jest, node.')
  if (options.route?.startsWith('/') === false) throw new CliError('--route begins with a slash, as in /books.')
  const name = option ?? await askFor('Which table or model?')
  try {
    const added = await filesFor(root, name, { ...options, tests: runner }, (file) => load(pathToFileURL(file).href))
    return await finish(root, added, isDry)
  } catch (error) {
    if (!(error instanceof AddError)) throw error
    if (error.status === 2) throw new CliError(error.message)
    return { text: error.message, json: { written: [], reason: error.message }, status: 1 }
  }
}

/** Asks on a terminal. @throws CliError elsewhere */
async function askFor(question: string): Promise<string> {
  const { stdin, stdout } = process
  if (stdin.isTTY && stdout.isTTY) {
    const terminal = createInterface({ input: stdin, output: stdout })
    const name = (await terminal.question(`${question} `)).trim()
    terminal.close()
    if (name !== '') return name
  }
  throw new CliError('`resourcery add` takes the name of one table or model, as in `resourcery add books`.')
}

async function finish(root: string, { files, steps }: Added, isDry: boolean): Promise<Answer> {
  if (isDry) return { text: files.map(diffOf).join('\n'), json: { written: [], files, steps }, status: 0 }
  await writeAll(root, files)
  const written = files.map(({ path }) => path)
  return { text: [`Written: ${written.join(', ')}`, ...steps].join('\n'), json: { written, files, steps }, status: 0 }
}

/** Writes new files, all or none. @throws AddError where that fails */
export async function writeAll(root: string, files: readonly NewFile[]): Promise<void> {
  const written: string[] = []
  try {
    for (const { path, text } of files) {
      const file = join(root, path)
      await mkdir(dirname(file), { recursive: true })
      // Another process may have written it meanwhile.
      await writeFile(file, text, { flag: 'wx' })
      written.push(file)
    }
  } catch (error) {
    await Promise.all(written.map((file) => rm(file, { force: true })))
    throw new AddError(`The files cannot be written: ${wordsOf(error)}. Nothing was written.`, 1)
  }
}

/** Writes a new file as a diff, as \`git diff\` does. */
function diffOf({ path, text }: NewFile): string {
  const lines = text.trimEnd().split('\n')
  const head = ['--- /dev/null', `+++ b/${path}`, `@@ -0,0 +1,${lines.length} @@`]
  return [...head, ...lines.map((line) => `+${line}`)].join('\n')
}
