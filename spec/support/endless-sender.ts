import { connect, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

/** Encodes one chunk of a chunked body. */
export function chunk(text: string): string {
  return `${Buffer.byteLength(text, 'latin1').toString(16)}\r\n${text}\r\n`
}

export interface Sender {
  /** Resolves with everything received as soon as it matches. */
  seen(pattern: RegExp): Promise<string>
  /** Resolves once so many bytes were sent. */
  sent(bytes: number): Promise<void>
  readonly closed: Promise<void>
}

/** Sends the beginning of a request and then one chunk over and over, until the server closes the connection. */
export function sendWithoutEnd(url: string, begin: string): Sender {
  const { hostname, port } = new URL(url)
  const socket: Socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true })
  onTestFinished(() => void socket.destroy())
  const piece = Buffer.from(chunk('x'.repeat(60_000)), 'latin1')
  let text = ''
  const pump = (): void => {
    while (!socket.destroyed && socket.write(piece));
  }
  socket.setEncoding('latin1').on('data', (data: string) => (text += data)).on('error', () => undefined).on(
    'drain',
    pump,
  )
  socket.write(Buffer.from(begin, 'latin1'))
  pump()
  const closed = new Promise<void>((resolve) => socket.on('close', () => resolve()))
  const seen = (pattern: RegExp): Promise<string> =>
    new Promise((resolve, reject) => {
      const check = (): void => {
        if (pattern.test(text)) resolve(text)
      }
      socket.on('data', check)
      socket.on('close', () => reject(new Error(`closed after: ${text}`)))
      check()
    })
  const sent = (bytes: number): Promise<void> =>
    new Promise((resolve) => {
      socket.on('drain', () => {
        if (socket.bytesWritten > bytes) resolve()
      })
    })
  return { seen, sent, closed }
}
