import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/*
 * The declarations of dist/: the compiler's, for ES modules, and a copy for CommonJS. TypeScript refuses a CommonJS file
 * that imports a declaration of an ES module. What no entry reaches is removed.
 */

const SPECIFIER = /((?:from|import) ?\(?['"])(\.{1,2}\/[^'"]+)\.js(['"])/g

/** Removes declarations that no entry reaches, and writes a copy of the others for CommonJS. */
export function writeDeclarations(entries: readonly string[]): void {
  const reached = new Set<string>()
  for (const name of entries) reach(join('dist', `${name}.d.ts`), reached)
  const all = readdirSync('dist', { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.d.ts'))
  for (const file of all.map((one) => join('dist', one))) if (!reached.has(file)) rmSync(file)
  for (const file of reached) writeFileSync(file.replace(/\.d\.ts$/, '.d.cts'), toCommonJs(file))
}

function reach(file: string, reached: Set<string>): void {
  // An example in a comment may import a file of the reader's.
  if (reached.has(file) || !existsSync(file)) return
  reached.add(file)
  for (const [, , path = ''] of readFileSync(file, 'utf8').matchAll(SPECIFIER)) {
    reach(join(file, '..', `${path}.d.ts`), reached)
  }
}

function toCommonJs(file: string): string {
  return readFileSync(file, 'utf8').replace(SPECIFIER,
    (found, before: string, path: string, after: string) =>
      existsSync(join(file, '..', `${path}.d.ts`)) ? `${before}${path}.cjs${after}` : found)
}
