import { dirname, join, normalize } from 'node:path'
import { expect, it } from 'vitest'
import { anchorsOf, pages } from './pages.js'

const text = pages.find(({ name }) => name === 'docs/questions.md')?.text ?? ''
const LINK = String.raw`\[[^\]]+\]\([^)]+\)`
const ENTRY = new RegExp(`^- (.+\\?) (${LINK}(?:, ${LINK})*)$`)
const questions = text.split('\n').filter((line) => line.startsWith('- ')).map((entry) => {
  const [, question = '', links = ''] = ENTRY.exec(entry) ?? []
  return { entry, question, links: [...links.matchAll(/\]\(([^)#]+)(?:#([^)]+))?\)/g)] }
})

it('lists at least 120 questions, each once', () => {
  expect(questions.length).toBeGreaterThanOrEqual(120)
  expect(new Set(questions.map(({ question }) => question)).size).toBe(questions.length)
})

it.each(questions)('answers on pages and sections that exist: $entry', ({ question, links }) => {
  expect(question).not.toBe('')
  expect(links.length).toBeGreaterThan(0)
  for (const [, page = '', anchor] of links) {
    const name = normalize(join(dirname('docs/questions.md'), page))
    const answer = pages.find((one) => one.name === name)
    expect(answer, name).toBeDefined()
    if (anchor !== undefined) expect(anchorsOf(answer?.text ?? '')).toContain(anchor)
  }
})

it('leads to every guide', () => {
  const guides = pages.map(({ name }) => name).filter((name) => name.startsWith('docs/guides/'))
  expect(guides.filter((name) => !text.includes(`(${name.replace('docs/', '')})`))).toEqual([])
})
