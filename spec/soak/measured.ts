/** Holds what a server tells of itself: megabytes after a garbage collection, milliseconds and numbers. */
export interface Measured {
  readonly heap: number
  readonly external: number
  readonly rss: number
  /** The 99th percentile of the delays of the event loop since the last measurement. */
  readonly loop: number
  /** Open files and sockets. */
  readonly files: number
}

/** Adds to a measurement the requests until then. */
export interface Sample extends Measured {
  readonly minutes: number
  readonly requests: number
  /** The median and the 99th percentile of the time of a request, in milliseconds. */
  readonly median: number
  readonly slowest: number
}
