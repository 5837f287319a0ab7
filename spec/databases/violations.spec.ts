import { describe } from 'vitest'
import { servers } from '../support/databases.js'
import { triggerViolationsSuite } from '../support/trigger-violations-suite.js'
import { violationsSuite } from '../support/violations-suite.js'

describe.each(servers)('on %s', (_name, open) => {
  violationsSuite(open)
  triggerViolationsSuite(open)
})
