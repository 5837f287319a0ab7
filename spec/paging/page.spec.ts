import { describe, expect, it } from 'vitest'
import { ValidationError } from 'resourcery'
import { paginate } from 'resourcery'
import { isPage, pageMeta } from '../../lib/core/reply/reply.js'
import { toPage } from '../../lib/core/paging/page.js'

const figures = { page: 2, limit: 20, total: 57 }

describe('toPage', () => {
  it('creates a page from a list and figures', () => {
    expect(toPage(['a'], figures)).toEqual({ items: ['a'], ...figures })
  })

  it('copies the list', () => {
    const items = ['a']
    const page = toPage(items, figures)
    items.push('b')
    expect(page.items).toEqual(['a'])
  })

  it('converts the total of a driver to a number', () => {
    expect(toPage([], { page: 1, limit: 1, total: '57' }).total).toBe(57)
    expect(toPage([], { page: 1, limit: 1, total: 57n }).total).toBe(57)
  })

  it('refuses invalid figures', () => {
    expect(() => toPage([], { ...figures, page: 0 })).toThrow(ValidationError)
    expect(() => toPage([], { ...figures, limit: -1 })).toThrow(ValidationError)
    expect(() => toPage([], { ...figures, total: -1 })).toThrow(expect.objectContaining({ code: 'page_count' }))
  })
})

describe('isPage', () => {
  it('recognises a page by its brand, not by its keys', async () => {
    const page = toPage([1], figures)
    expect([page, await paginate([1], 1), await paginate([1], { cursor: '', limit: 1 })].every(isPage)).toBe(true)
    const others = [
      { ...page },
      JSON.parse(JSON.stringify(page)),
      { items: [], ...figures },
      [],
      null,
      undefined,
      'page',
      1,
    ]
    expect(others.some(isPage)).toBe(false)
  })

  it('adds no visible property to the page', () => {
    expect(Reflect.ownKeys(toPage([], figures))).toEqual(['items', 'page', 'limit', 'total'])
  })
})

describe('pageMeta', () => {
  it('returns the figures of each kind of page', async () => {
    expect(pageMeta(toPage([1], figures))).toEqual(figures)
    expect(pageMeta(await paginate([1], { page: 1, limit: 5, total: false }))).toEqual({ page: 1, limit: 5 })
    expect(pageMeta(await paginate([1], { cursor: null, limit: 5 }))).toEqual({ limit: 5, next: null })
  })
})
