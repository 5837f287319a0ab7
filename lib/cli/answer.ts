/** What a command has found out. */
export interface Answer {
  /** For people. */
  readonly text: string
  /** For programs, with `--json`. */
  readonly json: unknown
  /** What the process ends with. */
  readonly status: 0 | 1
}
