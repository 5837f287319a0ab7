import { describe } from 'vitest'
import { openEmbedded } from '../support/databases.js'
import { nestedSuite } from '../support/nested-suite.js'

describe('nested resources in the embedded PostgreSQL', () => nestedSuite(openEmbedded))
