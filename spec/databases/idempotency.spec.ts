import { describe } from 'vitest'
import { servers } from '../support/databases.js'
import { idempotencySuite } from '../support/idempotency-suite.js'

describe.each(servers)('keys in %s', (_name, open) => idempotencySuite(open))
