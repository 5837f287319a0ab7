import { describe } from 'vitest'
import { childrenSuite } from '../support/children-suite.js'
import { openEmbedded } from '../support/databases.js'

describe('children in the embedded PostgreSQL', () => childrenSuite(openEmbedded))
