import type { Reply } from './http.js'

/** A reply to a request of a load. */
export interface Answer<T> {
  /** What was asked for. */
  readonly asked: T
  /** `undefined` if the connection broke before the end of the reply. */
  readonly reply: Reply | undefined
  /** The time from the request to the end of the reply, in milliseconds. */
  readonly duration: number
  /** The time of the end, by `performance.now`. */
  readonly at: number
}

/** Requests that are sent one after the other by each of several clients. */
export interface Load<T> {
  readonly answers: readonly Answer<T>[]
  /** Resolves with the first answer from now on that fulfils the condition. */
  readonly next: (isWanted: (answer: Answer<T>) => boolean) => Promise<Answer<T>>
  /** Waits for the running requests, and returns all answers. */
  readonly stop: () => Promise<readonly Answer<T>[]>
}

/** Sends requests by `clients` until `stop` is called; the n-th request is for `ask(n)`. */
export function startLoad<T>(clients: number, ask: (n: number) => T, send: (asked: T) => Promise<Reply>): Load<T> {
  const answers: Answer<T>[] = []
  const waiting = new Set<(answer: Answer<T>) => void>()
  let sent = 0
  let isStopped = false

  async function client(): Promise<void> {
    while (!isStopped) {
      const asked = ask(sent++)
      const begun = performance.now()
      const reply = await send(asked).catch(() => undefined)
      const at = performance.now()
      const answer = { asked, reply, duration: at - begun, at }
      answers.push(answer)
      for (const see of [...waiting]) see(answer)
    }
  }

  const running = Promise.all(Array.from({ length: clients }, client))
  return {
    answers,
    next: (isWanted) =>
      new Promise((resolve) => {
        const see = (answer: Answer<T>): void => {
          if (!isWanted(answer)) return
          waiting.delete(see)
          resolve(answer)
        }
        waiting.add(see)
      }),
    stop: async () => {
      isStopped = true
      await running
      return answers
    },
  }
}

/** Waits for some answers, and returns the longest time of them: on a busy machine all takes longer. */
export async function slowestOf<T>(load: Load<T>, count: number): Promise<number> {
  let [left, slowest] = [count, 0]
  await load.next(({ duration }) => {
    slowest = Math.max(slowest, duration)
    return --left === 0
  })
  return slowest
}

/** Returns a description of each answer that is neither a success nor a 503 in the envelope. */
export function surprises(answers: readonly Answer<unknown>[], statuses: readonly number[] = [503]): string[] {
  return answers.flatMap(({ asked, reply }) => {
    const what = JSON.stringify(asked)
    if (reply === undefined) return [`${what}: no reply`]
    const { status, body, text } = reply
    const isRight = status >= 200 && status < 300 || statuses.includes(status)
    const keys = typeof body === 'object' ? Object.keys(body).join() : ''
    const isEnvelope = keys === 'code,message,data,meta' && body.code === status
    return isRight && isEnvelope ? [] : [`${what}: ${status} ${text}`]
  })
}
