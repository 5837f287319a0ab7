import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import type { Request } from 'express'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { extendDeadline, extensionLeft, stateOf } from '../../lib/core/routing/request-state.js'

function request(): Request {
  return Object.create(null) as Request
}

describe('stateOf', () => {
  it('returns an empty state, and the same one each time', () => {
    const req = request()
    const state = stateOf(req)
    expect(state.route).toBeUndefined()
    expect(state.guards.size).toBe(0)
    state.guards = new Map([['admin', { auth: undefined, granted: new Set(), isGranted: undefined }]])
    expect(stateOf(req)).toBe(state)
    expect(stateOf(request()).guards.size).toBe(0)
  })

  it('adds no visible property to the request', () => {
    const req = request()
    stateOf(req)
    expect(Object.keys(req)).toEqual([])
    expect(JSON.stringify(req)).toBe('{}')
  })
})

describe('extensionLeft', () => {
  it('returns the remaining time of an extension, and no time without one', () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    onTestFinished(() => void vi.useRealTimers())
    const res = new ServerResponse(new IncomingMessage(new Socket()))
    expect(extensionLeft(res)).toBeLessThanOrEqual(0)
    extendDeadline(res, 2)
    expect(extensionLeft(res)).toBe(2000)
    vi.advanceTimersByTime(2500)
    expect(extensionLeft(res)).toBe(-500)
  })
})
