import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import pg from 'pg'
import { expect, it, onTestFinished } from 'vitest'
import { scratchPostgres } from '../support/databases.js'
import { expectAsBefore, startChild, type Child } from './child.js'

/* Clients that send a request and read nothing of the reply. */

/** More than the connections of the pool. */
const CLIENTS = 15
/** The export has some 20 megabytes, more than the buffers of the system for one connection. */
const ROWS = 20_000
/** Megabytes that a stalled export may keep. */
const EACH = 3

/** Asks for the export, and reads nothing. */
async function stall(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  onTestFinished(() => void socket.destroy())
  socket.on('error', () => undefined)
  await once(socket, 'connect')
  socket.pause()
  socket.write(`GET /notes/export HTTP/1.1\r\nHost: specs\r\n\r\n`)
  await once(socket, 'readable')
  return socket
}

/** Starts a server with rows for a long export. */
async function startFilled(): Promise<Child> {
  const { url, drop } = await scratchPostgres()
  onTestFinished(drop)
  const server = await startChild('notes-server.ts', { DATABASE: url, FRESH: 'yes', DEADLINE: '20' })
  onTestFinished(server.kill)
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const rows = 'select repeat(md5(n::text), 32), 0 from generate_series(1, $1::int) n'
  await client.query(`insert into notes (title, bumps) ${rows}`, [ROWS]).finally(() => client.end())
  return server
}

it('clients that stop reading cost a bounded memory, hinder nobody, and leave nothing', async () => {
  const server = await startFilled()
  expect((await server.get('/notes/export')).text.length).toBeGreaterThan(ROWS * 1000)
  const before = await server.measure()

  const sockets = await Promise.all(Array.from({ length: CLIENTS }, () => stall(server.url)))
  for (let n = 0; n < 20; n++) {
    // A request that waits for those exports is a 503.
    expect((await server.post('/notes', { title: `another ${n}` })).status).toBe(201)
    expect((await server.get('/notes?limit=5')).status).toBe(200)
  }
  expect((await server.measure()).memory).toBeLessThan(before.memory + CLIENTS * EACH)
  for (const socket of sockets) socket.destroy()
  await expectAsBefore(server, before)
})

it('a server stops in time although a client reads nothing', async () => {
  const server = await startFilled()
  await stall(server.url)
  const exited = once(server.child, 'exit')
  const begun = performance.now()
  server.child.kill('SIGTERM')
  expect((await exited)[0]).toBe(0)
  // It waits five seconds for running requests.
  expect(performance.now() - begun).toBeLessThan(15_000)
})
