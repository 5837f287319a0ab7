import { describeRaces } from '../support/race-suite.js'
import { servers } from '../support/databases.js'

for (const [name, open] of servers) describeRaces(name, open)
