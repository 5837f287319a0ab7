import type { Server } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { serving } from '../support/http.js'
import { chart, CHARTED } from './chart.js'
import { differences, exchange } from './check-replies.js'
import type { Results, Turn } from './measure.js'
import { optionsOf } from './options.js'
import { createApp } from './servers/ours-app.js'
import { start as startOurs } from './servers/ours-listen.js'
import { portOf } from './servers/port-of.js'
import { start as startRaw } from './servers/raw.js'
import { spreadOf } from './statistics.js'
import { loadTables } from './tables.js'
import { REFUSALS, WORKLOADS } from './workloads.js'
import { withTables } from './write-readme.js'

// The peers are not installed here; only the servers without peers are compared.
describe('the servers of the bench', () => {
  it.each([0, 1, 10])('send the same replies, with %i more resources mounted', async (resources) => {
    const asked = WORKLOADS.filter((workload) => workload.resources === resources)
    const [raw, ours] = [
      await repliesOf(await portOf(await closing(startRaw(resources))), asked),
      await repliesOf(await portOf(await closing(startOurs(resources))), asked),
    ]
    expect(differences('raw', asked, raw, ours)).toEqual([])
  })

  it('send the same replies on a server created for an app', async () => {
    const asked = WORKLOADS.filter(({ resources }) => resources === 0)
    const { url } = await serving(createApp(0))
    const ours = await repliesOf(await portOf(await closing(startOurs(0))), asked)
    expect(differences('serve', asked, await repliesOf(Number(new URL(url).port), asked), ours)).toEqual([])
  })

  it('differ if status, content type or body differ, or the fields of a refusal', () => {
    const [first] = WORKLOADS
    const asked = first === undefined ? [] : [first]
    const good = [...asked, ...REFUSALS].map(({ status }) => ({
      status, type: 'application/json', body: { code: status, message: 'ok', data: { id: 1 }, meta: { reason: 'one' } },
    }))
    const changed = (at: number, change: object): number =>
      differences('other', asked, good.map((one, index) => index === at ? { ...one, ...change } : one), good).length
    expect(changed(0, {})).toBe(0)
    expect(changed(0, { status: 500 })).toBe(1)
    expect(changed(0, { type: 'text/html' })).toBe(1)
    expect(changed(0, { body: { code: 200, message: 'ok', data: { id: 2 }, meta: {} } })).toBe(1)
    expect(changed(1, { body: { ...good[1]?.body, meta: { reason: 'other' } } })).toBe(1)
    expect(changed(1, { body: { ...good[1]?.body, message: 'In other words' } })).toBe(0)
    expect(changed(1, { body: { ...good[1]?.body, data: { name: 1 } } })).toBe(1)
  })
})

describe('the flags of the bench', () => {
  it('select workloads by name or prefix, and servers', () => {
    expect(optionsOf(['--only', 'W1,W5']).workloads.map(({ key }) => key)).toEqual([
      'W1',
      'W5@1',
      'W5@10',
      'W5@100',
      'W5@500',
    ])
    expect(optionsOf(['--servers', 'fastify,ours']).servers).toEqual(['ours', 'fastify'])
    expect(optionsOf([])).toMatchObject({ rounds: 3, turns: 5, seconds: 1, parts: ['load', 'latency', 'sizes'] })
  })

  it.each([['--only', 'W9'], ['--servers', 'iis'], ['--rounds', '0'], ['--seconds', 'many'], ['--nothing', '1']])(
    'are refused: %s %s',
    (flag, value) => {
      expect(() => optionsOf([flag, value])).toThrow()
    },
  )
})

describe('the results of the bench', () => {
  const round = (perSecond: number): Turn => ({ perSecond, cost: 1_000_000 / perSecond, busy: 1, memory: 50_000_000 })
  const results: Results<Turn> = new Map(
    CHARTED.map((
      key,
    ) => [key, new Map([['ours', [round(30_000), round(20_000), round(25_000)]], ['fastify', [round(50_000)]]])]),
  )

  it('contain the median, least and greatest value', () => {
    expect(spreadOf([3, 1, 2])).toEqual({ median: 2, least: 1, most: 3 })
    expect(spreadOf([4, 1, 2, 3]).median).toBe(2.5)
  })

  it('are printed as a table with ratios', () => {
    const table = loadTables(WORKLOADS.filter(({ key }) => key === 'W1'), results)
    expect(table).toContain(
      '| **resourcery**, `serve` | 25,000 (20,000–30,000) | 40.0 (33.3–50.0) | 0.50 · 0.50 | – | 100 % |',
    )
  })

  it('are drawn as a chart with the longest bar first', () => {
    const drawn = chart(results, '20.20.2')
    expect(drawn.match(/class="(ours|peer)"/g)).toEqual(CHARTED.flatMap(() => ['class="peer"', 'class="ours"']))
    expect(drawn).toContain('50,000')
  })

  it('replace the previous results of the same Node.js version', () => {
    const first = withTables('# Benches\n', '20', 'old')
    const both = withTables(first, '22', 'other')
    const again = withTables(both, '20', 'new')
    expect(again).toContain('### Node.js 20\n\nnew\n')
    expect(again).not.toContain('old')
    expect(again).toContain('### Node.js 22\n\nother\n')
  })
})

function repliesOf(
  port: number,
  asked: readonly { readonly request: typeof WORKLOADS[number]['request'] }[],
): Promise<Awaited<ReturnType<typeof exchange>>[]> {
  return Promise.all([...asked, ...REFUSALS].map(({ request }) => exchange(port, request)))
}

async function closing(started: Server | Promise<Server>): Promise<Server> {
  const server = await started
  onTestFinished(() => void server.close())
  return server
}
