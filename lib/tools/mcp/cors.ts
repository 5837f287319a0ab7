import type { Request, Response } from 'express'

/** Seconds for which a browser keeps the reply to a preflight. */
const MAX_AGE = 600

/** Lets the page of an allowed origin read the reply; returns true for a preflight, which has no other reply. */
export function setCors(req: Request, res: Response): boolean {
  const { origin, 'access-control-request-method': method, 'access-control-request-headers': headers } = req.headers
  if (origin === undefined) return false
  res.vary('Origin').set({
    'Access-Control-Allow-Origin': origin,
    'Access-Control-Expose-Headers': 'WWW-Authenticate',
  })
  if (req.method !== 'OPTIONS' || method === undefined) return false
  res.vary('Access-Control-Request-Headers').set({
    'Access-Control-Allow-Methods': 'POST',
    'Access-Control-Max-Age': String(MAX_AGE),
    // Parameters of tools may be headers, too: their names are not known beforehand.
    ...(headers !== undefined && { 'Access-Control-Allow-Headers': headers }),
  })
  return true
}
