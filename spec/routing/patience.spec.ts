import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { allowTime, timeAllowed } from '../../lib/routing/patience.js'

describe('the time that an answer is allowed', () => {
  it('runs from now, and is over for one that was given none', () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    onTestFinished(() => void vi.useRealTimers())
    const res = new ServerResponse(new IncomingMessage(new Socket()))
    expect(timeAllowed(res)).toBeLessThanOrEqual(0)
    allowTime(res, 2)
    expect(timeAllowed(res)).toBe(2000)
    vi.advanceTimersByTime(2500)
    expect(timeAllowed(res)).toBe(-500)
  })
})
