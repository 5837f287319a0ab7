import express, { type Express, type RequestHandler } from 'express'
import { auth } from 'resourcery'
import { issueToken } from 'resourcery'
import { errorHandler } from 'resourcery'
import { notFound } from 'resourcery'
import { permission } from 'resourcery'

export const SECRET = 'Rk3vQ8mZt1yXw6Lp0Hs9Nd4Bf7Gc2Je5'

/** Signs a token of `app` with these permissions. */
export function tokenFor(
  app: string,
  permissions: readonly string[] = ['*'],
  id: number | string = 7,
): Promise<string> {
  return issueToken(app, { id, permissions }, { secret: SECRET })
}

/** Returns the guards of `app`: `auth` and `permission`. */
export function guardsOf(app: string): RequestHandler[] {
  return [auth(app, { secret: SECRET }), permission(app)]
}

/** Creates an app with the routes that `build` mounts, `notFound` and `errorHandler`; `logged` collects the log. */
export function appWith(build: (app: Express) => void): Express & { logged: unknown[] } {
  const app = express()
  build(app)
  const logged: unknown[] = []
  app.use(notFound(), errorHandler({ log: (error) => logged.push(error) }))
  return Object.assign(app, { logged })
}
