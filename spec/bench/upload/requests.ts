import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

const HEAD = Buffer.from('--b\r\nContent-Disposition: form-data; name="file"; filename="a.bin"\r\n\r\n')
const TAIL = Buffer.from('\r\n--b--\r\n')

/** Returns the bytes of a request that uploads so many random bytes. */
export function uploadRequest(path: string, size: number): { request: Buffer; hash: string } {
  const content = randomBytes(size)
  const request = postRequest(path, Buffer.concat([HEAD, content, TAIL]))
  return { request, hash: createHash('sha256').update(content).digest('hex') }
}

export function textRequest(path: string, names: readonly string[]): Buffer {
  return postRequest(
    path,
    Buffer.from(
      [...names.map((name) => `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n1\r\n`), '--b--\r\n'].join(
        '',
      ),
    ),
  )
}

function postRequest(path: string, form: Buffer): Buffer {
  const head = `POST ${path} HTTP/1.1\r\nHost: bench\r\nConnection: close\r\nContent-Type: multipart/form-data; `
    + `boundary=b\r\nContent-Length: ${form.length}\r\n\r\n`
  return Buffer.concat([Buffer.from(head), form])
}

/** Sends bytes unchanged and resolves with the whole reply. */
export async function exchange(port: number, bytes: Buffer): Promise<string> {
  const socket = await connected(port)
  let reply = ''
  const closed = new Promise((resolve) => socket.once('close', resolve))
  socket.setEncoding('latin1').on('data', (data: string) => (reply += data)).write(bytes)
  await closed
  return reply
}

/** Sends a part of a request and disconnects. */
export async function abandon(port: number, request: Buffer, part: number): Promise<void> {
  const socket = await connected(port)
  const body = request.indexOf('\r\n\r\n') + 4
  await new Promise<void>((resolve) =>
    socket.write(request.subarray(0, body + Math.floor((request.length - body) * part)), () => resolve())
  )
  socket.destroy()
  await once(socket, 'close')
}

async function connected(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => undefined)
  await once(socket, 'connect')
  return socket
}
