import { describe, expect, it } from 'vitest'
import { crud, memoryStore, type IdempotencyKey, type Store, type TransactionOptions } from 'resourcery/crud'
import { mountResource } from '../../lib/core/resource/mount-resource.js'
import { people, PersonIn, PersonOut, type Person } from './people.js'
import { formOf, FORM_TYPE } from '../support/multipart.js'
import { servingRoutes } from './serving.js'

describe('a store', () => {
  it('is told the time that each transaction of crud has left', async () => {
    const given: (TransactionOptions | undefined)[] = []
    const inner = people()
    const keys = memoryStore<IdempotencyKey>({ key: 'id' })
    const store: Store<Person, undefined> = {
      ...inner,
      transaction: (work, options) => {
        given.push(options)
        return inner.transaction(work, options)
      },
    }
    const { send } = await servingRoutes((app) =>
      mountResource(app, {
        route: '/people',
        name: 'people',
        ...crud(store, {
          input: PersonIn,
          output: PersonOut,
          deadline: 50,
          bulk: true,
          import: { deadline: 700 },
          idempotency: { keys: () => keys, identity: () => 'all' },
          members: { close: { change: () => ({ status: 0 }) } },
        }),
      })
    )
    const body = { email: 'n@example.test', name: 'New' }
    const seconds = async (method: string, path: string, options: object): Promise<number[]> => {
      given.length = 0
      expect((await send(method, path, options)).status).toBeLessThan(300)
      return given.map((one) => Math.ceil((one?.seconds ?? 0) / 10) * 10)
    }
    expect(await seconds('POST', '/people', { body })).toEqual([50])
    expect(await seconds('PUT', '/people/6', { body })).toEqual([50])
    expect(await seconds('PATCH', '/people/6', { body: { name: 'Old' } })).toEqual([50])
    expect(await seconds('POST', '/people/6/close', {})).toEqual([50])
    expect(await seconds('POST', '/people/bulk', { body: { items: [{ ...body, email: 'o@example.test' }] } })).toEqual([
      50,
    ])
    expect(await seconds('POST', '/people', {
      body: { ...body, email: 'p@example.test' },
      headers: { 'idempotency-key': 'one' },
    })).toEqual([50])
    const file = formOf({ name: 'file', filename: 'people.csv', content: 'email,name\nq@example.test,New' })
    expect(await seconds('POST', '/people/import', {
      body: file.toString(),
      headers: { 'content-type': FORM_TYPE },
    })).toEqual([700])
    expect(await seconds('DELETE', '/people/6', {})).toEqual([50])
  })
})
