import { asDriverError } from './driver-errors.js'
import { inherit } from './table.js'

/*
 * A client of node-postgres whose connection is lost emits `error`, which ends the process if nothing listens. A
 * `pg.Pool` listens only while the client is idle, and passes the error on. Statements fail by themselves, and the pool
 * drops the client: the event needs a listener and nothing else.
 */

/** The parts of a `pg.Pool` and its clients that are called here. */
interface Emitter {
  on(event: string, listener: (emitter: Emitter) => void): unknown
  listeners(event: string): readonly unknown[]
}

/** A `pg.Pool`, which is in use by several libraries. */
export interface PgPool extends Emitter {
  connect(): Promise<{ release(isLost: boolean): void }>
}

function listen(emitter: Emitter, event: string, listener: (emitter: Emitter) => void): void {
  if (!emitter.listeners(event).includes(listener)) emitter.on(event, listener)
}

const ignore = (): void => undefined
const guardClient = (client: Emitter): void => listen(client, 'error', ignore)

/** Listens for lost connections of a `pg.Pool`, idle or in use; does nothing with any other value. */
export function guardPool(pool: unknown): void {
  if (!isPool(pool)) return
  listen(pool, 'error', ignore)
  listen(pool, 'acquire', guardClient)
}

export interface PgModule {
  readonly Client: new(settings: never) => Emitter
}

/** Returns the module with clients that listen for the loss of their connection from the start. */
export function guardClients<Module extends PgModule>(module: Module): Module {
  const { Client } = module
  class GuardedClient extends Client {
    constructor(settings: never) {
      super(settings)
      guardClient(this)
    }
  }
  return inherit(module, { Client: { value: GuardedClient } })
}

/** True for a `pg.Pool`, which alone counts its clients so; a single client can't be replaced. */
export function isPool<Pool>(pool: Pool): pool is Pool & PgPool {
  return typeof pool === 'object' && pool !== null && 'totalCount' in pool && 'on' in pool && 'listeners' in pool
}

const HINT = `resourcery: a connection of a pg.Pool was lost while it was in use, and nothing listened. Add to the pool:
  pool.on('error', () => undefined)
  pool.on('connect', (client) => client.on('error', () => undefined))
See "Lost connections" in docs/stores.md.`

/** Prints the missing lines if a lost connection ends the process, for libraries that hide their pool from a store. */
export function explainLostConnections(): void {
  if (!process.listeners('uncaughtExceptionMonitor').includes(explain)) process.on('uncaughtExceptionMonitor', explain)
}

function explain(error: unknown): void {
  const { code, message } = asDriverError(error)
  if (/^57P0[1-5]$/.test(String(code)) || message === 'Connection terminated unexpectedly') console.error(HINT)
}
