const load = () => import('jose')

export type Jose = Awaited<ReturnType<typeof load>>

let loading: Promise<Jose> | undefined

/**
 * The library that signs and verifies, loaded when somebody needs it: it takes a third of the time that Express and zod take together.
 */
export function jose(): Promise<Jose> {
  return (loading ??= load())
}

/** Begins to load it, so that the first token need not wait; whoever uses it is told if that fails. */
export function prepareJose(): void {
  jose().catch(() => undefined)
}
