import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { repeat, startKeyed } from '../../support/keyed-processes.js'

describe('a killed process on the embedded PostgreSQL', { timeout: 120_000 }, () => {
  it('leaves at most one row for a repeat, if killed before or after the commit', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'keyed-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    const DATABASE = join(folder, 'data')

    const first = await startKeyed({ DATABASE, FRESH: 'yes', DIE: 'before' })
    await expect(first.create('before', 'one')).rejects.toThrow()

    const second = await startKeyed({ DATABASE, DIE: 'after' })
    expect(await second.titles()).toEqual([])
    const done = await repeat(second, 'before', 'one')
    expect([done.status, done.headers.get('idempotency-replayed')]).toEqual([201, null])
    await expect(second.create('after', 'two')).rejects.toThrow()

    const third = await startKeyed({ DATABASE })
    const replayed = await third.create('after', 'two')
    expect([replayed.status, replayed.headers.get('idempotency-replayed')]).toEqual([201, 'true'])
    expect((await third.create('before', 'one')).text).toBe(done.text)
    expect(await third.titles()).toEqual(['before', 'after'])
  })
})
