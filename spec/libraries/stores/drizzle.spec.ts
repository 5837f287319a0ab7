import { databases } from './drizzle.js'
import { storeSuite } from './suite.js'

storeSuite('drizzle', databases)
