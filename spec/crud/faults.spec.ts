import { describe, expect, it } from 'vitest'
import { crud } from 'resourcery/crud'
import { UnavailableError } from 'resourcery'
import { mountResource } from 'resourcery'
import type { Store } from 'resourcery/crud'
import { people, PersonIn, PersonOut, type Person } from './people.js'
import { servingRoutes } from './serving.js'

type People = Store<Person, undefined>
type Fault = 'fails' | 'hangs' | 'resumes'

/** Creates a store whose n-th call inside a transaction fails once; `commit` is the call after the last. */
function faulty(store: People, n: number, fault: Fault): { store: People; resume: () => void } {
  let left = n
  let resume = (): void => {}
  const strike = async (): Promise<void> => {
    if (left-- !== 1) return
    if (fault === 'fails') throw new UnavailableError('The database gave no answer')
    await new Promise<void>((resolve) => (resume = fault === 'resumes' ? resolve : () => undefined))
  }
  const struck =
    <Args extends unknown[], R>(call: (...args: Args) => Promise<R>) => async (...args: Args): Promise<R> => {
      await strike()
      return call(...args)
    }
  const wrap = (inner: People): People => ({
    key: 'id',
    db: undefined,
    list: (query) => inner.list(query),
    find: struck((keys, where) => inner.find(keys, where)),
    create: struck((fields) => inner.create(fields)),
    update: struck((key, changes) => inner.update(key, changes)),
    delete: struck((keys) => inner.delete(keys)),
    transaction: (work) =>
      inner.transaction(async (inside) => {
        const result = await work(wrap(inside))
        await strike()
        return result
      }),
  })
  return { store: wrap(store), resume: () => resume() }
}

const WRITES = [
  ['POST', '/people', { email: 'n@example.test', name: 'New' }, 2],
  ['PUT', '/people/1', { email: 'n@example.test', name: 'New' }, 3],
  ['PATCH', '/people/1', { name: 'New' }, 3],
  ['DELETE', '/people/1', undefined, 3],
  ['DELETE', '/people?ids=1,2,3', undefined, 3],
] as const

const cases = WRITES.flatMap(([method, path, body, calls]) =>
  Array.from({ length: calls }, (_, index) => [method, path, index + 1, body] as const)
)

async function peopleBehind(n: number, fault: Fault) {
  const inner = people()
  const { store, resume } = faulty(inner, n, fault)
  const client = await servingRoutes((app) =>
    mountResource(app, {
      route: '/people',
      name: 'people',
      ...crud(store, { input: PersonIn, output: PersonOut, deadline: 0.1 }),
    })
  )
  const rows = () => inner.list({ where: [], order: ['id'] }).slice(0, 100)
  return { ...client, rows, resume }
}

describe('a store that fails', () => {
  it.each(cases)(
    'leaves nothing half-written, and works on the next request: %s %s at call %i',
    async (method, path, n, body) => {
      const { send, rows } = await peopleBehind(n, 'fails')
      const before = await rows()
      const reply = await send(method, path, { body })
      expect(reply.body).toEqual({
        code: 503,
        message: 'This is not available right now',
        data: null,
        meta: { reason: 'unavailable' },
      })
      expect(await rows()).toEqual(before)
      expect((await send(method, path, { body })).status).toBeLessThan(300)
      expect(await rows()).not.toEqual(before)
    },
  )

  it.each(cases)(
    'replies 503 in time and writes nothing later, if it hangs and resumes: %s %s at call %i',
    async (method, path, n, body) => {
      const { send, rows, resume } = await peopleBehind(n, 'resumes')
      const before = await rows()
      expect((await send(method, path, { body })).status).toBe(503)
      expect(await rows()).toEqual(before)
      resume()
      const isCommit = n === (WRITES.find(([m, p]) => m === method && p === path)?.[3] ?? 0)
      const next = await send(method, path, { body })
      // A commit that began before the deadline may still succeed; it cannot be cancelled.
      expect(next.status).toBeLessThan(isCommit ? 500 : 300)
    },
  )

  it('replies 503 in time for reads and writes if it hangs forever', async () => {
    const { send } = await peopleBehind(1, 'hangs')
    expect((await send('GET', '/people/1')).status).toBe(503)
    const never = {
      ...people(),
      list: () => ({ slice: () => new Promise<never>(() => {}), count: () => 0 }),
    } as unknown as People
    const { get } = await servingRoutes((app) =>
      mountResource(app, {
        route: '/people',
        name: 'people',
        ...crud(never, { input: PersonIn, output: PersonOut, deadline: 0.05 }),
      })
    )
    expect((await get('/people')).body).toMatchObject({ code: 503, meta: { reason: 'unavailable' } })
  })

  it('replies 500 without the message of an unexpected error', async () => {
    const broken = { ...people(), find: () => Promise.reject(new Error('select secret from people')) }
    const { get } = await servingRoutes((app) =>
      mountResource(app, { route: '/people', name: 'people', ...crud(broken, { input: PersonIn, output: PersonOut }) })
    )
    const reply = await get('/people/1')
    expect(reply.status).toBe(500)
    expect(reply.text).not.toContain('secret')
  })
})
