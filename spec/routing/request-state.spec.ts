import type { Request } from 'express'
import { describe, expect, it } from 'vitest'
import { stateOf } from '../../lib/routing/request-state.js'

function request(): Request {
  return Object.create(null) as Request
}

describe('what is known about a request', () => {
  it('begins empty and stays with it', () => {
    const req = request()
    const state = stateOf(req)
    expect(state.route).toBeUndefined()
    expect(state.passes.size).toBe(0)
    state.passes = new Map([['admin', { auth: undefined, granted: new Set() }]])
    expect(stateOf(req)).toBe(state)
    expect(stateOf(request()).passes.size).toBe(0)
  })

  it('stands under no name that a caller could send', () => {
    const req = request()
    stateOf(req)
    expect(Object.keys(req)).toEqual([])
    expect(JSON.stringify(req)).toBe('{}')
  })
})
