import { resolve } from 'node:path'
import type { Request, RequestHandler, Response } from 'express'
import { MisuseError } from '../base/errors.js'
import { checkCalled, checkOptionNames } from '../base/options.js'
import { attempt } from '../base/promises.js'
import type { Storage } from '../base/types.js'
import { checkServeOptions, type ServeFilesOptions } from './serve-options.js'
import { checkStoragePath } from './storage-path.js'

interface LocalDiskOptions {
  /**
   * The beginning of every public URL, before the path: `/uploads`, or `https://files.example.com`. Anything but a path
   * or an http URL is refused (`storage_invalid`).
   */
  readonly baseUrl: string
}

/** A storage in a folder of this machine. */
export interface LocalDisk extends Storage {
  /** Returns the URL of a file, with its path encoded. */
  publicUrl(path: string): string
  /** A path that does not exist is not an error. */
  deleteFile(path: string): Promise<void>
  /**
   * Makes middleware that serves the files: with the type of their content, `nosniff`, as an attachment unless they are
   * images, with an `ETag` and ranges, without a directory list. Requests for anything else are passed on.
   *
   * Copies are private unless `cache` is `'public'`. A mount path that differs from `baseUrl` causes a warning with the
   * first request.
   *
   * @throws MisuseError `option_unknown`, `option_seconds`, `storage_invalid` for wrong options.
   */
  serve(options?: ServeFilesOptions): RequestHandler
  /**
   * Sends one file as `serve` does, from a handler that has checked whether the caller may have it.
   *
   * @throws NotFoundError if there is no file at this path, and for a path or a link that leads out of the folder.
   * @throws MisuseError as `serve` does.
   * @example
   * const storage = localDisk('uploads', { baseUrl: '/uploads' })
   * app.get('/reports/:id/file', async (req, res) => {
   *   const { path } = await reportOf(req.auth, req.params.id)
   *   await storage.send(req, res, path)
   * })
   */
  send(req: Request, res: Response, path: string, options?: ServeFilesOptions): Promise<void>
}

/**
 * Makes a storage in a folder, in which a path always has a complete file, even if several requests write it at the
 * same time.
 *
 * The first write creates the folder. Unfinished files of a process that was killed are deleted at the next start.
 *
 * @throws MisuseError `storage_invalid` without a folder or a base URL; when used, `storage_path` for a path outside
 * the folder, and for a symbolic link on the way that leads out of it.
 * @example
 * const storage = localDisk('uploads', { baseUrl: '/uploads' })
 * app.use('/uploads', storage.serve())
 */
export function localDisk(dir: string, options: LocalDiskOptions): LocalDisk {
  checkOptionNames('localDisk', options, ['baseUrl'])
  const { baseUrl } = options
  if (typeof dir !== 'string' || dir === '' || typeof baseUrl !== 'string') {
    throw new MisuseError(
      'storage_invalid',
      'A local storage was made without the path of its folder, or without a `baseUrl`. '
        + "Write localDisk('uploads', { baseUrl: '/uploads' }).",
    )
  }
  const prefix = baseUrl.replace(/\/+$/, '')
  const folder = resolve(dir)
  // An application that stores no files does not load this code.
  const opening = import('./folder.js').then((opened) => {
    opened.sweepUnfinished(folder).catch(() => undefined) // the folder may not exist yet
    return opened
  })
  opening.catch(() => undefined) // each use reports it
  return {
    write: async (path, content) => {
      const checked = checkStoragePath(path)
      return (await opening).writeFileAtomically(folder, checked, content)
    },
    publicUrl: (path) => `${prefix}/${checkStoragePath(path).split('/').map(encodeURIComponent).join('/')}`,
    deleteFile: async (path) => {
      const checked = checkStoragePath(path)
      return (await opening).deleteFile(folder, checked)
    },
    serve: (options = {}) => {
      checkCalled("app.use('/files', disk.serve())", options)
      checkServeOptions('serve of a local storage', options)
      const serving = opening.then((opened) => opened.serveFiles(folder, options))
      serving.catch(() => undefined) // each request reports it
      let isMountKnown = false
      return async (req, res, next) => {
        isMountKnown ||= warnOfMount(prefix, req)
        return (await serving)(req, res, next)
      }
    },
    send: async (req, res, path, options = {}) => {
      checkServeOptions('send of a local storage', options)
      return (await opening).sendFile({ folder, path, options }, req, res)
    },
  }
}

/**
 * Warns if the URLs of files do not lead to the middleware that serves them. Returns false where a request of another
 * host does not tell, such as that of a health check.
 */
function warnOfMount(prefix: string, { baseUrl, headers }: Request): boolean {
  const here = `http://${headers.host ?? 'localhost'}`
  const [expected, mounted] = [attempt(() => new URL(`${prefix}/`, here)), attempt(() => new URL(`${baseUrl}/`, here))]
  if (expected === undefined || expected.host !== mounted?.host) return false
  if (expected.pathname.toLowerCase() === mounted.pathname.toLowerCase()) return true
  const right = /^https?:/i.test(prefix) ? `${expected.origin}${baseUrl}` : baseUrl || '/'
  process.emitWarning(
    `The files of localDisk have URLs below ${JSON.stringify(prefix)}, but serve() is mounted at `
      + `${JSON.stringify(baseUrl)}. Write { baseUrl: ${JSON.stringify(right)} }, or mount it at the path of the URLs.`,
    { code: 'RESOURCERY_BASE_URL' },
  )
  return true
}
