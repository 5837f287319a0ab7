import { openEmbedded } from '../support/databases.js'
import { violationsSuite } from '../support/violations-suite.js'

violationsSuite(openEmbedded)
