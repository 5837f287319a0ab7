/** The parts of an app that a spec lets fail: see `parts-server.ts`. */
export type Part = 'keys' | 'load' | 'allows' | 'store' | 'storage'

/** How a part fails; one that hangs goes on when the fault is over, one that flaps fails every second time. */
export type Fault = 'throws' | 'hangs' | 'flaps'

/** A message to the server: from now on a part fails, or works again. */
export interface Order {
  readonly part: Part
  readonly fault: Fault | undefined
}

/** A message to the server: its clock is set by seconds. */
export interface ClockOrder {
  readonly clock: number
}

/** The faults of parts. */
export class Faults {
  readonly #faults = new Map<Part, Fault>()
  readonly #hanging = new Set<() => void>()
  #calls = 0

  set({ part, fault }: Order): void {
    for (const goOn of this.#hanging) goOn()
    this.#hanging.clear()
    if (fault === undefined) this.#faults.delete(part)
    else this.#faults.set(part, fault)
  }

  /** Returns at once, throws or waits until the fault is over. */
  async pass(part: Part): Promise<void> {
    const fault = this.#faults.get(part)
    if (fault === 'hangs') await new Promise<void>((resolve) => this.#hanging.add(resolve))
    if (fault === 'throws' || (fault === 'flaps' && this.#calls++ % 2 === 0)) throw new Error(`${part} has failed`)
  }
}
