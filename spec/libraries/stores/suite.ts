import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { storeCases } from '../../../lib/testing.js'
import { typedTableCases } from '../../support/typed-table.js'
import { openTables, type Connect, type Tables } from './tables.js'

/** The suites of a library by database: `connect` is also found by its name, `./<library>.ts`, in processes of other time zones. */
export function storeSuite(library: string, databases: readonly (readonly [name: string, connect: Connect])[]): void {
  describe.each(databases)(`${library} on %s`, (name, connect) => {
    let tables: Tables
    beforeAll(async () => {
      tables = await openTables(connect)
    })
    beforeEach(() => tables.clear())
    afterAll(() => tables.close())

    it.each(storeCases(async () => ({ store: tables.samples })))('$name', ({ run }) => run())

    it.each(Object.entries(typedTableCases))('%s', (_name, run) => run(tables.things))

    it.each(['America/New_York', 'Pacific/Kiritimati'])('keeps all of that in a process in %s', async (zone) => {
      const script = fileURLToPath(new URL('zone-process.ts', import.meta.url))
      const arguments_ = ['--import', 'tsx', script, library, name]
      const { stdout } = await promisify(execFile)(process.execPath, arguments_, { env: { ...process.env, TZ: zone } })
      expect(JSON.parse(stdout)).toEqual({ zone, failed: [] })
    })
  })
}
