import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { slowestOf, startLoad, surprises, type Answer, type Load } from '../support/load.js'
import { isNightly } from '../support/nightly.js'
import { expectAsBefore, startChild, type Child } from './child.js'
import type { Measured } from './measured.js'
import { OWN_SERVERS, type OwnServer } from './own-servers.js'
import { createCounted, expectRepeatable, expectWhole, KINDS, senderTo, writeOf, type Write } from './writes.js'

/* A database that is restarted or paused under load. `notes-server.ts` has deadlines of two seconds. */

const ROUNDS = isNightly ? 8 : 1
/** Milliseconds in which every request is answered, with what a busy machine adds. */
const IN_TIME = 10_000

const isSuccess = ({ reply }: Answer<Write>): boolean => reply !== undefined && reply.status < 300

describe.each(isNightly ? OWN_SERVERS : OWN_SERVERS.slice(0, 1))('a server whose %s fails', (_name, startOwn) => {
  let database: OwnServer
  let server: Child
  beforeAll(async () => {
    database = await startOwn()
    server = await startChild('notes-server.ts', { DATABASE: database.url, FRESH: 'yes' })
  })
  afterAll(async () => {
    await server.kill()
    await database.remove()
  })

  /** Measures the server once its code is compiled and its pool is full. */
  async function measureWarm(): Promise<Measured> {
    const load = startLoad(16, writeOf('warm', await createCounted(server)), senderTo(server))
    let left = 500
    await load.next(() => --left === 0)
    await load.stop()
    return server.measure()
  }

  /** Runs a fault under load, and expects success within a second after it. */
  async function under(name: string, fault: (load: Load<Write>) => Promise<void>): Promise<readonly Answer<Write>[]> {
    const load = startLoad(8, writeOf(name, await createCounted(server)), senderTo(server))
    const usual = await slowestOf(load, 60)
    await fault(load)
    const over = performance.now()
    const reads = load.next((answer) => answer.asked.kind === 'read' && isSuccess(answer))
    const writes = KINDS.map((kind) => load.next((answer) => answer.asked.kind === kind && isSuccess(answer)))
    expect((await reads).at - over).toBeLessThan(1000 + 5 * usual)
    await Promise.all(writes)
    const answers = await load.stop()
    expect(surprises(answers)).toEqual([])
    expect(answers.filter(({ duration }) => duration > IN_TIME)).toEqual([])
    return answers
  }

  it('answers 503 while it is restarted, and keeps every acknowledged row once', async () => {
    const before = await measureWarm()
    for (let round = 0; round < ROUNDS; round++) {
      const answers = await under(`restart ${round}`, async (load) => {
        await database.kill()
        await load.next(({ reply }) => reply?.status === 503)
        await database.start()
      })
      await expectWhole(server, answers)
      await expectRepeatable(server, answers)
    }
    await expectAsBefore(server, before)
  })

  it('answers 503 in time while it is paused, and keeps every acknowledged row once', async () => {
    const before = await measureWarm()
    for (let round = 0; round < ROUNDS; round++) {
      const answers = await under(`pause ${round}`, async (load) => {
        database.pause()
        let left = 8
        await load.next(({ reply }) => reply?.status === 503 && --left === 0)
        database.resume()
      })
      await expectWhole(server, answers)
      await expectRepeatable(server, answers)
    }
    await expectAsBefore(server, before)
  })
})
