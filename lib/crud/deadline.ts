import { MisuseError, UnavailableError } from '../errors.js'
import { show } from '../options.js'

/** Throws UnavailableError once the time is up. */
export type CheckTime = () => void
export type Deadline = <T>(work: (checkTime: CheckTime) => Promise<T>) => Promise<T>

/**
 * Returns a function that bounds the time of a store's work. Work that goes on after its time calls `checkTime` before
 * it commits.
 *
 * @throws MisuseError `crud_deadline` for anything but a positive number of seconds.
 */
export function deadlineOf(seconds = 30): Deadline {
  if (typeof seconds !== 'number' || !(seconds > 0 && seconds <= 86_400)) {
    throw new MisuseError(
      'crud_deadline',
      `\`deadline\` of crud must be a number of seconds above 0 and at most 86400, not ${show(seconds)}.`,
    )
  }
  return async (work) => {
    let late: UnavailableError | undefined
    let timer: NodeJS.Timeout | undefined
    const expiry = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => {
        late = new UnavailableError(`The store did not respond within ${seconds} seconds`)
        reject(late)
      }, seconds * 1000)
    })
    const checkTime = (): void => {
      if (late !== undefined) throw late
    }
    try {
      return await Promise.race([work(checkTime), expiry])
    } finally {
      clearTimeout(timer)
    }
  }
}
