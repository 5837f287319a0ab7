import { deepEqual, ok, rejects } from 'node:assert/strict'
import { once } from 'node:events'
import { createTRPCUntypedClient, httpBatchLink } from '@trpc/client'
import { io } from 'socket.io-client'

/*
 * Calls the program of docs/guides/platforms.md by the clients of tRPC and socket.io: node clients.mjs http://localhost:…
 */

const url = process.argv[2]
const headers = { 'X-User': 'ann' }

const client = createTRPCUntypedClient({ links: [httpBatchLink({ url: `${url}/trpc`, headers })] })
deepEqual((await Promise.all([client.query('caller'), client.query('titles')])).at(0), 'ann')
await rejects(client.query('nothing'), ({ data }) => data.code === 'NOT_FOUND')
console.log('tRPC ok')

for (const transport of ['polling', 'websocket']) {
  const options = { transports: [transport], forceNew: true, reconnection: false }
  const [refused] = await once(io(url, options), 'connect_error')
  ok(refused instanceof Error)
  const socket = io(url, { ...options, extraHeaders: headers })
  deepEqual(await once(socket, 'hello'), ['ann'])
  const heard = once(socket, 'note')
  const body = JSON.stringify({ title: 'Tea' })
  const reply = await fetch(`${url}/api/notes`, {
    method: 'POST',
    headers: { ...headers, 'Content-Type': 'application/json' },
    body,
  })
  deepEqual(await heard, [(await reply.json()).data])
  socket.close()
  console.log(`socket.io by ${transport} ok`)
}
