type Stack = readonly unknown[]

/** Stacks in which a place is kept for routes that are still being declared, and what mounts those. */
const waiting = new WeakMap<Stack, Set<() => void>>()

/** Whoever next asks for this stack finds what `fill` has put into it; a `fill` that throws is tried again. */
export function reserve(stack: Stack, fill: () => void): void {
  waiting.set(stack, (waiting.get(stack) ?? new Set()).add(fill))
}

/** A stack with nothing left to be declared in it. */
export function filled<S extends Stack>(stack: S): S {
  const fills = waiting.get(stack)
  if (fills === undefined) return stack
  // What fills a place may itself look at the stack.
  waiting.delete(stack)
  const left = new Set(fills)
  try {
    for (const fill of fills) {
      fill()
      left.delete(fill)
    }
  } finally {
    if (left.size > 0) waiting.set(stack, left)
  }
  return stack
}
