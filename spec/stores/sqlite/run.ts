import { Kysely } from 'kysely'
import { storeCases } from '../../../lib/testing.js'
import { createSamples, openSamples, type SampleTables } from '../../support/sample-store.js'
import { sqliteDialect } from './dialect.js'

/* The contract of a store on SQLite: `npm ci --prefix spec/stores/sqlite`, then `node --import tsx spec/stores/sqlite/run.ts`. */

const db = new Kysely<SampleTables>({ dialect: sqliteDialect() })
await createSamples({ db, dialect: 'sqlite' })

let failed = 0
for (const { name, run } of storeCases(() => openSamples(db))) {
  try {
    await run()
    console.log(`ok      ${name}`)
  } catch (error) {
    failed++
    console.error(`FAILED  ${name}`, error)
  }
}
await db.destroy()
process.exitCode = failed === 0 ? 0 : 1
