import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * The packages that dist/ contains: jose and file-type, which are ES modules only and thus out of reach of CommonJS, and
 * what they import. package.json and package-lock.json pin their versions; SECURITY.md names them.
 */
export const BUNDLED: readonly string[] = ['jose', 'file-type', 'strtok3', 'token-types', 'uint8array-extras',
  '@tokenizer/inflate', '@tokenizer/token', '@borewit/text-codec', 'ieee754']

/** Returns true for a module of a package that is bundled. */
export function isBundled(id: string): boolean {
  return BUNDLED.some((name) => id === name || id.startsWith(`${name}/`))
}

/** Returns the names of the packages among files in node_modules/. */
export function packagesAmong(files: readonly string[]): string[] {
  const names = files.flatMap((file) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1] ?? [])
  return [...new Set(names)].sort()
}

/** Returns the licences of the packages among the bundled files. */
export function licencesOf(files: readonly string[]): string {
  return packagesAmong(files).map(licenceOf).join('\n\n')
}

function licenceOf(name: string): string {
  const folder = join('node_modules', name)
  const { version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Record<string, string>
  const file = existsSync(folder) ? readdirSync(folder).find((one) => /^licen[cs]e/i.test(one)) : undefined
  const text = file === undefined ? `License: ${license ?? 'unknown'}` : readFileSync(join(folder, file), 'utf8').trim()
  return `${name} ${version ?? ''}\n\n${text}\n`
}
