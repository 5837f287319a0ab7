import express, { type Request } from 'express'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { mountResource } from 'resourcery'
import { serving } from '../support/http.js'

const things = {
  route: '/things',
  name: 'things',
  handlers: {
    list: {
      input: z.object({ of: z.string().optional() }),
      handler: (_req: unknown, _res: unknown, { of = 'nobody' }: { of?: string | undefined }) => of,
    },
  },
}

async function dataOf(app: express.Express, path: string): Promise<unknown> {
  mountResource(app, things)
  return (await (await serving((req, res) => void app(req, res))).get(path)).body.data
}

function replace(target: object): void {
  Object.defineProperty(target, 'query', { configurable: true, get: () => ({ of: 'somebody' }) })
}

it('query reads the URL', async () => {
  expect([
    await dataOf(express(), '/things'),
    await dataOf(express(), '/things?'),
    await dataOf(express(), '/things?of=x'),
  ])
    .toEqual(['nobody', 'nobody', 'x'])
})

it('query prefers a query that was set on the request or on all requests of the app', async () => {
  const onRequest = express().use((req: Request, _res, next) => {
    replace(req)
    next()
  })
  const onApp = express()
  replace(onApp.request)
  for (const app of [onRequest, onApp]) expect([await dataOf(app, '/things')]).toEqual(['somebody'])
  expect([await dataOf(express(), '/things')]).toEqual(['nobody'])
})

it('query prefers a query on another prototype, or of a custom parser', async () => {
  const below = express()
  const prototype = Object.create(Object.getPrototypeOf(below.request) as object) as object
  replace(prototype)
  Object.setPrototypeOf(below.request, prototype)
  const parsing = express().set('query parser', () => ({ of: 'somebody' }))
  for (const app of [below, parsing]) expect(await dataOf(app, '/things')).toBe('somebody')
})
