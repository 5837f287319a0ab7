import type { Server } from 'node:http'
import type { Socket } from 'node:net'

/** The connections of a server from now on, those behind an upgrade included, which Node's own list leaves out. */
export function connectionsOf(server: Server): ReadonlySet<Socket> {
  const connections = new Set<Socket>()
  const add = (socket: Socket): void => {
    connections.add(socket)
    socket.once('close', () => connections.delete(socket))
  }
  server.on('connection', add)
  // Over TLS the first event tells of the bare connection, which never carries a response.
  server.on('secureConnection', add)
  return connections
}
