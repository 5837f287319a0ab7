import { readFile } from 'node:fs/promises'
import type { Application } from 'express'
import { accessMatrix, type AccessCallers } from '../testing/access-matrix.js'
import { CliError, wordsOf } from './load-routes.js'
import { writeOutput, type Answer } from './openapi-command.js'

interface AccessCommand {
  /** The file with the callers. */
  readonly callers?: string | undefined
  /** The file that the table is written to, or compared with. */
  readonly out?: string | undefined
  readonly check?: boolean | undefined
}

/** Prints the access of each caller to each route, writes it to a file, or compares it with that file. */
export async function accessCommand(routes: Application,
  { callers, out, check = false }: AccessCommand): Promise<Answer>
{
  const matrix = await accessMatrix(routes, await callersIn(callers))
  const { rows, findings } = matrix
  const table = String(matrix)
  const differences = check && out !== undefined ? await differencesFrom(out, table) : []
  if (out !== undefined && !check) await writeOutput(out, `${table}\n`)
  return {
    text: [out === undefined ? table : fileLine(out, check, differences), ...differences, ...findings].join('\n'),
    json: { rows, findings, ...(check && { differences }) },
    status: findings.length + differences.length > 0 ? 1 : 0,
  }
}

function fileLine(out: string, check: boolean, differences: readonly string[]): string {
  if (!check) return `Written: ${out}`
  return `${differences.length === 0 ? 'Up to date' : 'Stale'}: ${out}`
}

export async function callersIn(file: string | undefined): Promise<AccessCallers> {
  if (file === undefined) {
    throw new CliError(
      'Name a file of callers with --callers: { "admin": { "id": 1, "role": "admin" }, "anonymous": null }',
    )
  }
  try {
    return JSON.parse(await readFile(file, 'utf8')) as AccessCallers
  } catch (error) {
    throw new CliError(`${file} cannot be read: ${wordsOf(error)}`, { cause: error })
  }
}

/** Returns the lines that only one of the two tables has: `-` those of the file, `+` the new ones. */
async function differencesFrom(file: string, table: string): Promise<string[]> {
  const text = await readFile(file, 'utf8').catch(() => undefined)
  if (text === undefined) return [`+ ${file} does not exist`]
  const [before, after] = [linesOf(text), linesOf(table)]
  const changes = [
    ...before.filter((line) => !after.includes(line)).map((line) => `- ${line}`),
    ...after.filter((line) => !before.includes(line)).map((line) => `+ ${line}`),
  ]
  return changes.length === 0 && before.join('\n') !== after.join('\n') ? ['~ the order of the routes'] : changes
}

/** Returns the lines of a table whatever the widths of its columns, which change with the longest cell. */
function linesOf(text: string): string[] {
  return text.trim().split('\n').map((line) => line.trim().replace(/ {2,}/g, '  '))
}
