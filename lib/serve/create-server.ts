import type { Server } from 'node:http'
import type { Express } from 'express'
import { createServer as createHttpServer } from '../node-http.js'
import { followAsyncContexts } from './async-context.js'
import { partsOf } from '../seam.js'
import type { ServeSettings, Timeouts } from './settings.js'

/** The server an app is served on: made for it, unless the user brought one. */
export function createServer(app: Express, { server: own, https, timeouts, fast }: ServeSettings): Server {
  followAsyncContexts()
  const server = own ?? makeServer(app, fast, https, checkingInterval(timeouts))
  for (const [name, seconds] of Object.entries(timeouts) as [keyof Timeouts, number | undefined][]) {
    // Rounded up, since 0 would be no limit at all.
    if (seconds !== undefined) server[name] = Math.ceil(seconds * 1000)
  }
  return server
}

function makeServer(app: Express, fast: boolean, https: ServeSettings['https'], connectionsCheckingInterval: number): Server {
  const options = { ...partsOf(fast).serverClasses(app), connectionsCheckingInterval, requireHostHeader: false }
  return https === undefined ? createHttpServer(options) : process.getBuiltinModule('node:https').createServer({ ...https, ...options })
}

/** How often Node looks for requests that are too slow, in milliseconds: by default every 30 seconds, whatever the timeouts. */
function checkingInterval({ headersTimeout = 0, requestTimeout = 0 }: Timeouts): number {
  const shortest = Math.min(...[headersTimeout, requestTimeout].filter((seconds) => seconds > 0), 60)
  return Math.max(50, Math.ceil(shortest * 500))
}
