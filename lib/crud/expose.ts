import type { Response } from 'express'

/** Names headers that a browser shows to scripts of another origin, beside those that are named already. */
export function expose(res: Response, headers: readonly string[]): void {
  const exposed = [res.getHeader('Access-Control-Expose-Headers') ?? []].flat().join(', ').split(/, */)
  res.setHeader('Access-Control-Expose-Headers', [...new Set([...exposed, ...headers])].filter((name) => name !== '').join(', '))
}
