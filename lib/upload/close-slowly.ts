import type { Socket } from 'node:net'
import type { Request, Response } from 'express'

/** How long what still comes is read after the reply, in milliseconds. */
const LINGER = 2000

/**
 * Lets a caller who is still sending receive the reply.
 *
 * A connection that is closed over unread bytes is reset, and a reset takes the reply with it; so our half is closed, what comes is
 * read and dropped for a while, and only then all of it is closed (RFC 9112 §9.6).
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
  // What Node calls after a reply that is the last of its connection.
  socket.destroySoon = () => linger(socket)
}

function linger(socket: Socket): void {
  socket.end()
  const timer = setTimeout(() => socket.destroy(), LINGER)
  socket.once('close', () => clearTimeout(timer))
}
