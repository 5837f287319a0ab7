/** Runs one call at a time, in the order in which they came; a call that fails does not stop the next. */
export type Lock = <T>(work: () => Promise<T>) => Promise<T>

export function lock(): Lock {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const result = last.then(work)
    last = result.catch(() => undefined)
    return result
  }
}
