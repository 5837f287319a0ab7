import { once } from 'node:events'
import type { Server } from 'node:http'
import { isIP } from 'node:net'

/** Where to listen: `path` is a socket file, and replaces the other two. */
export interface Place {
  readonly port: number
  readonly host: string | undefined
  readonly path: string | undefined
}

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
  EADDRINUSE: 'something else listens there already',
  EACCES: 'this process has no permission to',
  EADDRNOTAVAIL: 'this machine has no such address',
  ENOTFOUND: 'no such host is known',
}

function cannotListen(cause: NodeJS.ErrnoException, { port, host, path }: Place): Error {
  const { code = 'ERROR', message } = cause
  const where = path ?? `port ${port} of ${host ?? 'any address'}`
  return Object.assign(new Error(`Cannot listen on ${where}: ${CAUSES[code] ?? message} (${code}).`, { cause }), { code })
}

function urlOf(server: Server, host: string | undefined): string {
  const scheme = 'setSecureContext' in server ? 'https' : 'http'
  const address = server.address()
  if (address === null || typeof address === 'string') return `unix:${address ?? ''}`
  const name = host === undefined || isIP(host) !== 0 ? address.address : host
  return `${scheme}://${nameOf(name)}:${address.port}`
}

/** A wildcard address is no destination everywhere: a name that leads to this machine stands for it. */
function nameOf(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1'
  if (host === '::') return 'localhost'
  return host.includes(':') ? `[${host}]` : host
}
