import type { Response } from 'express'

/** Lets a reply carry a token if it turns out to be a 2xx, however the handler writes it. */
export function carryToken(res: Response, token: string): void {
  const writeHead = res.writeHead.bind(res) as (status: number, message?: string) => Response
  res.writeHead = ((status: number, ...rest: readonly unknown[]) => {
    const message = rest.find((argument) => typeof argument === 'string')
    // Written first: what writeHead is given would win over what was set before.
    setHeaders(res, rest.at(-1))
    if (status >= 200 && status < 300) expose(res, token)
    return writeHead(status, message)
  }) as Response['writeHead']
}

function expose(res: Response, token: string): void {
  const exposed = [res.getHeader('Access-Control-Expose-Headers') ?? []].flat().join(', ')
  const listed = /(^|,)\s*authorization\s*(,|$)/i.test(exposed)
  res.setHeader('Authorization', `Bearer ${token}`)
  if (!listed) res.setHeader('Access-Control-Expose-Headers', exposed === '' ? 'Authorization' : `${exposed}, Authorization`)
  // Who shares a cache must not share a token (RFC 9111 §5.2.2.5).
  res.setHeader('Cache-Control', 'no-store')
}

type Value = string | readonly string[]

/** As `writeHead` takes them: an object, a list of pairs, or a flat list of names and values. */
function setHeaders(res: Response, headers: unknown): void {
  if (typeof headers !== 'object' || headers === null) return
  const pairs = Array.isArray(headers) ? pairsOf(headers) : (Object.entries(headers) as [string, Value][])
  for (const [name] of pairs) res.removeHeader(name)
  for (const [name, value] of pairs) res.appendHeader(name, value)
}

function pairsOf(headers: readonly unknown[]): [string, Value][] {
  if (Array.isArray(headers[0])) return headers as [string, Value][]
  return headers.flatMap((name, index) => (index % 2 === 0 ? [[name, headers[index + 1]] as [string, Value]] : []))
}
