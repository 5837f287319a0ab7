import { describe, expect, it } from 'vitest'
import { capital, defaultSummary, wordsOf } from '../../lib/core/resource/actions.js'

describe('the default summary', () => {
  it.each([
    ['list', 'users', 'List users'],
    ['show', 'users', 'Show one user'],
    ['create', 'users', 'Create one user'],
    ['edit', 'users', 'Replace one user'],
    ['store', 'users', 'Change one user'],
    ['delete', 'users', 'Delete one user'],
    ['deleteMany', 'users', 'Delete several users'],
    ['list', 'blog.postTags', 'List post tags'],
    ['export', 'users', 'Users: export'],
    ['sendReminder', 'blog.postTags', 'Post tags: send reminder'],
    ['health', '', 'Health'],
    ['constructor', 'users', 'Users: constructor'],
  ])('of %s in %j is `%s`', (action, resource, summary) => {
    expect(defaultSummary(action, resource)).toBe(summary)
  })

  it.each([
    ['categories', 'category'],
    ['boxes', 'box'],
    ['addresses', 'address'],
    ['branches', 'branch'],
    ['dishes', 'dish'],
    ['houses', 'house'],
    ['status', 'status'],
    ['analysis', 'analysis'],
    ['class', 'class'],
    ['people', 'person'],
    ['postTags', 'post tag'],
  ])('uses for one of the %s the word %s', (resource, one) => {
    expect(defaultSummary('show', resource)).toBe(`Show one ${one}`)
  })
})

describe('wordsOf and capital', () => {
  it.each([
    ['users', 'users'],
    ['blog.postTags', 'post tags'],
    ['a.b.c', 'c'],
    ['order_items', 'order items'],
    ['order--items', 'order items'],
    ['v2Users', 'v2 users'],
    ['', ''],
  ])('convert %j to %j', (name, words) => {
    expect(wordsOf(name)).toBe(words)
  })

  it('capitalise the first letter', () => {
    expect(capital('post tags')).toBe('Post tags')
    expect(capital('')).toBe('')
  })
})
