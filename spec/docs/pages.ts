import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** A page of the documentation, by its path in the repository. */
export interface Page {
  readonly name: string
  readonly text: string
}

const root = fileURLToPath(new URL('../..', import.meta.url))

/** The README and all pages of `docs/`, guides and other folders included. */
export const pages: readonly Page[] = ['README.md', ...markdownIn('docs')]
  .map((name) => ({ name, text: readFileSync(join(root, name), 'utf8') }))

function markdownIn(folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const name = `${folder}/${entry.name}`
    if (entry.isDirectory()) return /^(?:node_modules|site)$|^\./.test(entry.name) ? [] : markdownIn(name)
    return entry.name.endsWith('.md') ? [name] : []
  }).sort()
}

/** Returns the text of a page without its code blocks. */
export function proseOf(text: string): string {
  return text.replace(/^( *)```.*?^\1```$/gms, '')
}

/** Returns the anchors of a page: those of its headings, as hosting services make them, and those that it names. */
export function anchorsOf(text: string): string[] {
  const seen = new Map<string, number>()
  const headings = headingsOf(text).map((title) => {
    const slug = title.toLowerCase().replace(/[^\p{L}\p{N}_\- ]/gu, '').replaceAll(' ', '-')
    const count = seen.get(slug) ?? 0
    seen.set(slug, count + 1)
    return count === 0 ? slug : `${slug}-${count}`
  })
  return [...headings, ...namedAnchorsOf(text)]
}

/** Returns the headings of a page, links in them as their texts. */
export function headingsOf(text: string): string[] {
  return [...proseOf(text).matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
    title.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
  )
}

/** Returns the anchors that a page names by `<a id="…">`. */
export function namedAnchorsOf(text: string): string[] {
  return [...proseOf(text).matchAll(/<a id="([^"]+)">/g)].map(([, id = '']) => id)
}
