import { PGlite } from '@electric-sql/pglite'
import { describe } from 'vitest'
import { changingTableSuite } from '../support/changing-table-suite.js'
import { poolOfOne } from '../support/databases.js'
import { statementsSuite } from '../support/statements-suite.js'

describe('crud on the embedded PostgreSQL', () => {
  statementsSuite(async () => poolOfOne(await PGlite.create()))
})

describe('crud on a table of the embedded PostgreSQL that changes its rows', () => {
  changingTableSuite(async () => poolOfOne(await PGlite.create()))
})
