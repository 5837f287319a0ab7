import { describe } from 'vitest'
import { childrenRacesSuite } from '../support/children-races-suite.js'
import { openEmbedded } from '../support/databases.js'

describe('requests at once for children in the embedded PostgreSQL', () => childrenRacesSuite(openEmbedded))
