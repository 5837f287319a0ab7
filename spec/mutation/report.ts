/** Holds what the JSON report of Stryker says of a change. */
interface Mutant {
  readonly mutatorName: string
  readonly replacement?: string
  readonly status: string
  readonly location: { readonly start: { readonly line: number; readonly column: number } }
}

export interface MutationReport {
  readonly files: Readonly<Record<string, { readonly mutants: readonly Mutant[] }>>
}

const NOTICED = ['Killed', 'Timeout']
const MISSED = ['Survived', 'NoCoverage']

/** Returns the share of changes that were noticed, and a line for each that was not. */
export function reportOf({ files }: MutationReport): string {
  const all = Object.entries(files).flatMap(([file, { mutants }]) => mutants.map((mutant) => ({ file, ...mutant })))
  const noticed = all.filter(({ status }) => NOTICED.includes(status)).length
  const missed = all.filter(({ status }) => MISSED.includes(status))
  const total = noticed + missed.length
  const lines = missed.map(({ file, location: { start }, mutatorName, replacement = '', status }) =>
    `  ${file}:${start.line}:${start.column} ${mutatorName}, ${status}: ${
      replacement.replace(/\s+/g, ' ').slice(0, 90)
    }`
  )
  const left = all.length - total
  const rest = left === 0 ? '' : `, ${left} not tried`
  return [`${noticed} of ${total} changes noticed, ${(100 * noticed / total).toFixed(1)} %${rest}`, ...lines].join('\n')
}
