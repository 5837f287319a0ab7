import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** Starts a Redis server until the test ends; returns its URL. */
export async function startRedis(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'redis-'))
  const port = await freePort()
  const server = spawn('redis-server', ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--dir', folder])
  onTestFinished(() => {
    server.kill()
    rmSync(folder, { recursive: true, force: true })
  })
  for await (const part of server.stdout) if (String(part).includes('Ready to accept connections')) break
  return `redis://127.0.0.1:${port}`
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  return port
}
