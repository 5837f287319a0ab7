import { once } from 'node:events'
import type { AddressInfo, Server } from 'node:net'

/** The port of a server, once it has one. */
export async function portOf(server: Server): Promise<number> {
  if (!server.listening) await once(server, 'listening')
  return (server.address() as AddressInfo).port
}
