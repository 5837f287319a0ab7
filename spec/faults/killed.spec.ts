import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { scratchMariadb, scratchPostgres, type Scratch } from '../support/databases.js'
import { startLoad, surprises } from '../support/load.js'
import { isNightly } from '../support/nightly.js'
import { startChild } from './child.js'
import { createCounted, expectRepeatable, expectWhole, senderTo, writeOf } from './writes.js'

/* A server that is killed while it writes. */

async function scratchFolder(): Promise<Scratch> {
  const folder = await mkdtemp(join(tmpdir(), 'killed-'))
  return { url: join(folder, 'data'), drop: () => rm(folder, { recursive: true }) }
}

const DATABASES: readonly (readonly [name: string, open: () => Promise<Scratch>])[] = [
  ['the embedded database in a folder', scratchFolder],
  ['PostgreSQL', scratchPostgres],
  ['MariaDB', scratchMariadb],
]
const ROUNDS = isNightly ? 6 : 1

describe.each(isNightly ? DATABASES : DATABASES.slice(0, 2))('a server that is killed, on %s', (_name, open) => {
  it('loses no acknowledged row, writes none twice, and leaves no half bulk or import', async () => {
    const { url, drop } = await open()
    onTestFinished(drop)
    let server = await startChild('notes-server.ts', { DATABASE: url, FRESH: 'yes' })
    onTestFinished(() => server.kill())
    for (let round = 1; round <= ROUNDS; round++) {
      const load = startLoad(8, writeOf(`round ${round}`, await createCounted(server)), senderTo(server))
      // Each round is killed at another moment.
      let left = 60 + round * 7
      await load.next(() => --left === 0)
      await server.kill()
      const answers = await load.stop()
      expect(surprises(answers.filter(({ reply }) => reply !== undefined))).toEqual([])
      expect(answers.filter(({ reply }) => reply === undefined)).not.toEqual([])

      server = await startChild('notes-server.ts', { DATABASE: url })
      await expectWhole(server, answers)
      await expectRepeatable(server, answers)
    }
  })
})
