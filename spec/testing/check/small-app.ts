import express, { Router, type Express } from 'express'
import { auth, errorHandler, notFound, permission } from 'resourcery'
import { checkApi, type CheckOptions, type CheckReport } from 'resourcery/testing'

/** Makes an app whose routes at `/x` are guarded, and public ones before them. */
export function smallApp(mount: (router: Router, app: Express) => void): Express {
  const app = express()
  const router = Router()
  mount(router, app)
  app.use('/x', auth('x', { secret: 'a secret of at least 32 bytes for tests' }),
    permission('x', { roles: { u: ['x.*'] } }), router)
  app.use(notFound(), errorHandler({ log: () => undefined }))
  return app
}

/** Checks such an app as one caller. */
export function checkSmall(mount: (router: Router, app: Express) => void,
  options: CheckOptions = {}): Promise<CheckReport>
{
  return checkApi(smallApp(mount), { callers: { u: { id: 1, role: 'u' } }, budget: 20, timeout: 2, ...options })
}

/** Returns the routes and sentences of the findings of a report. */
export function told({ findings }: CheckReport): string[] {
  return findings.map(({ route, message }) => `${route}: ${message}`)
}
