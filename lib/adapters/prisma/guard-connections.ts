import { explainLostConnections, guardPool } from '../sql/pg-pool.js'
import type { Adapter, Client } from './library.js'

const guardedAdapters = new WeakSet<Adapter>()

/**
 * Listens for lost connections in the pool of `@prisma/adapter-pg`: it listens from a later promise on, and until then
 * the loss of a new connection would end the process. A pool that a client has made before cannot be reached.
 */
export function guardConnections({ _engineConfig: { adapter } }: Client): void {
  explainLostConnections()
  if (adapter === undefined || guardedAdapters.has(adapter)) return
  guardedAdapters.add(adapter)
  guardPool(adapter.externalPool)
  const connect = adapter.connect?.bind(adapter)
  if (connect === undefined) return
  const guardedConnect = async (): ReturnType<typeof connect> => {
    const connected = await connect()
    guardPool(connected.underlyingDriver?.())
    return connected
  }
  adapter.connect = guardedConnect
}
