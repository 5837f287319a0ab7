import { typedTableCases } from '../../support/typed-table.js'
import { openTables, type Connect } from './tables.js'

/*
 * The cases of a typed table in a process of its own, in the zone of TZ: `zone-process.ts knex PostgreSQL`. Prints the
 * failures.
 */

const [library = '', name = ''] = process.argv.slice(2)
const { databases } = await import(`./${library}.ts`) as {
  databases: readonly (readonly [name: string, connect: Connect])[]
}
const tables = await openTables(new Map(databases).get(name) as Connect)
const failed: string[] = []
try {
  for (const [title, run] of Object.entries(typedTableCases)) {
    await tables.clear()
    await run(tables.things).catch((error: unknown) => failed.push(`${title}: ${String(error)}`))
  }
} finally {
  await tables.close()
}
console.log(JSON.stringify({ zone: Intl.DateTimeFormat().resolvedOptions().timeZone, failed }))
