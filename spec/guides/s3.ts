import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'

/** Starts a server that keeps objects as S3 does, as far as the guides need it; returns its URL. */
export async function startS3(): Promise<string> {
  const objects = new Map<string, Buffer>()
  const server = createServer(async (req, res) => {
    const key = new URL(req.url ?? '', 'http://s3').pathname
    if (req.method === 'PUT') objects.set(key, await buffer(req))
    if (req.method === 'DELETE') objects.delete(key)
    res.statusCode = req.method === 'GET' && !objects.has(key) ? 404 : 200
    res.setHeader('ETag', '"one"').end(req.method === 'GET' ? objects.get(key) : undefined)
  })
  await new Promise<void>((resolve) => server.listen(0, resolve))
  onTestFinished(() => void server.close())
  return `http://localhost:${(server.address() as AddressInfo).port}`
}
