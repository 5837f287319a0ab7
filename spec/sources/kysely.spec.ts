import { describe } from 'vitest'
import { openEmbedded } from '../support/databases.js'
import { kyselySourceSuite } from '../support/kysely-source-suite.js'

describe('fromKysely on the embedded PostgreSQL', () => kyselySourceSuite(openEmbedded))
