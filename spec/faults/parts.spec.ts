import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { closed, type Reply } from '../support/http.js'
import { startLoad, surprises, type Answer } from '../support/load.js'
import { isNightly } from '../support/nightly.js'
import { FORM_TYPE, formOf } from '../support/multipart.js'
import { expectAsBefore, startChild, type Child } from './child.js'
import { startIdentityProvider, type IdentityProvider } from './identity-provider.js'
import type { Fault, Part } from './parts.js'

/* The services behind an app that throw, hang or flap. `parts-server.ts` waits for each one second, and three in all. */

const FAULTS: readonly Fault[] = ['throws', 'hangs', 'flaps']
const PARTS: readonly Part[] = isNightly ? ['load', 'allows', 'store', 'storage'] : ['allows', 'store']
const PROVIDER_FAULTS = isNightly ? FAULTS : ['hangs'] as const
/** Milliseconds, with what a busy machine adds. */
const IN_TIME = 10_000

type Asked = 'read' | 'write' | 'upload'

/** The requests that need a part. */
const NEEDED: Readonly<Record<Part, readonly Asked[]>> = {
  keys: ['read', 'write', 'upload'],
  load: ['read', 'write', 'upload'],
  allows: ['read', 'write', 'upload'],
  store: ['read', 'write'],
  storage: ['upload'],
}

interface Started {
  readonly server: Child
  readonly provider: IdentityProvider
  readonly folder: string
  readonly send: (asked: Asked) => Promise<Reply>
}

async function start(fault?: Fault): Promise<Started> {
  const folder = await mkdtemp(join(tmpdir(), 'parts-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const provider = await startIdentityProvider()
  onTestFinished(() => closed(provider.server))
  provider.fail(fault)
  const server = await startChild('parts-server.ts', { JWKS: provider.keys, FOLDER: folder })
  onTestFinished(server.kill)
  const token = await provider.issue(7)
  const form = formOf({ name: 'file', filename: 'a.txt', content: 'x'.repeat(300_000) }).toString()
  const send = (asked: Asked): Promise<Reply> => {
    if (asked === 'read') return server.get('/notes', { token })
    if (asked === 'write') return server.post('/notes', { title: 'another' }, { token })
    return server.post('/notes/1/file', form, { token, headers: { 'content-type': FORM_TYPE } })
  }
  return { server, provider, folder, send }
}

const KINDS: readonly Asked[] = ['read', 'write', 'upload']
const kindOf = (n: number): Asked => KINDS[n % KINDS.length] ?? 'read'
const isSuccess = ({ reply }: Answer<Asked>): boolean => reply !== undefined && reply.status < 300

/** Sends requests of all kinds while a part fails, until each kind was answered by an error several times. */
async function whileFailing({ send }: Started, part: Part, fault: Fault): Promise<void> {
  const load = startLoad(6, kindOf, send)
  const failed = new Map(NEEDED[part].map((kind) => [kind, 4]))
  await load.next((answer) => {
    const left = failed.get(answer.asked) ?? 0
    if (!isSuccess(answer)) failed.set(answer.asked, left - 1)
    return [...failed.values()].every((each) => each <= 0)
  })
  const answers = await load.stop()
  // An unknown error of a store may be a mistake in its code, and is a 500.
  expect(surprises(answers, part === 'store' ? [500, 503] : [503])).toEqual([])
  expect(answers.filter(({ duration }) => duration > IN_TIME)).toEqual([])
  expect(answers.filter((answer) => !NEEDED[part].includes(answer.asked) && !isSuccess(answer))).toEqual([])
  if (fault !== 'flaps') {
    expect(answers.filter((answer) => NEEDED[part].includes(answer.asked) && isSuccess(answer))).toEqual([])
  }
}

async function expectServes({ send }: Started): Promise<void> {
  for (const [kind, status] of [['read', 200], ['write', 201], ['upload', 200]] as const) {
    // A busy machine may need more than the second of a time-out.
    await vi.waitFor(async () => expect((await send(kind)).status).toBe(status), { timeout: 10_000, interval: 20 })
  }
}

describe.each(PARTS)('an app whose %s fails', (part) => {
  it('answers in time in the envelope, and serves as soon as it works again', async () => {
    const started = await start()
    const { server, folder } = started
    await Promise.all(Array.from({ length: 20 }, () => expectServes(started)))
    const before = await server.measure()
    for (const fault of FAULTS) {
      await server.tell({ part, fault })
      await whileFailing(started, part, fault)
      await server.tell({ part, fault: undefined })
      await expectServes(started)
    }
    await expectAsBefore(server, before)
    expect((await readdir(folder)).filter((name) => name.startsWith('.'))).toEqual([])
  })
})

describe.each(PROVIDER_FAULTS)('an app whose identity provider %s', (fault) => {
  it('answers 503 in time, and serves as soon as the provider works again', async () => {
    const started = await start(fault)
    if (fault === 'flaps') await started.send('read')
    else await whileFailing(started, 'keys', fault)
    started.provider.fail(undefined)
    await expectServes(started)
    // Tokens of a known key need no provider.
    started.provider.fail('throws')
    await expectServes(started)
  })
})
