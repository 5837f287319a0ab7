import { databases } from './kysely.js'
import { storeSuite } from './suite.js'

storeSuite('kysely', databases)
