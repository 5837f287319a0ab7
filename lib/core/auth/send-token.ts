import type { Response } from 'express'

/** Adds a token to the headers of a reply if its status is 2xx, whatever writes it. */
export function sendToken(res: Response, token: string): void {
  const writeHead = res.writeHead.bind(res) as (status: number, message?: string) => Response
  const writeWithToken = (status: number, ...rest: readonly unknown[]): Response => {
    const message = rest.find((argument) => typeof argument === 'string')
    // Set before: headers passed to writeHead would replace those that were set.
    setHeaders(res, rest.at(-1))
    if (status >= 200 && status < 300) setTokenHeaders(res, token)
    return writeHead(status, message)
  }
  res.writeHead = writeWithToken as Response['writeHead']
}

function setTokenHeaders(res: Response, token: string): void {
  const exposed = [res.getHeader('Access-Control-Expose-Headers') ?? []].flat().join(', ')
  const listed = /(^|,)\s*authorization\s*(,|$)/i.test(exposed)
  res.setHeader('Authorization', `Bearer ${token}`)
  if (!listed) {
    res.setHeader('Access-Control-Expose-Headers', exposed === '' ? 'Authorization' : `${exposed}, Authorization`)
  }
  // A cache must not send the token to other clients (RFC 9111 §5.2.2.5).
  res.setHeader('Cache-Control', 'no-store')
}

type Value = string | readonly string[]

/** Sets headers in the forms that `writeHead` takes: an object, a list of pairs, or a flat list of names and values. */
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
