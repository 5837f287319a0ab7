import { createHash } from 'node:crypto'
import type { Request } from 'express'
import { hasBody } from '../../body/content.js'
import { plainBodyOf } from '../../body/fields.js'
import { RequestParam } from '../../request-param.js'
import type { MountedRoute } from '../../routing/registry.js'
import { isMap } from '../../validate/plain-data.js'

/** What a request asks for: method, path, query, body and files. Two that differ in blanks or in the order of their fields are the same. */
export async function fingerprintOf(req: Request, { name, files = {} }: MountedRoute): Promise<string> {
  if (req.body === undefined && hasBody(req) && Object.keys(files).length === 0) {
    throw new Error(`\`${name}\` leaves its body alone, so nobody can tell whether a request with an Idempotency-Key is a repeat.`)
  }
  const parts = await Promise.all(Object.keys(files).map((field) => fileDigests(req, field)))
  return digest([req.method, req.originalUrl, inOrder(plainBodyOf(req) ?? null), parts])
}

/** Returns a digest of 64 characters of JSON data, dates and bigints. */
export function digest(value: unknown): string {
  const text = JSON.stringify(value, (_key, one: unknown) => (typeof one === 'bigint' ? `${one}n` : one))
  return createHash('sha256').update(text).digest('hex')
}

async function fileDigests(req: Request, field: string): Promise<unknown> {
  const digests: unknown[] = [field]
  for (const file of RequestParam.files(req, field)) {
    const hash = createHash('sha256')
    for await (const chunk of file.stream()) hash.update(chunk as Buffer)
    digests.push([file.name, file.clientType, hash.digest('hex')])
  }
  return digests
}

/** The same with the keys of its maps in one order. */
function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder)
  if (!isMap(value) || Object.getPrototypeOf(value) !== null) return value
  return Object.keys(value).sort().map((key) => [key, inOrder(value[key])])
}
