import type { Request, Response } from 'express'
import { MisuseError, show } from '../../core/index.js'

/**
 * Returns the origins as a browser sends them (RFC 6454 §6.2).
 *
 * @throws MisuseError `mcp_option` for anything but a list of origins.
 */
export function originsOf(allowedOrigins: unknown = []): readonly string[] {
  if (!Array.isArray(allowedOrigins)) throw invalid(`must be a list, not ${show(allowedOrigins)}`)
  const odd = (allowedOrigins as readonly unknown[]).find((origin) =>
    typeof origin !== 'string' || !/^[a-z][a-z0-9+.-]*:\/\/[^/\sA-Z]+$/.test(origin)
  )
  if (odd !== undefined) {
    throw invalid(`must hold origins such as https://agent.example.com, without a path, not ${show(odd)}`)
  }
  return [...allowedOrigins as readonly string[]]
}

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

function invalid(why: string): MisuseError {
  return new MisuseError('mcp_option', `mcpRouter(): \`allowedOrigins\` ${why}.`)
}
