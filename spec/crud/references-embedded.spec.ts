import { describe } from 'vitest'
import { openEmbedded } from '../support/databases.js'
import { referencesSuite } from '../support/references-suite.js'

describe('references in the embedded PostgreSQL', () => referencesSuite(openEmbedded))
