import { MisuseError, UnavailableError } from '../errors.js'

/** Says whether there is time left; throws when there is none. */
export type StillWanted = () => void
export type Deadline = <T>(work: (stillWanted: StillWanted) => Promise<T>) => Promise<T>

/**
 * Bounds what a store may take. Work that goes on after its time finds out before it commits, from `stillWanted`.
 *
 * @throws MisuseError `crud_deadline` for anything but a positive number of seconds.
 */
export function deadlineOf(seconds = 30): Deadline {
  if (typeof seconds !== 'number' || !(seconds > 0 && seconds <= 86_400)) {
    throw new MisuseError('crud_deadline', '`deadline` is a number of seconds from above 0 to 86400.')
  }
  return async (work) => {
    let late: UnavailableError | undefined
    let timer: NodeJS.Timeout | undefined
    const expiry = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => {
        late = new UnavailableError(`The store gave no answer within ${seconds} seconds`)
        reject(late)
      }, seconds * 1000)
    })
    const stillWanted = (): void => {
      if (late !== undefined) throw late
    }
    try {
      return await Promise.race([work(stillWanted), expiry])
    } finally {
      clearTimeout(timer)
    }
  }
}
