import { uniqueWhenLiveSuite } from '../support/unique-when-live-suite.js'
import { openEmbedded } from '../support/databases.js'

uniqueWhenLiveSuite(openEmbedded)
