/** Numbers of requests by their delay, in steps of 2 %, so that millions of delays fit into a message. */
export type Delays = Record<number, number>

const STEP = Math.log(1.02)

export function countDelay(delays: Delays, milliseconds: number): void {
  const step = Math.round(Math.log(Math.max(0.001, milliseconds)) / STEP)
  delays[step] = (delays[step] ?? 0) + 1
}

export function addDelays(sum: Delays, more: Delays): void {
  for (const [step, count] of Object.entries(more)) sum[Number(step)] = (sum[Number(step)] ?? 0) + count
}

/** Returns the delay in milliseconds that a share of the requests, such as 0.99, does not exceed. */
export function delayOf(share: number, delays: Delays): number {
  const steps = Object.entries(delays).map(([step, count]) => ({ step: Number(step), count }))
    .sort((one, other) => one.step - other.step)
  let left = share * steps.reduce((sum, { count }) => sum + count, 0)
  for (const { step, count } of steps) {
    left -= count
    if (left <= 0) return Math.exp(step * STEP)
  }
  return NaN
}
