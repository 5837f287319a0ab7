import { describe } from 'vitest'
import { servers } from '../support/databases.js'
import { kyselySourceSuite } from '../support/kysely-source-suite.js'

describe.each(servers)('fromKysely on %s', (_name, open) => kyselySourceSuite(open))
