import { readFile, writeFile } from 'node:fs/promises'
import { openapi } from '../openapi/document.js'
import { CliError } from './cli-error.js'
import { difference } from './difference.js'
import type { Answer } from './answer.js'

export interface OpenApiCommand {
  readonly title: string
  readonly version: string
  readonly doc: string | undefined
  readonly servers: readonly string[] | undefined
  /** Where the document is written, or compared with. */
  readonly out: string | undefined
  readonly check: boolean
}

/** Prints the document, writes it into a file, or tells whether that file is still true. */
export async function openapiCommand(routes: object, { out, check, ...options }: OpenApiCommand): Promise<Answer> {
  const document = openapi(routes, options)
  const text = `${JSON.stringify(document, null, 2)}\n`
  if (check) return checkFile(out, text)
  if (out === undefined) return { text: text.trimEnd(), json: document, status: 0 }
  await writeFile(out, text).catch((error: unknown) => {
    throw new CliError(`${out} cannot be written: ${(error as Error).message}`)
  })
  return { text: `Written: ${out}`, json: { out }, status: 0 }
}

async function checkFile(out: string | undefined, text: string): Promise<Answer> {
  if (out === undefined) throw new CliError('--check compares with a file: name it with --out.')
  const before = await readFile(out, 'utf8').catch(() => undefined)
  if (before === text) return { text: `Up to date: ${out}`, json: { out, stale: false, differences: [] }, status: 0 }
  const lines = before === undefined ? [`+ ${out} does not exist`] : difference(parsed(before), JSON.parse(text))
  const differences = lines.length > 0 ? lines : ['~ the file is written in another way']
  return { text: [`Stale: ${out}`, ...differences.map((line) => `  ${line}`)].join('\n'), json: { out, stale: true, differences }, status: 1 }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return {}
  }
}
