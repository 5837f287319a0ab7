import type { Server } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { serving } from '../support/http.js'
import { addDelays, countDelay, delayOf, type Delays } from './batches/delays.js'
import { Replies } from './batches/replies.js'
import { chart, CHARTED, ratioChart } from './chart.js'
import { differences, exchange } from './check-replies.js'
import { decadesOf, lineChart, spread } from './growth/line-chart.js'
import { exponentOf } from './growth/report.js'
import type { Results, Turn } from './measure.js'
import { optionsOf } from './options.js'
import { createApp } from './servers/ours-app.js'
import { start as startOurs } from './servers/ours-listen.js'
import { portOf } from './servers/port-of.js'
import { start as startRaw } from './servers/raw.js'
import { quartilesOf, spreadOf } from './statistics.js'
import { loadTables, pairedRatios, pairedTable } from './tables.js'
import type { Shape } from './servers/data.js'
import { refusalsOf, SETS, WORKLOADS, type Refusal } from './workloads.js'
import { withSection } from './write-readme.js'

// The peers are not installed here; only the servers without peers are compared.
describe('the servers of the bench', () => {
  it.each([[0, 'app'], [1, 'app'], [10, 'app'], [0, 'router'], [10, 'router']] as const)(
    'send the same replies, with %i more resources mounted, of the shape %s',
    async (resources, shape) => {
      const asked = askedOf(resources, shape)
      const [raw, ours] = [
        await repliesOf(await portOf(await closing(startRaw(resources, shape))), asked),
        await repliesOf(await portOf(await closing(startOurs(resources, shape))), asked),
      ]
      expect(differences('raw', asked, raw, ours)).toEqual([])
    },
  )

  it('send the same replies on a server created for an app', async () => {
    const asked = askedOf(0, 'app')
    const { url } = await serving(createApp(0, 'app'))
    const ours = await repliesOf(await portOf(await closing(startOurs(0, 'app'))), asked)
    expect(differences('serve', asked, await repliesOf(Number(new URL(url).port), asked), ours)).toEqual([])
  })

  it('differ if status, content type or body differ, or the fields of a refusal', () => {
    const asked = [...SETS.basic.slice(0, 1), ...refusalsOf('app')]
    const good = asked.map(({ status }) => ({
      status,
      type: 'application/json',
      added: { 'x-frame-options': 'SAMEORIGIN' },
      body: { code: status, message: 'ok', data: { id: 1 }, meta: { reason: 'one' } },
    }))
    const changed = (at: number, change: object): number =>
      differences('other', asked, good.map((one, index) => index === at ? { ...one, ...change } : one), good).length
    expect(changed(0, {})).toBe(0)
    expect(changed(0, { status: 500 })).toBe(1)
    expect(changed(0, { type: 'text/html' })).toBe(1)
    expect(changed(0, { added: {} })).toBe(1)
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
    expect(optionsOf(['--set', 'real', '--only', 'R1,R5.404']).workloads.map(({ key }) => key)).toEqual([
      'R1.show@public',
      'R1.list@public',
      'R1.create@public',
      'R5.404@guarded',
      'R5.404@plugins',
      'R5.404@logs',
    ])
    expect(optionsOf(['--measure', 'paired', '--seconds', '0.25'])).toMatchObject({ turns: 12, seconds: 0.25 })
    expect(optionsOf(['--servers', 'fastify,ours']).servers).toEqual(['ours', 'fastify'])
    expect(optionsOf([])).toMatchObject({ rounds: 3, turns: 5, seconds: 1, parts: ['load', 'latency', 'sizes'] })
  })

  it.each([['--only', 'W9'], ['--servers', 'iis'], ['--rounds', '0'], ['--seconds', 'many'], ['--seconds', '0.5'], [
    '--set',
    'all',
  ], ['--measure', 'guess'], ['--nothing', '1']])(
    'are refused: %s %s',
    (flag, value) => {
      expect(() => optionsOf([flag, value])).toThrow()
    },
  )
})

describe('the batches of the bench', () => {
  const reply = (status: number, body: string): string =>
    `HTTP/1.1 ${status} OK\r\nContent-Type: text/plain\r\nContent-Length: ${body.length}\r\n\r\n${body}`

  it('count replies however their bytes are divided', () => {
    const bytes = Buffer.from(reply(200, 'one') + reply(404, '') + reply(201, 'x'.repeat(10_000)))
    for (const size of [1, 7, 64, 5000, bytes.length]) {
      const [replies, seen] = [new Replies(), new Array<number>()]
      for (let at = 0; at < bytes.length; at += size) {
        replies.read(bytes.subarray(at, at + size), (status) => seen.push(status))
      }
      expect(seen).toEqual([200, 404, 201])
    }
  })

  it('refuse a reply without Content-Length', () => {
    expect(() => new Replies().read(Buffer.from('HTTP/1.1 200 OK\r\n\r\n'), () => undefined)).toThrow('Content-Length')
  })

  it('add up delays with an error of at most 2 %', () => {
    const sum: Delays = {}
    const more: Delays = {}
    for (let count = 1; count <= 100; count++) countDelay(count % 2 === 0 ? sum : more, count)
    addDelays(sum, more)
    expect(delayOf(0.5, sum) / 50).toBeCloseTo(1, 1)
    expect(delayOf(0.99, sum) / 99).toBeCloseTo(1, 1)
  })
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

  it('contain the quartiles around the median', () => {
    expect(quartilesOf([5, 1, 2, 3, 4])).toEqual({ median: 3, lower: 2, upper: 4 })
    expect(quartilesOf([1, 2])).toEqual({ median: 1.5, lower: 1.25, upper: 1.75 })
  })

  it('are compared turn by turn, so that a slower machine changes no ratio', () => {
    const slower = ({ perSecond }: Turn, factor: number): Turn => round(perSecond / factor)
    const mine = [round(20_000), round(10_000), round(20_000)]
    expect(pairedRatios(mine, mine.map((turn) => slower(turn, 2)))).toEqual([2, 2, 2])
    const table = pairedTable(SETS.basic.slice(0, 1), ['ours', 'fastify'], new Map([
      ['W1', new Map([['ours', mine], ['fastify', mine.map((turn) => slower(turn, 2))]])],
    ]))
    expect(table).toContain('| W1: show one record | 50.0 | 100.0 | **2.00** (2.00–2.00) |')
  })

  it('are printed as a table with ratios', () => {
    const table = loadTables(SETS.basic.slice(0, 1), results)
    expect(table).toContain(
      '| **resourcery**, `serve` | 25,000 (20,000–30,000) | 40.0 (33.3–50.0) | 0.50 · 0.50 | – | 100 % |',
    )
  })

  it('are drawn as a chart with the longest bar first', () => {
    const drawn = chart(results, '20.20.2')
    expect(drawn.match(/class="(ours|peer)"/g)).toEqual(CHARTED.flatMap(() => ['class="peer"', 'class="ours"']))
    expect(drawn).toContain('50,000')
  })

  it('are drawn as ratios with their quartiles', () => {
    const drawn = ratioChart(SETS.basic, new Map([
      ['W1', new Map([['ours', [round(20_000)]], ['fastify', [round(10_000)]]])],
    ]), '20.20.2')
    expect(drawn.match(/<circle/g)).toHaveLength(1)
    expect(drawn).toContain('>2.00</text>')
  })

  it('are drawn as lines over logarithmic axes, with labels that do not overlap', () => {
    const points = [[10, 1], [1000, 50]] as const
    const drawn = lineChart({
      title: 'Growth',
      x: 'rows',
      y: 'ms',
      lines: [{ label: 'one', kind: 'ours', points }, { label: 'other', kind: 'fastify', points }],
    })
    expect(drawn.match(/<polyline/g)).toHaveLength(2)
    expect(decadesOf(1, 50)).toEqual([1, 10, 100])
    expect(spread([10, 100, 12])).toEqual([10, 100, 27])
  })

  it('have an exponent of growth: 1 is linear, 2 quadratic', () => {
    expect(exponentOf([[1, 7], [10, 5], [100, 50]])).toBeCloseTo(1)
    expect(exponentOf([[10, 5], [100, 500]])).toBeCloseTo(2)
  })

  it('replace the previous results of the same name', () => {
    const first = withSection('# Benches\n', 'Node.js 20', 'old')
    const both = withSection(first, 'Node.js 22', 'other')
    const again = withSection(both, 'Node.js 20', 'new')
    expect(again).toContain('### Node.js 20\n\nnew\n')
    expect(again).not.toContain('old')
    expect(again).toContain('### Node.js 22\n\nother\n')
  })
})

function repliesOf(
  port: number,
  asked: readonly Refusal[],
): Promise<Awaited<ReturnType<typeof exchange>>[]> {
  return Promise.all(asked.map(({ request }) => exchange(port, request)))
}

function askedOf(resources: number, shape: Shape): Refusal[] {
  const workloads = WORKLOADS.filter((workload) => workload.resources === resources && workload.shape === shape)
  return [...workloads, ...refusalsOf(shape)]
}

async function closing(started: Server | Promise<Server>): Promise<Server> {
  const server = await started
  onTestFinished(() => void server.close())
  return server
}
