import { once } from 'node:events'
import type { Server, ServerResponse } from 'node:http'
import { Server as NetServer, type Socket } from 'node:net'
import { currentResponse } from './current-response.js'

/**
 * Stops accepting, lets the answers in flight finish, and resolves when the last connection is closed; what is left after
 * `seconds` is destroyed.
 */
export async function drain(server: Server, connections: ReadonlySet<Socket>, seconds: number): Promise<void> {
  const closed = once(server, 'close')
  const closeIdle = (): void => {
    if (!someAreFlushing(connections)) server.closeIdleConnections()
  }
  for (const res of responsesOn(connections)) {
    if (!res.headersSent) res.setHeader('Connection', 'close')
    res.once('close', closeIdle)
  }
  stopAccepting(server, connections)
  // Node's idle connections are those that have been used; one that never said a word is not among them.
  for (const socket of connections) if (socket.bytesRead === 0) socket.destroy()
  const timer = setTimeout(() => {
    server.closeAllConnections()
    for (const socket of connections) socket.destroy()
  }, seconds * 1000)
  await closed
  clearTimeout(timer)
}

/*
 * Node takes an answer that is ended for one that is sent, and `server.close()` of http cuts off what a slow reader has
 * not read yet; that of net only stops accepting.
 */
function stopAccepting(server: Server, connections: ReadonlySet<Socket>): void {
  if (someAreFlushing(connections)) NetServer.prototype.close.call(server)
  else server.close()
}

function someAreFlushing(connections: ReadonlySet<Socket>): boolean {
  return responsesOn(connections).some((res) => res.writableEnded)
}

function responsesOn(connections: ReadonlySet<Socket>): ServerResponse[] {
  return [...connections].flatMap((socket) => currentResponse(socket) ?? [])
}
