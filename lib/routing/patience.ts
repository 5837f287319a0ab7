import type { ServerResponse } from 'node:http'

/** By when an answer may begin, in milliseconds of `performance.now()`. */
const until = new WeakMap<ServerResponse, number>()

/** Gives an answer that many seconds from now to begin, where the deadline of the server is earlier. */
export function allowTime(res: ServerResponse, seconds: number): void {
  until.set(res, performance.now() + seconds * 1000)
}

/** The milliseconds that are left of what was given; none, or fewer than none, where it is over. */
export function timeAllowed(res: ServerResponse): number {
  return (until.get(res) ?? 0) - performance.now()
}
