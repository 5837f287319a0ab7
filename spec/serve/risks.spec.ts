import express, { Router, type Express, type NextFunction, type Request, type Response } from 'express'
import { expect, it, onTestFinished, vi } from 'vitest'
import { auth, errorHandler, mountResource, notFound, serve } from 'resourcery'

/** Serves an app twice, and returns the codes of the warnings of this package. */
async function warningsOf(app: Express): Promise<string[]> {
  const codes: string[] = []
  const warned = (warning: Error & { readonly code?: string }): void => {
    if (warning.code?.startsWith('RESOURCERY_') === true) codes.push(warning.code)
  }
  process.on('warning', warned)
  onTestFinished(() => void process.off('warning', warned))
  for (let time = 0; time < 2; time++) await (await serve(app, { port: 0, signals: false })).close()
  return codes.sort()
}

const PLACEHOLDER = 'this-is-a-secret-that-someone-forgot-to-change'

it('warns once of an app without an error handler, of trust in all proxies, and of a secret like a placeholder', async () => {
  const app = express().set('trust proxy', true)
  app.use('/desk', Router().use(auth('desk', { secret: PLACEHOLDER })))
  vi.stubEnv('NODE_ENV', 'production')
  onTestFinished(() => void vi.unstubAllEnvs())
  expect(await warningsOf(app)).toEqual([
    'RESOURCERY_ERROR_HANDLER_MISSING',
    'RESOURCERY_SECRET_GUESSABLE',
    'RESOURCERY_TRUST_PROXY_ALL',
  ])
})

it('does without an error handler outside of production', async () => {
  expect(await warningsOf(express())).toEqual([])
})

it('finds a guard of a resource and of a mounted app', async () => {
  const inner = express()
  mountResource(inner, {
    app: 'desk',
    route: '/tickets',
    name: 'tickets',
    guards: [auth('desk', { secret: PLACEHOLDER })],
    handlers: { list: { can: false, handler: () => [] } },
  })
  expect(await warningsOf(express().use('/inner', inner).use(errorHandler()))).toEqual(['RESOURCERY_SECRET_GUESSABLE'])
})

it('has nothing to say of a careful app, and ends for a Router that contains itself', async () => {
  const router = Router()
  router.use('/again', router)
  const app = express().set('trust proxy', 1).use(auth('desk', { secret: 'q8Yk2mZr0vT5xLw7Bn4Jc9Hd3Fg6Ps1E' }), router)
  expect(await warningsOf(app.use(errorHandler()))).toEqual([])
})

const withItems = <Target extends Express | Router>(target: Target): Target => {
  mountResource(target, { route: '/items', name: 'items', handlers: { list: { auth: false, handler: () => [] } } })
  return target
}

it('warns of a resource after `notFound()`, and of what is mounted after the last error handler', async () => {
  const early = ['RESOURCERY_ERROR_HANDLER_EARLY']
  expect(await warningsOf(withItems(express().use(notFound())).use(errorHandler()))).toEqual([
    'RESOURCERY_NOT_FOUND_EARLY',
  ])
  expect(await warningsOf(withItems(express().use(errorHandler())))).toEqual(early)
  expect(await warningsOf(express().use(errorHandler()).use('/api', withItems(Router())))).toEqual(early)
  expect(await warningsOf(withItems(express()).use(errorHandler(), notFound()))).toEqual(early)
})

it('takes parts of an app with their own ends, and error handlers of the application', async () => {
  const own = withItems(Router()).use(notFound(), errorHandler())
  const app = express().use('/admin', notFound(), errorHandler()).use('/api', own)
  expect(await warningsOf(app)).toEqual([])
  const handled = withItems(express().use(errorHandler()))
  expect(await warningsOf(handled.use((_error: unknown, _req: Request, _res: Response, next: NextFunction) => next())))
    .toEqual([])
})
