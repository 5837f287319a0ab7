/** What a promise brings, or a rejection when it brings nothing in time. */
export async function within<T>(seconds: number, promise: PromiseLike<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const expiry = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`There was no answer within ${seconds} seconds.`)), seconds * 1000)
  })
  try {
    return await Promise.race([promise, expiry])
  } finally {
    clearTimeout(timer)
  }
}
