import { describe, expect, it } from 'vitest'
import { UnavailableError } from 'resourcery'
import { reading, transacting, undoable, writing } from '../../../lib/adapters/sql/calls.js'

const lost = (): Error => Object.assign(new Error('lost'), { code: 'ECONNRESET' })
const deadlock = (): Error => Object.assign(new Error('deadlock'), { code: '40P01' })

/** Returns a function that fails with these errors, then succeeds, and counts its calls. */
function failing(...errors: Error[]) {
  const left = [...errors]
  const state = { calls: 0 }
  const work = async (): Promise<string> => {
    state.calls++
    const error = left.shift()
    if (error !== undefined) throw error
    return 'done'
  }
  return { state, work }
}

describe('repeated calls of a store', () => {
  it('include a read outside a transaction after a lost connection', async () => {
    const { state, work } = failing(lost(), lost())
    expect(await reading(false, work)).toBe('done')
    expect(state.calls).toBe(3)
  })

  it('end after four attempts with a 503', async () => {
    const { state, work } = failing(lost(), lost(), lost(), lost(), lost())
    await expect(reading(false, work)).rejects.toBeInstanceOf(UnavailableError)
    expect(state.calls).toBe(4)
  })

  it('exclude reads inside a transaction and writes', async () => {
    for (
      const call of [(work: () => Promise<string>) => reading(true, work),
        (work: () => Promise<string>) => writing({}, undefined, work)]
    ) {
      const { state, work } = failing(lost())
      await expect(call(work)).rejects.toBeInstanceOf(UnavailableError)
      expect(state.calls).toBe(1)
    }
  })

  it('include a transaction that was undone, also if the error is wrapped', async () => {
    const { state, work } = failing(deadlock(), new UnavailableError('no answer', { cause: deadlock() }), lost())
    expect(await transacting(work)).toBe('done')
    expect(state.calls).toBe(4)
  })

  it('include a transaction that was undone, also if the error that says so has a cause', async () => {
    const ofPrisma = Object.assign(deadlock(), { cause: Object.assign(new Error('raw'), { code: 'P2010' }) })
    const { state, work } = failing(ofPrisma)
    expect(await transacting(work)).toBe('done')
    expect(state.calls).toBe(2)
  })

  it('exclude a transaction whose connection was lost during the commit', async () => {
    const { state, work } = failing()
    const commit = transacting(async (worked) => {
      await work()
      worked()
      throw lost()
    })
    await expect(commit).rejects.toBeInstanceOf(UnavailableError)
    expect(state.calls).toBe(1)
  })

  it('exclude refused transactions', async () => {
    const { state, work } = failing(new RangeError('no'))
    await expect(transacting(work)).rejects.toBeInstanceOf(RangeError)
    expect(state.calls).toBe(1)
  })
})

describe('a statement that may be undone', () => {
  const names = { constraintFields: () => undefined, field: (column: string) => column }
  const kept = Object.assign(new Error('canceling statement due to lock timeout'), { code: '55P03' })

  const unknown = Object.assign(new Error('syntax error'), { code: '42601' })

  it.each([['a deadlock', deadlock()], ['a long wait for a lock', kept], ['a syntax error', unknown]])(
    'returns undefined after %s, also once it was sent',
    async (_what, error) => {
      const sending = (sent: () => void): Promise<never> => {
        sent()
        return Promise.reject(error)
      }
      expect(await undoable({}, names, sending)).toBeUndefined()
    },
  )

  it('returns undefined if its connection was lost before it was sent, and is a 503 after that', async () => {
    expect(await undoable({}, names, () => Promise.reject(lost()))).toBeUndefined()
    const sending = (sent: () => void): Promise<never> => {
      sent()
      return Promise.reject(lost())
    }
    await expect(undoable({}, names, sending)).rejects.toBeInstanceOf(UnavailableError)
  })
})
