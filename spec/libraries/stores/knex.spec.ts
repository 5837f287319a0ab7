import { databases } from './knex.js'
import { storeSuite } from './suite.js'

storeSuite('knex', databases)
