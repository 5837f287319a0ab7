import { PGlite } from '@electric-sql/pglite'
import { describe } from 'vitest'
import { poolOfOne } from '../support/databases.js'
import { statementsSuite } from '../support/statements-suite.js'

describe('crud on the embedded PostgreSQL', () => {
  statementsSuite(async () => poolOfOne(await PGlite.create()))
})
