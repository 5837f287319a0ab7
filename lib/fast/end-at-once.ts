import type { ServerResponse } from 'node:http'

/** Node's own way to hand over a part of a message, for which there is no public name. */
interface Sender {
  _send?: (text: string, encoding: 'latin1' | 'utf8') => unknown
}

/**
 * Ends a reply whose head stands, so that its head and its text are handed over in one piece.
 *
 * Node's `end(text)` makes two of it, the second of them empty, and gathers them again: a sixth of the time that a short reply takes.
 */
export function endAtOnce(res: ServerResponse, text: string, bytes: number): void {
  const sender = res as unknown as Sender
  if (sender._send === undefined) {
    res.end(text, 'utf8')
    return
  }
  // ASCII is the same in both, and this one takes no measuring.
  sender._send(text, text.length === bytes ? 'latin1' : 'utf8')
  res.end()
}
