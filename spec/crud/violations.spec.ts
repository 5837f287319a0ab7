import { openEmbedded } from '../support/databases.js'
import { triggerViolationsSuite } from '../support/trigger-violations-suite.js'
import { violationsSuite } from '../support/violations-suite.js'

violationsSuite(openEmbedded)
triggerViolationsSuite(openEmbedded)
