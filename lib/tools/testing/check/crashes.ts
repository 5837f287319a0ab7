/** Watches for errors that would end the process. */
export interface CrashWatch {
  /** Forgets what was seen before. */
  begin(): void
  /** Resolves at the next crash; it may never. */
  next(): Promise<void>
  /** Returns the first crash since `begin`, as a property. */
  taken(): { readonly crash?: unknown }
  /** Gives the process its own listeners back. */
  end(): void
}

const EVENTS = ['unhandledRejection', 'uncaughtException'] as const

type Listener = (error: unknown) => void

/** Replaces the listeners of the process for the time of a run, so that a crash is a finding and not the end of it. */
export function watchCrashes(): CrashWatch {
  let seen: { readonly crash: unknown } | undefined
  let wake: () => void = () => undefined
  const notice: Listener = (error) => {
    seen ??= { crash: error }
    wake()
  }
  const before = EVENTS.map((event) => [event, process.rawListeners(event) as unknown as Listener[]] as const)
  for (const event of EVENTS) {
    process.removeAllListeners(event)
    process.on(event, notice)
  }
  return {
    begin: () => {
      seen = undefined
      wake = () => undefined
    },
    next: () => new Promise<void>((resolve) => (wake = resolve)),
    taken: () => seen ?? {},
    end: () => {
      for (const [event, listeners] of before) {
        process.off(event, notice)
        for (const listener of listeners) process.on(event, listener)
      }
    },
  }
}
