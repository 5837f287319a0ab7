import { setTimeout as wait } from 'node:timers/promises'

const ATTEMPTS = 4
const FIRST_WAIT = 20

/**
 * Tries again what may be tried again, at most three times more, after about 20, 40 and 80 milliseconds.
 *
 * The waits are not the same for everybody: two that met would meet again.
 */
export async function retry<T>(work: () => Promise<T>, isSafe: (error: unknown) => boolean): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      if (attempt === ATTEMPTS || !isSafe(error)) throw error
      await wait(FIRST_WAIT * 2 ** (attempt - 1) * (0.5 + Math.random()))
    }
  }
}
