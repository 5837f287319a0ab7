import { describe } from 'vitest'
import { scratchPostgres } from '../../../spec/support/databases.js'
import { bookingsSuite } from './suite.js'

describe('the bookings of the samples, on PostgreSQL', () => {
  bookingsSuite(async () => {
    const { url, drop } = await scratchPostgres()
    return { url, close: drop }
  })
})
