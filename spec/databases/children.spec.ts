import { describe } from 'vitest'
import { childrenSuite } from '../support/children-suite.js'
import { openMariadb, openPostgres } from '../support/databases.js'

describe('children on PostgreSQL', () => childrenSuite(openPostgres))

describe('children on MariaDB', () => childrenSuite(openMariadb))
