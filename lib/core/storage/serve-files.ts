import { open } from 'node:fs/promises'
import { join } from 'node:path'
import type { Request, RequestHandler, Response } from 'express'
import { NotFoundError } from '../base/errors.js'
import { sendsBody } from '../base/node-http.js'
import { attempt } from '../base/promises.js'
import { SAMPLE_BYTES } from '../upload/signatures.js'
import { sniff } from '../upload/sniff.js'
import { locate } from './links.js'
import type { ServeFilesOptions } from './serve-options.js'
import { isStoragePath } from './storage-path.js'

const IMAGES = ['image/jpeg', 'image/png', 'image/gif', 'image/webp', 'image/avif']
const YEAR = 31_536_000

/**
 * Makes middleware that serves the files of a folder, so that none of them can act as a page of this site. Other
 * requests are passed on.
 */
export function serveFiles(folder: string, options: ServeFilesOptions = {}): RequestHandler {
  return async (req, res, next) => {
    const isRead = req.method === 'GET' || req.method === 'HEAD'
    const path = attempt(() => decodeURIComponent(req.path.slice(1)))
    if (!isRead || !await sendIfThere({ folder, path, options }, req, res)) next()
  }
}

/** Sends a file of a folder. @throws NotFoundError if there is no file at this path. */
export async function sendFile(file: AskedFile, req: Request, res: Response): Promise<void> {
  if (!await sendIfThere(file, req, res)) throw new NotFoundError()
}

/** A path that was asked for, in the folder of a storage. */
interface AskedFile {
  readonly folder: string
  /** Not checked. */
  readonly path: string | undefined
  readonly options: ServeFilesOptions
}

/** Sends a file; returns false if there is none. */
async function sendIfThere({ folder, path, options }: AskedFile, req: Request, res: Response): Promise<boolean> {
  const located = typeof path === 'string' && isStoragePath(path) ? await locate(folder, path) : undefined
  const file = located && await readHead(join(located.root, located.path))
  if (located === undefined || file === undefined) return false
  res.setHeader('ETag', file.tag)
  if (!res.hasHeader('Cache-Control')) res.setHeader('Cache-Control', cacheControl(options))
  if (isKnown(req, file.tag)) {
    res.status(304).end()
    return true
  }
  protect(res, file.type, options.inline ?? IMAGES)
  const { method } = req
  // `sendFile` omits the body by this method; the client waits for it by the one that it has sent.
  if (sendsBody(res)) req.method = 'GET'
  await new Promise<void>((resolve, reject) => {
    res.sendFile(located.path, { root: located.root, cacheControl: false }, (error?: Error) => {
      req.method = method
      // A client that has disconnected gets no reply.
      if (error === undefined || res.destroyed) resolve()
      else reject(error)
    })
  })
  return true
}

function cacheControl({ cache = 'private', maxAge }: ServeFilesOptions): string {
  if (cache === 'public') return `public, max-age=${maxAge ?? YEAR}, immutable`
  return maxAge === undefined ? 'private, no-cache' : `private, max-age=${maxAge}`
}

/** Returns true if the client has this version (RFC 9110 §13.1.2), also if caches on the way were told to ask. */
function isKnown({ method, headers }: Request, tag: string): boolean {
  if (method !== 'GET' && method !== 'HEAD') return false
  const tags = headers['if-none-match']?.split(',').map((listed) => listed.trim().replace(/^W\//, '')) ?? []
  return tags.includes(tag) || tags.includes('*')
}

interface Head {
  /** The type by content. */
  readonly type: string
  /** A strong entity tag: each write makes a new file. */
  readonly tag: string
}

/** Returns type and version of a file, `undefined` if there is none. */
async function readHead(path: string): Promise<Head | undefined> {
  const file = await open(path).catch(() => undefined)
  if (file === undefined) return undefined
  try {
    const stats = await file.stat({ bigint: true })
    if (!stats.isFile()) return undefined
    const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(SAMPLE_BYTES), 0, SAMPLE_BYTES, 0)
    const { type } = await sniff(buffer.subarray(0, bytesRead))
    return { type, tag: `"${[stats.ino, stats.size, stats.mtimeNs].map((part) => part.toString(36)).join('-')}"` }
  } finally {
    await file.close()
  }
}

function protect(res: Response, type: string, inline: readonly string[]): void {
  res.setHeader('Content-Type', type === 'text/plain' ? 'text/plain; charset=utf-8' : type)
  res.setHeader('X-Content-Type-Options', 'nosniff')
  res.setHeader('Content-Disposition', inline.includes(type) ? 'inline' : 'attachment')
  // A file that a browser displays runs no scripts and has no origin.
  res.setHeader('Content-Security-Policy', "default-src 'none'; sandbox")
}
