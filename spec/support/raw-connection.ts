import { connect, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

/** A raw TCP connection that sends bytes and waits for received ones. */
export interface Connection {
  readonly socket: Socket
  readonly write: (bytes: string) => void
  /** Resolves with all received data once it matches, and rejects if the connection closes before. */
  readonly until: (fits: RegExp | ((seen: string) => boolean)) => Promise<string>
  /** Resolves with all received data when the connection is closed by either side. */
  readonly closed: Promise<string>
}

export async function connection(url: string): Promise<Connection> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  onTestFinished(() => void socket.destroy())
  let seen = ''
  socket.setEncoding('latin1')
  socket.on('data', (chunk: string) => (seen += chunk))
  socket.on('error', () => undefined)
  const closed = new Promise<string>((resolve) => socket.on('close', () => resolve(seen)))
  await new Promise((resolve) => socket.once('connect', resolve))
  return {
    socket,
    closed,
    write: (bytes) => void socket.write(bytes),
    until: (fits) =>
      new Promise((resolve, reject) => {
        const check = (): void => {
          if (typeof fits === 'function' ? fits(seen) : fits.test(seen)) resolve(seen)
        }
        check()
        socket.on('data', check)
        socket.on('close', () => reject(new Error(`closed after: ${seen}`)))
      }),
  }
}

/** Returns the body of the last response in raw bytes, as JSON. */
export function lastEnvelope(bytes: string): unknown {
  return JSON.parse(bytes.slice(bytes.lastIndexOf('\r\n\r\n') + 4))
}
