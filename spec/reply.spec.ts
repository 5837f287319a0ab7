import { describe, expect, expectTypeOf, it } from 'vitest'
import { Reply, reply } from '../lib/reply.js'

describe('a reply', () => {
  it('holds what send would be given', () => {
    const made = reply('Created', { id: 1 }, { total: 1 }, 201)
    expect(made).toBeInstanceOf(Reply)
    expect(made).toMatchObject({ message: 'Created', data: { id: 1 }, meta: { total: 1 }, status: 201 })
    expectTypeOf(made.data).toEqualTypeOf<{ id: number }>()
  })

  it('has null, {} and the action\'s own status for what is left out', () => {
    expect(reply('Done')).toMatchObject({ message: 'Done', data: null, meta: {}, status: undefined })
    expect(reply('Done', undefined).data).toBeNull()
    expectTypeOf(reply('Done').data).toEqualTypeOf<null>()
  })

  it('leaves falsy data as they are', () => {
    for (const data of [0, '', false]) expect(reply('ok', data).data).toBe(data)
  })
})
