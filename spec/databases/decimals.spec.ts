import { describe } from 'vitest'
import { servers } from '../support/databases.js'
import { decimalSuite, onDatabase } from '../support/decimal-suite.js'
import { fractionsSuite } from '../support/fractions-suite.js'

describe.each(servers)('%s', (_name, open) => {
  decimalSuite(onDatabase(open))
  fractionsSuite(open)
})
