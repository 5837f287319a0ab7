import { describe, expect, it } from 'vitest'
import { pages } from './pages.js'
import { longCellsOf, longSentencesOf } from './prose.js'

describe('the words of the documentation', () => {
  it.each(pages)('has no sentence over 35 words: $name', ({ text }) => {
    expect(longSentencesOf(text)).toEqual([])
  })

  it.each(pages)('has no cell of a table over 30 words: $name', ({ text }) => {
    expect(longCellsOf(text)).toEqual([])
  })
})
