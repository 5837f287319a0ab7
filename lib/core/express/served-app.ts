import type { Server } from 'node:http'
import type { Application, Request } from 'express'
import { propertyOf } from '../base/guards.js'
import { isApp, rootOf, stackOf, type Layer } from './stack.js'

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
function servedApp({ socket }: Pick<Request, 'socket'>): Application | undefined {
  const server = propertyOf(socket, 'server') as Partial<Pick<Server, 'listeners'>> & Marked | null | undefined
  return server?.[key] ?? server?.listeners?.('request').find(isApp)
}

/** An app that a request may have entered. */
export interface Around {
  readonly app: Application
  /** True if the request has entered it with its whole path; otherwise there may be a prefix that is not known. */
  readonly hasWholePath: boolean
}

/** Returns the app of the server, the app of a request and its parents, the outermost first. */
export function appsAround(req: Request): readonly Around[] {
  const apps: Application[] = []
  for (let at: unknown = req.app; isApp(at); at = propertyOf(at, 'parent')) apps.unshift(at)
  const served = servedApp(req)
  if (served !== undefined && !apps.includes(served)) apps.unshift(served)
  const outermost = served ?? apps[0]
  return apps.map((app) => ({ app, hasWholePath: app === outermost }))
}

/**
 * Returns the stack of the outermost parent of the app of a request, and that of the app of the server, which knows the
 * prefix of an app on a Router. A function in the latter may have passed the request to the former.
 */
export function rootStacks(req: Request): readonly (readonly Layer[])[] {
  const app: unknown = req.app
  const apps = new Set([isApp(app) ? rootOf(app) : undefined, servedApp(req)])
  return [...apps].map(stackOf)
}
