import { readFile, writeFile } from 'node:fs/promises'
import { openapi } from '../openapi/document.js'
import type { OpenApiOptions } from '../openapi/options.js'
import { CliError, wordsOf } from './load-routes.js'

/** The result of a command. */
export interface Answer {
  /** The output for people. */
  readonly text: string
  /** The output for programs, with `--json`. */
  readonly json: unknown
  /** The exit status of the process. */
  readonly status: 0 | 1
}

interface OpenApiCommand extends OpenApiOptions {
  /** The file that the document is written to, or compared with. */
  readonly out: string | undefined
  readonly check: boolean
}

/** Prints the document, writes it to a file, or compares it with that file. */
export async function openapiCommand(routes: object, { out, check, ...options }: OpenApiCommand): Promise<Answer> {
  const document = openapi(routes, options)
  const text = `${JSON.stringify(document, null, 2)}\n`
  if (out === undefined) return { text: text.trimEnd(), json: document, status: 0 }
  if (check) return checkFile(out, text)
  await writeOutput(out, text)
  return { text: `Written: ${out}`, json: { out }, status: 0 }
}

/** Writes a file. @throws CliError where that fails */
export async function writeOutput(file: string, text: string): Promise<void> {
  await writeFile(file, text).catch((error: unknown) => {
    throw new CliError(`${file} cannot be written: ${wordsOf(error)}`)
  })
}

async function checkFile(out: string, text: string): Promise<Answer> {
  const before = await readFile(out, 'utf8').then(normalized, () => undefined)
  if (before === text) return { text: `Up to date: ${out}`, json: { out, stale: false, differences: [] }, status: 0 }
  const lines = before === undefined ? [`+ ${out} does not exist`] : difference(parse(before), JSON.parse(text))
  const differences = lines.length > 0 ? lines : ['~ the file is formatted in another way']
  return {
    text: [`Stale: ${out}`, ...differences.map((line) => `  ${line}`)].join('\n'),
    json: { out, stale: true, differences },
    status: 1,
  }
}

/** Removes a byte order mark and carriage returns, which editors and Git on Windows add. */
function normalized(text: string): string {
  return text.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n')
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return {}
  }
}

const MOST_LINES = 40

/**
 * Returns the differences of two JSON values, a line for each place: `+` was added, `-` was removed, `~` has changed.
 */
function difference(before: unknown, after: unknown): string[] {
  const lines = [...compareAt('', before, after)]
  return lines.length <= MOST_LINES ? lines : [...lines.slice(0, MOST_LINES), `… and ${lines.length - MOST_LINES} more`]
}

function* compareAt(place: string, before: unknown, after: unknown): Generator<string> {
  if (before === undefined) yield `+ ${place} ${short(after)}`
  else if (after === undefined) yield `- ${place} ${short(before)}`
  else if (!isTree(before) || !isTree(after)) {
    if (JSON.stringify(before) !== JSON.stringify(after)) yield `~ ${place} ${short(before)} -> ${short(after)}`
  } else {
    for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
      yield* compareAt(place === '' ? key : `${place} › ${key}`, own(before, key), own(after, key))
    }
  }
}

type Tree = Readonly<Record<string, unknown>>

function isTree(value: unknown): value is Tree {
  return typeof value === 'object' && value !== null
}

function own(tree: Tree, key: string): unknown {
  return Object.hasOwn(tree, key) ? tree[key] : undefined
}

function short(value: unknown): string {
  const text = JSON.stringify(value)
  return text.length <= 60 ? text : `${text.slice(0, 59)}…`
}
