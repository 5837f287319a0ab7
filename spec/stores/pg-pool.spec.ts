import { EventEmitter } from 'node:events'
import pg from 'pg'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { explainLostConnections, guardPool } from '../../lib/adapters/sql/pg-pool.js'

/** Makes a pool that is not connected. */
function poolOf(): pg.Pool {
  const pool = new pg.Pool()
  onTestFinished(() => pool.end())
  return pool
}

describe('guardPool', () => {
  it('listens for errors of a pool and of each client that is in use, once', () => {
    const [pool, client] = [poolOf(), new pg.Client()]
    for (let stores = 0; stores < 3; stores++) guardPool(pool)
    for (let uses = 0; uses < 3; uses++) pool.emit('acquire', client)
    expect([pool.listenerCount('error'), client.listenerCount('error')]).toEqual([1, 1])
    expect(() => client.emit('error', new Error('Connection terminated unexpectedly'))).not.toThrow()
    expect(() => pool.emit('error', new Error('Connection terminated unexpectedly'), client)).not.toThrow()
  })

  it('leaves the listeners of an application in place', () => {
    const pool = poolOf()
    const log = vi.fn()
    pool.on('error', log)
    guardPool(pool)
    pool.emit('error', new Error('lost'), new pg.Client())
    expect(log).toHaveBeenCalledOnce()
  })

  it('does nothing with a single client and with other drivers', () => {
    const client = new pg.Client()
    for (const each of [client, new EventEmitter(), {}, () => undefined, null, undefined]) guardPool(each)
    expect(client.listenerCount('error')).toBe(0)
  })
})

describe('explainLostConnections', () => {
  it('prints the missing listeners for a lost connection of PostgreSQL alone', () => {
    explainLostConnections()
    explainLostConnections()
    const explain = process.listeners('uncaughtExceptionMonitor').filter(({ name }) => name === 'explain')
    expect(explain).toHaveLength(1)
    const print = vi.spyOn(console, 'error').mockReturnValue()
    onTestFinished(() => print.mockRestore())
    const lost = [
      Object.assign(new Error('terminating connection due to administrator command'), { code: '57P01' }),
      new Error('Connection terminated unexpectedly'),
    ]
    const others = [new Error('other'), Object.assign(new Error('reset'), { code: 'ECONNRESET' }), null, 'lost']
    for (const error of [...lost, ...others]) explain[0]?.(error as Error, 'uncaughtException')
    expect(print.mock.calls.map(([text]) => text as unknown)).toEqual([0, 1].map(() => (
      expect.stringContaining("pool.on('connect', (client) => client.on('error', () => undefined))") as unknown
    )))
  })
})
