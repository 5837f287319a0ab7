import { readFileSync, writeFileSync } from 'node:fs'
import { pathOf } from './processes.js'

/** Replaces the section of this name in a README.md of the bench. */
export function writeSection(readme: string, name: string, text: string): void {
  const file = pathOf(readme)
  writeFileSync(file, withSection(readFileSync(file, 'utf8'), name, text))
}

export function withSection(page: string, name: string, text: string): string {
  const [before, after] = [`<!-- ${name} -->`, `<!-- end of ${name} -->`]
  const block = `${before}\n### ${name}\n\n${text.trim()}\n${after}`
  const [from, to] = [page.indexOf(before), page.indexOf(after)]
  return from < 0 || to < from
    ? `${page.trimEnd()}\n\n${block}\n`
    : page.slice(0, from) + block + page.slice(to + after.length)
}
