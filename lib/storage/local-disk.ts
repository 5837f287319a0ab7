import { resolve } from 'node:path'
import type { RequestHandler } from 'express'
import { MisuseError } from '../errors.js'
import { checkOptionNames } from '../options.js'
import type { Storage } from '../types.js'
import type { ServeFilesOptions } from './serve-files.js'
import { checkedStoragePath } from './storage-path.js'

export interface LocalDiskOptions {
  /** The beginning of every public URL, before the path: `/uploads`, or `https://files.example.com`. */
  readonly baseUrl: string
}

/** A storage in a folder of this machine. */
export interface LocalDisk extends Storage {
  publicUrl(path: string): string
  /** A path that does not exist is not an error. */
  deleteFile(path: string): Promise<void>
  /**
   * Makes middleware that serves the files: with the type of their content, `nosniff`, as an attachment unless they are
   * images, with ranges, without a directory list. Requests for anything else are passed on.
   */
  serve(options?: ServeFilesOptions): RequestHandler
}

/**
 * Makes a storage in a folder, in which a path always has a complete file, even if several requests write it at the
 * same time.
 *
 * The first write creates the folder. Unfinished files of a process that was killed are deleted at the next start.
 *
 * @throws MisuseError `storage_invalid` without a folder or a base URL; when used, `storage_path` for a path outside
 * the folder.
 * @example
 * const storage = localDisk('uploads', { baseUrl: '/uploads' })
 * app.use('/uploads', storage.serve())
 */
export function localDisk(dir: string, options: LocalDiskOptions): LocalDisk {
  checkOptionNames('localDisk', options, ['baseUrl'])
  const { baseUrl } = options
  if (!isText(dir) || typeof baseUrl !== 'string') {
    throw new MisuseError(
      'storage_invalid',
      "A local storage was made without the path of its folder, or without a `baseUrl`. " +
      "Write localDisk('uploads', { baseUrl: '/uploads' }).",
    )
  }
  const prefix = baseUrl.replace(/\/+$/, '')
  const folder = resolve(dir)
  // An application that stores no files does not load this code.
  const opening = import('./folder.js').then(({ openFolder }) => openFolder(folder))
  opening.catch(() => undefined) // each use reports it
  return {
    write: async (path, content) => {
      const checked = checkedStoragePath(path)
      return (await opening).write(checked, content)
    },
    publicUrl: (path) => `${prefix}/${checkedStoragePath(path).split('/').map(encodeURIComponent).join('/')}`,
    deleteFile: async (path) => {
      const checked = checkedStoragePath(path)
      return (await opening).deleteFile(checked)
    },
    serve: (options = {}) => {
      checkOptionNames('serve of a local storage', options, ['inline', 'maxAge'])
      const serving = opening.then((opened) => opened.serve(options))
      serving.catch(() => undefined) // each request reports it
      return async (req, res, next) => (await serving)(req, res, next)
    },
  }
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== ''
}
