import { propertiesOf } from './collections.js'
import { reporter, type Run } from './run.js'
import { isStream, type CheckRequest, type Observed, type Target } from './model.js'

/** Checks that no reply depends on who has asked before or asks at the same time, and that HEAD is as GET. */
export async function checkStates(run: Run): Promise<void> {
  for (const target of run.left()) {
    if (target.method !== 'GET') continue
    const callers = run.admitted(target)
    for (const caller of isStream(target) ? [] : callers.slice(0, 1)) await checkHead(run, target, caller)
    for (const [index, other] of callers.entries()) {
      const own = callers[(index + 1) % callers.length]
      if (own !== undefined && own !== other) await checkPair(run, target, own, other)
    }
  }
}

async function checkHead(run: Run, target: Target, caller: string): Promise<void> {
  const request = await run.valid(target, caller)
  const [shown, head] = [await run.send(request), await run.send({ ...request, method: 'HEAD' })]
  const again = await run.send(request)
  if (head.failed !== undefined || shown.status !== again.status || shown.status === head.status || head.status === 429)
    return
  await run.record(target, { request: { ...request, method: 'HEAD' }, about: 'HEAD' }, { kind: 'document',
    message: `HEAD is answered with ${head.status}, and GET with ${shown.status}` })
}

/** Compares the replies of one caller after requests of another one, after its own and at the same time. */
async function checkPair(run: Run, target: Target, own: string, other: string): Promise<void> {
  const request = await run.valid(target, own)
  const foreign: CheckRequest = { ...request, caller: other }
  const asks = new Asks(run)
  const expected = await asks.stable(request)
  const foreignReply = expected === undefined ? undefined : await asks.stable(foreign)
  if (expected === undefined || foreignReply === undefined || foreignReply === expected) return
  if (await isOtherAfter(asks, foreign, request, expected)) {
    await report(run, target, request, `The reply is another one after a request of \`${other}\``)
  } else if (await isOtherBeside(asks, foreign, request, expected)) {
    await report(run, target, request, `The reply is another one while a request of \`${other}\` is served`)
  }
}

async function isOtherAfter(asks: Asks, before: CheckRequest, request: CheckRequest,
  expected: string): Promise<boolean>
{
  return await asks.after(before, request) !== expected && await asks.fresh(request) === expected
    && await asks.after(before, request) !== expected
}

/** Asks for the same in three rounds: what happens in each of them is no accident. */
async function isOtherBeside(asks: Asks, beside: CheckRequest, request: CheckRequest,
  expected: string): Promise<boolean>
{
  for (let round = 0; round < 3; round++) {
    const [first] = await Promise.all([asks.fresh(request), asks.fresh(beside)])
    const [, second] = await Promise.all([asks.fresh(beside), asks.fresh(request)])
    if (first === expected && second === expected) return false
  }
  return await asks.fresh(request) === expected
}

/** The smallest limit that marks a request. */
const LEAST_LIMIT = 20

/** Sends requests with a parameter that no request had before, so that no cache by URL has their reply. */
class Asks {
  readonly #run: Run
  #name = 'zz~'

  constructor(run: Run) {
    this.#run = run
  }

  /** Returns the reply that two requests have in common, `undefined` if they differ. */
  async stable(request: CheckRequest): Promise<string | undefined> {
    // The first may still tell of requests before it.
    await this.fresh(request)
    const reply = await this.fresh(request)
    return reply === await this.fresh(request) ? reply : undefined
  }

  async fresh(request: CheckRequest): Promise<string | undefined> {
    return this.#contentOf(await this.#run.send(this.#marked(request, this.#next())))
  }

  /** Returns the reply to a request whose URL another caller has requested just before. */
  async after(before: CheckRequest, request: CheckRequest): Promise<string | undefined> {
    const mark = this.#next()
    await this.#run.send(this.#marked(before, mark))
    return this.#contentOf(await this.#run.send(this.#marked(request, mark)))
  }

  #next(): string {
    return this.#name === 'limit' ? String(LEAST_LIMIT + this.#run.known.next() % 80) : String(this.#run.known.next())
  }

  #marked(request: CheckRequest, mark: string): CheckRequest {
    return { ...request, query: [...request.query, [this.#name, mark]] }
  }

  /** Returns the content of a reply without the figures of the request; `undefined` for a refusal. */
  #contentOf({ status, json, text }: Observed): string | undefined {
    if (status === 422 && this.#name !== 'limit') this.#name = 'limit'
    if (status !== 200) return undefined
    const { data, meta } = propertiesOf(json)
    // Of a list that is longer, each limit shows another part.
    if (this.#name === 'limit' && Array.isArray(data) && data.length >= LEAST_LIMIT) return undefined
    return data === undefined ? text : JSON.stringify([data, { ...propertiesOf(meta), limit: 0, requestId: 0 }])
  }
}

const report = reporter('state', 'two callers')
