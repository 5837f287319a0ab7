import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { filesFor, type NewFile } from '../add/add.js'
import { CliError, importModuleFrom, type ImportModule } from './load-routes.js'
import type { Answer } from './openapi-command.js'

interface AddCommand {
  readonly from: string | undefined
  readonly route: string | undefined
  readonly app: string | undefined
  /** Prints what would be written. */
  readonly isDry: boolean
}

/** Writes a resource and its test for a table or model; never over a file that exists. */
export async function addCommand(name: string, { isDry, ...options }: AddCommand, load: ImportModule): Promise<Answer> {
  const root = process.cwd()
  const files = await filesFor(root, name, options, (url) => importModuleFrom(url, load))
  if (typeof files === 'string') throw new CliError(files)
  const taken = files.filter(({ path }) => existsSync(join(root, path))).map(({ path }) => path)
  if (taken.length > 0) {
    return { text: `${taken.join(' and ')} exist already. Nothing was written.`, json: { written: [], taken },
      status: 1 }
  }
  const json = { written: isDry ? [] : files.map(({ path }) => path), files }
  if (isDry) return { text: files.map(diffOf).join('\n'), json, status: 0 }
  for (const { path, text } of files) {
    await mkdir(dirname(join(root, path)), { recursive: true })
    await writeFile(join(root, path), text, { flag: 'wx' })
  }
  const mount = /function (mount\w+)/.exec(files[0]?.text ?? '')?.[1] ?? ''
  return {
    text: `Written: ${files.map(({ path }) => path).join(', ')}\nCall \`${mount}(app)\` in front of \`notFound()\`.`,
    json,
    status: 0,
  }
}

/** Writes a new file as a diff, as \`git diff\` does. */
function diffOf({ path, text }: NewFile): string {
  const lines = text.trimEnd().split('\n')
  return [`--- /dev/null`, `+++ b/${path}`, `@@ -0,0 +1,${lines.length} @@`, ...lines.map((line) => `+${line}`)].join(
    '\n',
  )
}
