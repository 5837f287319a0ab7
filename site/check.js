/* Searches the built site for the questions of docs/questions.md as its reader would, and prints which it does not answer. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import MiniSearch from 'minisearch'
import { search } from './.vitepress/search.js'

/** Of the sections that a search lists, a reader looks at the first ones. */
const SEEN = 5
/** The least share of questions whose page is among those. */
const NEEDED = 0.85

const here = fileURLToPath(new URL('.', import.meta.url))
const chunks = join(here, 'dist/assets/chunks')
const [file] = readdirSync(chunks).filter((name) => name.startsWith('@localSearchIndexroot'))
const { default: json } = await import(join(chunks, file))
const index = MiniSearch.loadJSON(json, {
  fields: ['title', 'titles', 'text'],
  storeFields: ['title', 'titles'],
  searchOptions: search.miniSearch.searchOptions,
  ...search.miniSearch.options,
})

const text = readFileSync(join(here, '../docs/questions.md'), 'utf8')
const questions = text.split('\n').filter((line) => line.startsWith('- ')).map((line) => ({
  question: line.slice(2, line.indexOf('? [') + 1),
  pages: [...line.matchAll(/\]\(([^)#]+)\.md/g)].map(([, page]) => `/${page}.html`),
}))
/** Returns the pages of the first sections that the search finds, without the lists of questions. */
const found = (question) =>
  index.search(question).map(({ id }) => id.replace(/#.*/, '')).filter((page) => page !== '/questions.html').slice(0,
    SEEN)
const missed = questions.filter(({ question, pages }) => !found(question).some((page) => pages.includes(page)))
for (const { question, pages } of missed) console.log(`${question} (${pages.join(' ')}): ${found(question).join(' ')}`)
const share = 1 - missed.length / questions.length
console.log(`${questions.length - missed.length} of ${questions.length} questions lead to their page by the search.`)
if (questions.length === 0 || share < NEEDED) process.exitCode = 1
