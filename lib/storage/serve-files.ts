import { open } from 'node:fs/promises'
import { join } from 'node:path'
import type { RequestHandler, Response } from 'express'
import { SAMPLE_BYTES, sniff } from '../upload/sniff.js'
import { isStoragePath } from './storage-path.js'

export interface ServeFilesOptions {
  /**
   * The types that a browser may display; files of other types are downloaded.
   *
   * @default JPEG, PNG, GIF, WebP and AVIF
   */
  readonly inline?: readonly string[] | undefined
  /**
   * The seconds for which a copy may be cached; the content of a generated path never changes.
   *
   * @default 31_536_000
   */
  readonly maxAge?: number | undefined
}

const IMAGES = ['image/jpeg', 'image/png', 'image/gif', 'image/webp', 'image/avif']

/**
 * Makes middleware that serves the files of a folder, so that none of them can act as a page of this site. Other
 * requests are passed on.
 */
export function serveFiles(
  folder: string,
  { inline = IMAGES, maxAge = 31_536_000 }: ServeFilesOptions = {},
): RequestHandler {
  return async (req, res, next) => {
    const path = storagePathOf(req.path)
    const type =
      path !== undefined && (req.method === 'GET' || req.method === 'HEAD')
        ? await typeOf(join(folder, path))
        : undefined
    if (path === undefined || type === undefined) {
      next()
      return
    }
    protect(res, type, inline)
    res.sendFile(path, { root: folder, maxAge: maxAge * 1000, immutable: true }, (error?: Error) => {
      if (error && !res.headersSent) next(error)
    })
  }
}

function storagePathOf(path: string): string | undefined {
  try {
    const decoded = decodeURIComponent(path.slice(1))
    return isStoragePath(decoded) ? decoded : undefined
  } catch {
    return undefined
  }
}

/** Returns the type of a file by its content, `undefined` if there is no file. */
async function typeOf(path: string): Promise<string | undefined> {
  const file = await open(path).catch(() => undefined)
  if (file === undefined) return undefined
  try {
    if (!(await file.stat()).isFile()) return undefined
    const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(SAMPLE_BYTES), 0, SAMPLE_BYTES, 0)
    return (await sniff(buffer.subarray(0, bytesRead))).type
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
