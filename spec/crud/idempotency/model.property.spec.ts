import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { BusinessError } from 'resourcery'
import { mountResource } from 'resourcery'
import { crud, memoryStore, type IdempotencyKey } from 'resourcery/crud'
import { digest } from '../../../lib/crud/core/digest.js'
import type { Reply } from '../../support/http.js'
import { servingRoutes } from '../serving.js'
import { NoteIn, NoteOut, type Note } from './notes.js'

/** Set `MODEL_RUNS=1000` for more runs. */
const RUNS = Number(process.env.MODEL_RUNS ?? 100)

type Ending = 'success' | 'failure'

/** A step: a request begins, ends or hangs; the time of the hanging ones passes; one of them resumes. */
type Step =
  | { readonly kind: 'begin'; readonly key: 'a' | 'b'; readonly title: 'Milk' | 'Tea'; readonly caller: 'ann' | 'ben' }
  | { readonly kind: 'end'; readonly nth: number; readonly ending: Ending }
  | { readonly kind: 'silence' | 'return'; readonly nth: number }
  | { readonly kind: 'wait' }

const nth = fc.nat(3)
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('begin' as const),
      key: fc.constantFrom('a', 'b'),
      title: fc.constantFrom('Milk', 'Milk', 'Tea'),
      caller: fc.constantFrom('ann', 'ann', 'ben'),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('end' as const), nth, ending: fc.constantFrom('success', 'failure') }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constantFrom('silence' as const, 'return' as const), nth }) },
  { weight: 2, arbitrary: fc.constant({ kind: 'wait' as const }) },
)

interface Known {
  readonly title: string
  /** The request that runs. */
  readonly holder: number
  readonly text: string | undefined
  readonly over: boolean
}

/** Models the states of a key: unused, claimed, claimed and expired, or with a reply. */
class Model {
  readonly known = new Map<string, Known>()
  written = 0

  /** Returns the immediate status of a request, or that it begins to run. */
  begin(id: string, title: string, holder: number): number | 'runs' {
    const found = this.known.get(id)
    if (found !== undefined && !found.over) return found.title !== title ? 422 : found.text === undefined ? 409 : 201
    this.known.set(id, { title, holder, text: undefined, over: false })
    return 'runs'
  }

  /** Returns the status of a request that ends; one that lost its claim has written nothing. */
  end(id: string, holder: number, ending: Ending): number {
    const found = this.known.get(id)
    const isHolder = found?.holder === holder && found.text === undefined
    if (ending === 'failure') {
      if (isHolder) this.known.delete(id)
      return 418
    }
    if (isHolder) this.written++
    return isHolder ? 201 : 409
  }

  keep(id: string, text: string): void {
    const found = this.known.get(id)
    if (found !== undefined) this.known.set(id, { ...found, text, over: false })
  }

  wait(ids: readonly string[]): void {
    for (const id of ids) {
      const found = this.known.get(id)
      if (found !== undefined && found.text === undefined) this.known.set(id, { ...found, over: true })
    }
  }
}

interface Running {
  readonly id: string
  readonly holder: number
  readonly reply: Promise<Reply>
  readonly end: (ending: Ending) => void
}

/** Serves a resource whose creations run until the test ends them. */
async function world() {
  const rows: string[] = []
  const keys = memoryStore<IdempotencyKey>({ key: 'id' })
  const inner = memoryStore<Note>({ key: 'id' })
  let made = 0
  // Transactions are isolated as in a database: their writes are visible after the commit.
  const notes: typeof inner = {
    ...inner,
    transaction: async (work) => {
      const mine: string[] = []
      const create = ({ title = '' }: Partial<Note>): Promise<Note> =>
        Promise.resolve({ id: mine.push(title), title, owner: ++made })
      const result = await work({ ...inner, create })
      rows.push(...mine)
      return result
    },
  }
  let tell: ((end: Running['end']) => void) | undefined
  const after = async (): Promise<void> => {
    const ending = await new Promise<Ending>((resolve) => tell?.(resolve))
    if (ending === 'failure') throw new BusinessError('No', 418)
  }
  const { post } = await servingRoutes((app) =>
    mountResource(app, {
      route: '/notes',
      name: 'notes',
      ...crud(notes, {
        input: NoteIn,
        output: NoteOut,
        after: { create: after },
        deadline: 600,
        idempotency: { keys: () => keys, identity: (req) => req.get('x-caller') },
      }),
    })
  )
  const ask = (title: string, [caller = '', key = '']: readonly string[]) =>
    post('/notes', { title }, { headers: { 'x-caller': caller, 'idempotency-key': key } })
  /** Functions that end the running requests. */
  const begun = () => new Promise<Running['end']>((resolve) => (tell = resolve))
  /** Ends the time of the claims that have no reply. */
  const over = async (ids: readonly string[]): Promise<void> => {
    for (const id of ids) {
      const [row] = await keys.find([digest([null, 'notes.create', ...id.split(' ')])])
      if (row?.reply === null) await keys.update(row.id, { expiresAt: 0 })
    }
  }
  return { rows, ask, begun, over }
}

async function play(steps: readonly Step[]): Promise<void> {
  const { rows, ask, begun, over } = await world()
  const model = new Model()
  const [running, silent]: [Running[], Running[]] = [[], []]
  const pick = (from: Running[], nth: number): Running | undefined => from.splice(nth % Math.max(1, from.length), 1)[0]
  const end = async (ended: Running | undefined, ending: Ending): Promise<void> => {
    if (ended === undefined) return
    const expected = model.end(ended.id, ended.holder, ending)
    ended.end(ending)
    const { status, text } = await ended.reply
    expect(status).toBe(expected)
    if (status === 201) model.keep(ended.id, text)
  }
  const begin = async ({ caller, key, title }: Extract<Step, { kind: 'begin' }>, holder: number): Promise<void> => {
    const id = `${caller} ${key}`
    const expected = model.begin(id, title, holder)
    const started = begun()
    const reply = ask(title, [caller, key])
    if (expected === 'runs') return void running.push({ id, holder, reply, end: await started })
    const { status, text, headers } = await reply
    expect(status).toBe(expected)
    if (status === 201) expect([text, headers.get('idempotency-replayed')]).toEqual([model.known.get(id)?.text, 'true'])
  }
  for (const [at, step] of steps.entries()) {
    if (step.kind === 'begin') await begin(step, at)
    else if (step.kind === 'end') await end(pick(running, step.nth), step.ending)
    else if (step.kind === 'silence') silent.push(...[pick(running, step.nth)].filter((one) => one !== undefined))
    else if (step.kind === 'return') await end(pick(silent, step.nth), 'success')
    else {
      await over(silent.map(({ id }) => id))
      model.wait(silent.map(({ id }) => id))
    }
    expect(rows).toHaveLength(model.written)
  }
  for (const left of [...running, ...silent]) await end(left, 'success')
  expect(rows).toHaveLength(model.written)
}

describe('idempotency keys', () => {
  it('behave like a simple model for any sequence of steps', async () => {
    await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 12 }), play), { numRuns: RUNS })
  }, 300_000)
})
