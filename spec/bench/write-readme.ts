import { readFileSync, writeFileSync } from 'node:fs'
import { pathOf } from './processes.js'

/** Replaces the tables of one release line of Node.js in README.md. */
export function writeReadme(line: string, tables: string): void {
  const file = pathOf('README.md')
  writeFileSync(file, withTables(readFileSync(file, 'utf8'), line, tables))
}

export function withTables(text: string, line: string, tables: string): string {
  const [before, after] = [`<!-- Node.js ${line} -->`, `<!-- end of Node.js ${line} -->`]
  const block = `${before}\n### Node.js ${line}\n\n${tables.trim()}\n${after}`
  const [from, to] = [text.indexOf(before), text.indexOf(after)]
  return from < 0 || to < from
    ? `${text.trimEnd()}\n\n${block}\n`
    : text.slice(0, from) + block + text.slice(to + after.length)
}
