import { once } from 'node:events'
import type { Server, ServerResponse } from 'node:http'
import { Server as NetServer, type Socket } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { currentResponse } from '../base/node-http.js'
import { redactError } from '../base/redact.js'

/** Collects the connections of a server from now on, with those after an upgrade, which are not in Node's own list. */
export function connectionsOf(server: Server): ReadonlySet<Socket> {
  const connections = new Set<Socket>()
  const add = (socket: Socket): void => {
    connections.add(socket)
    socket.once('close', () => connections.delete(socket))
  }
  server.on('connection', add)
  // Over TLS the first event reports the unencrypted connection, which never carries a response.
  server.on('secureConnection', add)
  return connections
}

/** Lets a server answer for `seconds` as before, but for the connection of each reply, which the reply closes. */
export async function linger(connections: ReadonlySet<Socket>, seconds: number): Promise<void> {
  closeAfterReply(responsesOn(connections))
  await setTimeout(seconds * 1000)
}

function closeAfterReply(responses: readonly ServerResponse[]): void {
  for (const res of responses) if (!res.headersSent) res.setHeader('Connection', 'close')
}

/**
 * Stops accepting connections, waits for replies in progress, and resolves when the last connection is closed; after
 * `seconds` the remaining ones are destroyed.
 */
export async function drain(server: Server, connections: ReadonlySet<Socket>, seconds: number): Promise<void> {
  const closed = once(server, 'close')
  const closeIdle = (): void => {
    if (!isFlushing(connections)) server.closeIdleConnections()
  }
  const responses = responsesOn(connections)
  closeAfterReply(responses)
  for (const res of responses) res.once('close', closeIdle)
  stopAccepting(server, connections)
  // Node's idle connections are those that have been used; a connection without any request is not among them.
  for (const socket of connections) if (socket.bytesRead === 0) socket.destroy()
  const timer = globalThis.setTimeout(() => {
    server.closeAllConnections()
    for (const socket of connections) socket.destroy()
  }, seconds * 1000)
  await closed
  clearTimeout(timer)
}

/*
 * `server.close()` of http treats a reply that was ended as sent, and cuts off what a slow client has not read yet;
 * that of net only stops accepting connections.
 */
function stopAccepting(server: Server, connections: ReadonlySet<Socket>): void {
  if (isFlushing(connections)) NetServer.prototype.close.call(server)
  else server.close()
}

/** Returns true if a reply was ended and is not yet written to its socket. */
function isFlushing(connections: ReadonlySet<Socket>): boolean {
  return responsesOn(connections).some((res) => res.writableEnded)
}

function responsesOn(connections: ReadonlySet<Socket>): ServerResponse[] {
  return [...connections].flatMap((socket) => currentResponse(socket) ?? [])
}

type Close = () => Promise<void>

const SIGNALS = ['SIGTERM', 'SIGINT'] as const

/** The servers of the process that a signal closes; the process ends when all of them are closed. */
const runningCloses = new Set<Close>()
/** The time of the first signal, in milliseconds of `performance.now()`. */
let stoppingSince: number | undefined

/**
 * Milliseconds for which further signals are repeats of the first: a signal to a process group reaches npm and its
 * child, and npm passes it on.
 */
const REPEATS = 1000

/**
 * Closes a server on SIGTERM and SIGINT, and then ends the process; a signal more than a second after the first ends it
 * at once. Returns a function that undoes this.
 */
export function closeOnSignal(close: Close): () => void {
  if (runningCloses.size === 0) { for (const signal of SIGNALS) process.on(signal, stop) }
  runningCloses.add(close)
  return () => {
    runningCloses.delete(close)
    if (runningCloses.size === 0) { for (const signal of SIGNALS) process.off(signal, stop) }
  }
}

function stop(): void {
  if (stoppingSince !== undefined) {
    if (performance.now() - stoppingSince > REPEATS) process.exit(1)
    return
  }
  stoppingSince = performance.now()
  void Promise.allSettled([...runningCloses].map((close) => close())).then((results) => {
    const failed = results.filter((result) => result.status === 'rejected')
    for (const { reason } of failed) console.error(redactError(reason))
    process.exit(failed.length === 0 ? 0 : 1)
  })
}
