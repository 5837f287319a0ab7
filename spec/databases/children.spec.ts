import { describe } from 'vitest'
import { childrenRacesSuite } from '../support/children-races-suite.js'
import { childrenSuite } from '../support/children-suite.js'
import { openMariadb, openPostgres } from '../support/databases.js'

describe('children on PostgreSQL', () => childrenSuite(openPostgres))

describe('children on MariaDB', () => childrenSuite(openMariadb))

describe('requests at once for children on PostgreSQL', () => childrenRacesSuite(openPostgres))

describe('requests at once for children on MariaDB', () => childrenRacesSuite(openMariadb))
