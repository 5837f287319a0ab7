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

/**
 * Sends the beginning of a request and then one chunk over and over, until the server closes the connection: as fast as
 * it can, and every 5 milliseconds once the reply has `Connection: close`.
 */
export function sendWithoutEnd(url: string, begin: string): Sender {
  const { hostname, port } = new URL(url)
  const socket: Socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true })
  onTestFinished(() => void socket.destroy())
  const piece = Buffer.from(chunk('x'.repeat(60_000)), 'latin1')
  let text = ''
  let pace: NodeJS.Timeout | undefined
  const pump = (): void => {
    while (pace === undefined && !socket.destroyed && socket.write(piece));
  }
  socket.setEncoding('latin1').on('error', () => undefined).on('drain', pump)
  socket.on('data', (data: string) => {
    text += data
    if (/^connection: close\r$/im.test(text)) pace ??= setInterval(() => socket.write(piece), 5)
  })
  socket.on('close', () => clearInterval(pace))
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
