import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { Kysely } from 'kysely'
import { storeCases } from '../../../lib/testing.js'
import { createSamples, openSamples, type SampleTables } from '../../support/sample-store.js'
import { clearThings, createThings, kyselyThings, typedTableCases, type TypedTables } from '../../support/typed-table.js'
import { sqliteDialect } from './dialect.js'

/* The contract of a store on SQLite: `npm ci --prefix spec/stores/sqlite`, then `node --import tsx spec/stores/sqlite/run.ts`. */

const zone = process.env.TZ ?? 'the zone of this machine'
let failed = 0

async function tryOut(name: string, run: () => Promise<void>): Promise<void> {
  try {
    await run()
    console.log(`ok      ${name} (${zone})`)
  } catch (error) {
    failed++
    console.error(`FAILED  ${name} (${zone})`, error)
  }
}

const samples = new Kysely<SampleTables>({ dialect: sqliteDialect() })
await createSamples({ db: samples, dialect: 'sqlite' })
for (const { name, run } of storeCases(() => openSamples(samples))) await tryOut(name, run)
await samples.destroy()

const things = new Kysely<TypedTables>({ dialect: sqliteDialect() })
await createThings(things, 'sqlite')
for (const [name, run] of Object.entries(typedTableCases)) {
  await clearThings(things)
  await tryOut(name, () => run(kyselyThings(things, 'sqlite')))
}
await things.destroy()

for (const TZ of process.env.TZ === undefined ? ['America/New_York', 'Pacific/Kiritimati'] : []) {
  const { status } = spawnSync(process.execPath, ['--import', 'tsx', fileURLToPath(import.meta.url)], { env: { ...process.env, TZ }, stdio: 'inherit' })
  if (status !== 0) failed++
}
process.exitCode = failed === 0 ? 0 : 1
