import { openEmbedded } from '../../support/databases.js'
import { describeRaces } from '../../support/race-suite.js'

describeRaces('the embedded PostgreSQL', openEmbedded)
