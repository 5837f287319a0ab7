import { once } from 'node:events'
import type { Server } from 'node:http'
import { isIP } from 'node:net'
import type { Express } from 'express'
import { prepareClasses, type ServerClasses } from '../fast/prepared-classes.js'
import { keysOf } from '../base/guards.js'
import { createServer as createHttpServer } from '../base/node-http.js'
import type { ServeSettings, Timeouts } from './settings.js'

/** Creates the server of an app, or returns the one of the application's own. */
export function createServer(app: Express, { server: own, https, timeouts, fast }: ServeSettings): Server {
  enableAsyncContexts()
  const server = own ?? makeServer(fast ? prepareClasses(app) : {}, https, checkingInterval(timeouts))
  for (const name of keysOf(timeouts)) {
    const seconds = timeouts[name]
    // Rounded up, since 0 would mean no limit.
    if (seconds !== undefined) server[name] = Math.ceil(seconds * 1000)
  }
  return server
}

function makeServer(
  classes: Partial<ServerClasses>,
  https: ServeSettings['https'],
  connectionsCheckingInterval: number,
): Server {
  const options = { ...classes, connectionsCheckingInterval, requireHostHeader: false }
  return https === undefined
    ? createHttpServer(options)
    : process.getBuiltinModule('node:https').createServer({ ...https, ...options })
}

/**
 * Returns the interval in milliseconds at which Node.js looks for slow requests; its default is 30 seconds, whatever
 * the timeouts.
 */
function checkingInterval({ headersTimeout = 0, requestTimeout = 0 }: Timeouts): number {
  const shortest = Math.min(...[headersTimeout, requestTimeout].filter((seconds) => seconds > 0), 60)
  return Math.max(50, Math.ceil(shortest * 500))
}

/**
 * Makes Node.js track asynchronous contexts, as in every app that uses an `AsyncLocalStorage`.
 *
 * Until that class is first read, Node.js 24 calls methods of a placeholder that its compiler does not inline, at every
 * tick: a twentieth of the time of a short reply. Reading it is enough; Node.js 20 and 22 do not differ.
 */
export function enableAsyncContexts(): void {
  Reflect.get(process.getBuiltinModule('node:async_hooks'), 'AsyncLocalStorage')
}

/** The place to listen on: `path` is a socket file and replaces the other two. */
type Place = Pick<ServeSettings, 'port' | 'host' | 'path'>

/** Listens, unless the server does already, and returns the URL under which this machine reaches it. */
export async function listen(server: Server, place: Place): Promise<string> {
  const { port, host, path } = place
  if (!server.listening) {
    server.listen(path === undefined ? { port, host } : { path })
    await once(server, 'listening').catch((cause: unknown) => {
      throw cannotListen(cause as NodeJS.ErrnoException, place)
    })
  }
  return urlOf(server, host)
}

const CAUSES: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another server listens there already',
  EACCES: 'this process has no permission to',
  EADDRNOTAVAIL: 'this machine has no such address',
  ENOTFOUND: 'no such host is known',
}

function cannotListen(cause: NodeJS.ErrnoException, { port, host, path }: Place): Error {
  const { code = 'ERROR', message } = cause
  const where = path ?? `port ${port} of ${host ?? 'any address'}`
  return Object.assign(
    new Error(`Cannot listen on ${where}: ${CAUSES[code] ?? message} (${code}).`, { cause }),
    { code },
  )
}

function urlOf(server: Server, host: string | undefined): string {
  const scheme = 'setSecureContext' in server ? 'https' : 'http'
  const address = server.address()
  if (address === null || typeof address === 'string') return `unix:${address ?? ''}`
  const name = host === undefined || isIP(host) !== 0 ? address.address : host
  return `${scheme}://${nameOf(name)}:${address.port}`
}

/** Replaces a wildcard address, which is not a valid destination on every system, by a name of this machine. */
function nameOf(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1'
  if (host === '::') return 'localhost'
  return host.includes(':') ? `[${host}]` : host
}
