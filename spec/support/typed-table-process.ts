import { openMariadb, openPostgres } from './databases.js'
import { clearThings, createThings, kyselyThings, typedTableCases, type TypedTables } from './typed-table.js'

/*
 * The cases of a typed table in a process of its own, whose zone is that of TZ: `typed-table-process.ts mariadb`.
 * Prints the failures.
 */

const database = await (process.argv[2] === 'mariadb' ? openMariadb : openPostgres)<TypedTables>()
const failed: string[] = []
try {
  await createThings(database.db, database.dialect)
  for (const [name, run] of Object.entries(typedTableCases)) {
    await clearThings(database.db)
    await run(kyselyThings(database.db, database.dialect)).catch((error: unknown) =>
      failed.push(`${name}: ${String(error)}`)
    )
  }
} finally {
  await database.close()
}
console.log(JSON.stringify({ zone: Intl.DateTimeFormat().resolvedOptions().timeZone, failed }))
