import fc, { type Parameters } from 'fast-check'

const { FUZZ_RUNS, FUZZ_MINUTES } = process.env

/**
 * Returns the parameters of a property test with this number of cases.
 *
 * `FUZZ_RUNS=10` runs ten times as many cases, `FUZZ_MINUTES=5` as many as fit into five minutes for each test.
 */
export function fuzzing<T>(cases: number): Parameters<T> {
  const minutes = Number(FUZZ_MINUTES ?? 0)
  return {
    numRuns: minutes > 0 ? Number.MAX_SAFE_INTEGER : cases * Number(FUZZ_RUNS ?? 1),
    ...(minutes > 0 && { plugins: [fc.interruptAfterTimeLimit(minutes * 60_000)] as unknown as fc.Plugin<T>[] }),
  }
}

/**
 * Returns the time limit of a property test that takes at most this many seconds by itself, in milliseconds: beside other
 * suites it takes several times as long.
 */
export function fuzzingTimeout(seconds: number): number {
  return (4 * seconds * Number(FUZZ_RUNS ?? 1) + 60 * Number(FUZZ_MINUTES ?? 0)) * 1000
}
