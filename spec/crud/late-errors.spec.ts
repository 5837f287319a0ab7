import express, { Router, type Express } from 'express'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { errorHandler } from 'resourcery'
import { mountResource } from 'resourcery'
import { crud } from 'resourcery/crud'
import { people, PersonIn, PersonOut } from './people.js'
import { serving } from '../support/http.js'

const ERROR = new Error('Mail server down')
const NEW = { email: 'n@example.test', name: 'New' }

function mountPeople(router: Router | Express, afterCreate: () => unknown = () => Promise.reject(ERROR)): void {
  mountResource(router, {
    route: '/people',
    name: 'people',
    ...crud(people(), {
      input: PersonIn,
      output: PersonOut,
      bulk: true,
      afterCommit: { create: afterCreate },
    }),
  })
}

function identified(): Express {
  const app = express()
  app.use((req, _res, next) => {
    Object.assign(req, { id: 'r-1' })
    next()
  })
  return app
}

function quiet() {
  const log = vi.spyOn(console, 'error').mockReturnValue()
  onTestFinished(() => log.mockRestore())
  return log
}

describe('an error of `afterCommit`', () => {
  const seen: unknown[] = []
  const noted = (name: string) =>
    errorHandler({ log: (error, req) => {
      seen.push([name, error, (req as { id?: unknown }).id])
    } })
  const forms: readonly (readonly [string, string, (app: Express) => void])[] = [
    ['of the app', 'app', (app) => {
      mountPeople(app)
      app.use(noted('app'))
    }],
    ['of the Router of the resource', 'router', (app) => {
      const router = Router()
      mountPeople(router)
      router.use(noted('router'))
      app.use(router, noted('app'))
    }],
    ['of the app, not of a Router beside it', 'app', (app) => {
      const [router, other] = [Router(), Router()]
      mountPeople(router)
      other.use(noted('other'))
      app.use(other, router, noted('app'))
    }],
    ['of the app that the resource’s app is mounted on', 'app', (app) => {
      const inner = express()
      mountPeople(inner)
      app.use(inner)
      app.use(noted('app'))
    }],
  ]

  it.each(forms)('is logged by the errorHandler %s, with the request', async (_title, name, mount) => {
    const log = quiet()
    seen.length = 0
    const app = identified()
    mount(app)
    const { post } = await serving(app)
    expect((await post('/people', NEW)).status).toBe(201)
    expect(seen).toEqual([[name, ERROR, 'r-1']])
    expect(log).not.toHaveBeenCalled()
  })

  it('is logged to the console with the request id where no `log` is given', async () => {
    for (const handlers of [[], [errorHandler()]]) {
      const log = quiet()
      const app = identified()
      mountPeople(app)
      if (handlers.length > 0) app.use(...handlers)
      const { post } = await serving(app)
      const items = [NEW, { ...NEW, email: 'm@example.test' }]
      expect((await post('/people/bulk', { items })).status).toBe(201)
      expect(log.mock.calls).toEqual([
        ['After create was committed (request r-1):', ERROR],
        ['After create was committed (request r-1):', ERROR],
      ])
      log.mockRestore()
    }
  })

  it('is logged where the hook returns it', async () => {
    for (const hook of [() => ERROR, () => Promise.resolve(ERROR)]) {
      const log = quiet()
      const app = express()
      mountPeople(app, hook)
      expect((await (await serving(app)).post('/people', NEW)).status).toBe(201)
      expect(log.mock.calls).toEqual([['After create was committed:', ERROR]])
      log.mockRestore()
    }
  })

  it('does no harm where `log` itself fails', async () => {
    const app = identified()
    mountPeople(app)
    app.use(errorHandler({ log: () => Promise.reject(new Error('No log')) }))
    const { post } = await serving(app)
    expect((await post('/people', NEW)).status).toBe(201)
  })
})
