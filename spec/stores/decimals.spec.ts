import { describe, expect, it } from 'vitest'
import { memoryStore } from 'resourcery/crud'
import { openEmbedded } from '../support/databases.js'
import { decimalSuite, inMemory, onDatabase } from '../support/decimal-suite.js'
import { fractionsSuite } from '../support/fractions-suite.js'

describe('a memoryStore', () => {
  decimalSuite(inMemory)

  it('throws memory_columns for a type that it does not have', () => {
    const columns = { price: 'number' as never }
    expect(() => memoryStore<{ id: number; price: string }>({ key: 'id', columns })).toThrow(
      `\`columns.price\` of memoryStore is "number". The only type is 'decimal'`,
    )
    expect(() => memoryStore({ key: 'id', columns: null as never })).toThrow(
      '`columns` of memoryStore must be an object',
    )
  })
})

describe('the embedded PostgreSQL', () => {
  decimalSuite(onDatabase(openEmbedded))
  fractionsSuite(openEmbedded)
})
