import { describe, expect, it, onTestFinished } from 'vitest'
import { scratchMariadb, scratchPostgres } from '../support/databases.js'
import { repeat, startKeyed } from '../support/keyed-processes.js'

describe.each([['PostgreSQL', scratchPostgres], ['MariaDB', scratchMariadb]] as const)(
  'two processes on one %s',
  (_name, makeScratch) => {
    it(
      'create one row for 50 requests with one key, and at most one if a process is killed',
      { timeout: 120_000 },
      async () => {
        const { url: DATABASE, drop } = await makeScratch()
        onTestFinished(drop)
        const one = await startKeyed({ DATABASE, FRESH: 'yes', DIE: 'before' })
        const two = await startKeyed({ DATABASE, DIE: 'after' })

        const replies = await Promise.all(
          Array.from({ length: 50 }, (_, at) => (at % 2 === 0 ? one : two).create('Milk', 'milk')),
        )
        const done = replies.filter(({ status }) => status === 201)
        expect(new Set(done.map(({ text }) => text)).size).toBe(1)
        expect(done.filter(({ headers }) => !headers.has('idempotency-replayed'))).toHaveLength(1)
        expect(replies.filter(({ status }) => ![201, 409].includes(status))).toEqual([])
        expect(await two.titles()).toEqual(['Milk'])

        // Killed before the commit: nothing was written, and once the claim is over the other process may write.
        await expect(one.create('before', 'one')).rejects.toThrow()
        const written = await repeat(two, 'before', 'one')
        expect([written.status, written.headers.get('idempotency-replayed')]).toEqual([201, null])

        // Killed after the commit and before the reply: the repeat gets the stored reply.
        await expect(two.create('after', 'two')).rejects.toThrow()
        const three = await startKeyed({ DATABASE })
        const replayed = await three.create('after', 'two')
        expect([replayed.status, replayed.headers.get('idempotency-replayed')]).toEqual([201, 'true'])
        expect((await three.create('before', 'one')).text).toBe(written.text)
        expect(await three.titles()).toEqual(['Milk', 'before', 'after'])
      },
    )
  },
)
