import express from 'express'
import { serve } from '../../../lib/serve.js'

/*
 * One hand-written route, listened to in the way that the first argument names. It says over IPC which port it got and,
 * when asked, how much processor time it has used, in microseconds.
 */

const app = express().disable('x-powered-by')
const body = JSON.stringify({ code: 200, message: 'ok', data: { id: 1, name: 'Ada' }, meta: {} })

app.get('/users/:id', (_req, res) => {
  res.setHeader('Content-Type', 'application/json; charset=utf-8')
  res.setHeader('Content-Length', Buffer.byteLength(body))
  res.end(body)
})

const ways: Record<string, () => Promise<number>> = {
  'app.listen': () => new Promise((resolve) => {
    const server = app.listen(0, '127.0.0.1', () => {
      const address = server.address()
      resolve(typeof address === 'object' && address !== null ? address.port : 0)
    })
  }),
  serve: async () => Number(new URL((await serve(app, { port: 0, host: '127.0.0.1', signals: false })).url).port),
}

const listen = ways[process.argv[2] ?? '']
if (listen === undefined) throw new Error(`one-route.ts takes one of ${Object.keys(ways).join(', ')}`)
const port = await listen()
process.on('message', () => {
  const { user, system } = process.cpuUsage()
  process.send?.(user + system)
})
process.on('disconnect', () => process.exit(0))
process.send?.(port)
