/**
 * What a promise brings, or a rejection when it brings nothing in time; `lateness` begins its message.
 *
 * @throws Error `There was no answer within 5 seconds.`
 */
export async function within<T>(seconds: number, promise: PromiseLike<T>, lateness = 'There was no answer'): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const expiry = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`${lateness} within ${seconds} seconds.`)), seconds * 1000)
  })
  try {
    return await Promise.race([promise, expiry])
  } finally {
    clearTimeout(timer)
  }
}
