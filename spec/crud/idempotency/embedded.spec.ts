import { describe } from 'vitest'
import { openEmbedded } from '../../support/databases.js'
import { idempotencySuite } from '../../support/idempotency-suite.js'

describe('keys in the embedded PostgreSQL', () => idempotencySuite(openEmbedded))
