import type { LooseStore } from '../options.js'

/** Undoes a transaction whose work was only to be tried. */
class Trial extends Error {
  readonly result: unknown

  constructor(result: unknown) {
    super('This was a trial.')
    this.result = result
  }
}

/** Runs work in a transaction, which is undone in the end where it is a trial; the result is the same. */
export async function transacted<T>(store: LooseStore, isTrial: boolean, work: (store: LooseStore) => Promise<T>): Promise<T> {
  try {
    return await store.transaction(async (inside) => {
      const result = await work(inside)
      if (isTrial) throw new Trial(result)
      return result
    })
  } catch (error) {
    if (error instanceof Trial) return error.result as T
    throw error
  }
}
