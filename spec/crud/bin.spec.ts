import { binSuite } from '../support/bin-suite.js'
import { openEmbedded } from '../support/databases.js'

binSuite(openEmbedded)
