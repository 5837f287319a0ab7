import type { Server } from 'node:http'
import type { Application, Request } from 'express'
import { propertyOf } from '../base/guards.js'
import { isApp } from './stack.js'

const key = Symbol('resourcery.app')

interface Marked {
  [key]?: Application
}

/** Records the app to which a function of this package passes the requests of a server. */
export function keepServedApp(server: object & Marked, app: Application): void {
  server[key] = app
}

/**
 * Returns the app that a server passes a request to, `undefined` if a function of the application does that.
 *
 * `req.app` may be another one: an app that is mounted on a Router has no parent, and Express keeps it in `req.app` for
 * what comes after it too.
 */
export function servedApp({ socket }: Pick<Request, 'socket'>): Application | undefined {
  const server = propertyOf(socket, 'server') as Partial<Pick<Server, 'listeners'>> & Marked | null | undefined
  return server?.[key] ?? server?.listeners?.('request').find(isApp)
}
