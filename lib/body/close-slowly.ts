import type { Socket } from 'node:net'
import type { Request, Response } from 'express'

/** For how long the server reads and drops what still arrives after the reply, in milliseconds. */
const LINGER = 2000

/**
 * Lets a client that is still sending receive the reply, and closes the connection after it.
 *
 * Closing a connection over unread bytes resets it, and the reset may destroy the reply on its way. So the server closes its own half,
 * reads and drops what arrives for a while, and only then closes the connection (RFC 9112 §9.6).
 */
export function closeSlowly(req: Request, res: Response): void {
  if (req.complete) return
  if (res.headersSent) {
    req.resume()
    return
  }
  const { socket } = req
  res.setHeader('Connection', 'close')
  res.once('finish', () => req.resume())
  // Node calls this after a reply that is the last of its connection.
  socket.destroySoon = () => linger(socket)
}

function linger(socket: Socket): void {
  socket.end()
  const timer = setTimeout(() => socket.destroy(), LINGER)
  socket.once('close', () => clearTimeout(timer))
}
