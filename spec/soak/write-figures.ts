import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism, loadavg } from 'node:os'
import type { Sample } from './measured.js'

/** Holds what a run has measured. */
export interface Figures {
  readonly minutes: number
  readonly requests: number
  /** The growth of the heap after the warm-up, as a share. */
  readonly growth: number
  /** How many paths, hosts and so on no request had named before. */
  readonly distinct: Readonly<Record<string, number>>
  readonly counts: Readonly<Record<string, number>>
  readonly wrong: Readonly<Record<string, number>>
  readonly samples: readonly Sample[]
}

const IMAGE = '(soak.svg)\n'

/** Replaces the figures below the chart of a page; does nothing where there is no page. */
export function writeFigures(page: string, figures: Figures): void {
  if (!existsSync(page)) return
  const text = readFileSync(page, 'utf8')
  const end = text.indexOf(IMAGE)
  if (end === -1) throw new Error(`${page} has no chart.`)
  writeFileSync(page, `${text.slice(0, end + IMAGE.length)}\n${tableOf(figures)}`)
}

const number = (value: number): string => Math.round(value).toLocaleString('en')

function tableOf({ minutes, requests, growth, distinct, wrong, samples }: Figures): string {
  const [first, last] = [samples[0], samples.at(-1)]
  const wrongs = Object.values(wrong).reduce((sum, count) => sum + count, 0)
  const rows = [
    ['minutes', minutes.toFixed(1)],
    ['requests', number(requests)],
    ...Object.entries(distinct).map(([name, count]) => [`distinct ${name}`, number(count)]),
    ['growth of the heap', `${(100 * growth).toFixed(1)} %`],
    ['wrong statuses', number(wrongs)],
    ['open files and sockets at the start and at the end', `${first?.files ?? 0}, ${last?.files ?? 0}`],
  ]
  return `| | |\n|---|---|\n${rows.map((row) => `| ${row.join(' | ')} |`).join('\n')}\n\n`
    + `The run was made on ${availableParallelism()} processors with a load of ${
      Math.round(loadavg()[0] ?? 0)
    } at its end`
    + `: with more than ${availableParallelism() + 1} the delays and the number of requests tell of other work too.`
    + `${requests < 1_000_000 ? ' A run of a million requests has not been made yet.' : ''}\n`
}
