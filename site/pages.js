import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))

export const { version, repository } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))

/** The address of the repository; the release script sets it, and without it nothing links there. */
export const address = (process.env.REPOSITORY ?? repository?.url)?.replace(/^git\+|\.git$/g, '')

/** Copies the pages of docs/ to a folder of the site, where the index is the first page. */
export function copyPages(to) {
  rmSync(to, { recursive: true, force: true })
  for (const name of readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })) {
    const [from, target] = [join(root, 'docs', name), join(to, name.replace(/^README\.md$/, 'index.md'))]
    if (!/\.(?:md|svg|png)$/.test(name)) continue
    mkdirSync(dirname(target), { recursive: true })
    if (name.endsWith('.md'))
      writeFileSync(target, withPictures(forSite(readFileSync(from, 'utf8'), from), from, target))
    else cpSync(from, target)
  }
}

/** Copies the pictures of a page from outside of docs/ beside it, and returns the text with their new paths. */
function withPictures(text, from, target) {
  return text.replace(/!\[([^\]]*)\]\((\.\.\/[^)]+)\)/g, (link, label, path) => {
    const picture = join(dirname(from), path)
    if (relative(root, picture).startsWith('docs/')) return link
    cpSync(picture, join(dirname(target), basename(picture)))
    return `![${label}](./${basename(picture)})`
  })
}

/** Returns the text of a page whose links to files outside of docs/ lead to the repository, or are their texts. */
function forSite(text, from) {
  return text.replace(/(?<!!)\[([^\]]*)\]\((?!https?:|#)([^)#]+)(#[^)]*)?\)/g, (link, label, path, anchor = '') => {
    const target = relative(root, join(dirname(from), path))
    if (target === 'docs/README.md') return `[${label}](${path.replace('README.md', 'index.md')}${anchor})`
    if (target.startsWith('docs/')) return link
    return address === undefined ? label : `[${label}](${address}/blob/main/${target}${anchor})`
  })
}

/** Returns the groups of docs/README.md with the links of their tables, for the sidebar and for previous and next. */
export function sidebarOf(index) {
  return index.split(/^## /m).slice(1).map((group) => {
    const [text = '', ...lines] = group.split('\n')
    const cells = lines.filter((line) => line.startsWith('| [')).map((line) => line.split(' | ')[0])
    const links = cells.flatMap((cell) => [...cell.matchAll(/\[([^\]]+)\]\(([^)]+)\.md\)/g)])
    return { text: text.trim(),
      items: links.map(([, label = '', link]) => ({ text: capital(label), link: `/${link}` })) }
  })
}

const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1)

/** Returns the sidebar of the API reference: one group for each entry, if it was made. */
export function apiSidebar(folder) {
  const file = join(folder, 'typedoc-sidebar.json')
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : []
}

/** Returns the anchor of a heading, as hosting services of repositories make it. */
export function slugOf(title) {
  return title.toLowerCase().replace(/[^\p{L}\p{N}_\- ]/gu, '').replaceAll(' ', '-')
}
