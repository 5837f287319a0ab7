import type { IncomingMessage, ServerResponse } from 'node:http'

/**
 * Answers `Expect: 100-continue` when the body is first read, not before: a client that is refused need not send it (RFC 9110 §10.1.1).
 */
export function continueWhenRead(req: IncomingMessage, res: ServerResponse): void {
  req._read = (size) => {
    Reflect.deleteProperty(req, '_read')
    // After the reply Node reads what is left of the body and drops it.
    if (!res.headersSent) res.writeContinue()
    req._read(size)
  }
}
