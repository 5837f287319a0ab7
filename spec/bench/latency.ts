import { addDelays, delayOf, type Delays } from './batches/delays.js'
import { serverOf, serversWith, type ServerKey } from './comparison.js'
import { atRate, inTurns, saturate, type Plan, type Steady } from './measure.js'
import { quartilesOf, show, spreadOf } from './statistics.js'
import { table } from './tables.js'
import type { Workload } from './workloads.js'

/** The workloads that are measured at a given rate. */
const MEASURED = ['W1', 'W1/api', 'R1.show@public', 'R2.show@guarded', 'R3.show@plugins', 'R4.show@plugins+logs']

/** Seconds of one turn. */
const TURN = 5

/**
 * Measures delays at the same rate for all servers: a share of what Fastify handles, without it of the slowest server.
 *
 * Servers that cannot handle this rate are left out.
 */
export async function latency(plan: Omit<Plan, 'turns'>, share: number, seconds: number): Promise<string> {
  const sections: string[] = []
  for (const workload of plan.workloads.filter(({ key }) => MEASURED.includes(key))) {
    sections.push(await atShare({ ...plan, workloads: [workload], rounds: 1, turns: 5 }, workload, share, seconds))
  }
  return sections.join('\n\n')
}

async function atShare(plan: Plan, workload: Workload, share: number, seconds: number): Promise<string> {
  const saturated = await inTurns(plan, (server) => saturate(server, workload, 1))
  const maxima = new Map(
    [...saturated.get(workload.key) ?? []].map(([key, turns]) =>
      [key, spreadOf(turns.map(({ perSecond }) => perSecond)).median] as const
    ),
  )
  const most = maxima.get('fastify') ?? Math.min(...maxima.values())
  const rate = Math.floor(share * most)
  const servers = serversWith(workload.shape, plan.servers).filter((key) => (maxima.get(key) ?? 0) > rate)
  const turns = Math.max(1, Math.round(seconds / TURN))
  const measured = await inTurns({ ...plan, servers, turns }, (server) => atRate(server, workload, rate, TURN))
  return [
    `#### ${workload.key}: ${workload.title}, ${rate} requests/s, ${Math.round(share * 100)} % of ${
      Math.round(most)
    }, for ${turns * TURN} s each`,
    delayTable(measured.get(workload.key) ?? new Map()),
  ].join('\n\n')
}

export function delayTable(byServer: ReadonlyMap<ServerKey, readonly Steady[]>): string {
  const base = byServer.get('fastify') ?? []
  const cells = (delays: Delays): string[] => [0.5, 0.99, 0.999].map((share) => delayOf(share, delays).toFixed(2))
  return table(
    ['server', 'requests/s', 'p50, ms', 'p99, ms', 'p99.9, ms', 'p99 of a turn against Fastify'],
    [...byServer].map(([key, turns]) => {
      const all: Delays = {}
      for (const { delays } of turns) addDelays(all, delays)
      const ratios = turns.flatMap(({ delays }, at) => {
        const neighbour = base[at]
        return neighbour === undefined ? [] : [delayOf(0.99, delays) / delayOf(0.99, neighbour.delays)]
      })
      const { median, lower, upper } = quartilesOf(ratios)
      return [
        serverOf(key).label,
        show(spreadOf(turns.map(({ perSecond }) => perSecond))),
        ...cells(all),
        ratios.length === 0 ? '–' : `${median.toFixed(2)} (${lower.toFixed(2)}–${upper.toFixed(2)})`,
      ]
    }),
  )
}
