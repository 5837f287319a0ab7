import { resolve } from 'node:path'
import type { RequestHandler } from 'express'
import { MisuseError } from '../errors.js'
import { checkOptionNames } from '../options.js'
import type { Storage } from '../types.js'
import type { ServeFilesOptions } from './serve-files.js'
import { checkedStoragePath } from './storage-path.js'

export interface LocalDiskOptions {
  /** What stands in front of a path in its public URL: `/uploads`, or `https://files.example.com`. */
  readonly baseUrl: string
}

/** A folder on this machine as a storage. */
export interface LocalDisk extends Storage {
  /**
   * Middleware that hands the files out: with the type their content has, `nosniff`, as an attachment unless they are images, by
   * ranges, without a list. What is no file of the folder goes on to the next.
   */
  serve(options?: ServeFilesOptions): RequestHandler
}

/**
 * The embedded storage: a folder, in which a path always holds a whole file, however many write it at once.
 *
 * The folder is made by the first write. What a process that was killed had begun to write is deleted at the next start.
 *
 * @throws MisuseError `storage_invalid` without a folder or a base URL; `storage_path`, later, for a path that would leave the folder.
 * @example
 * const storage = localDisk('uploads', { baseUrl: '/uploads' })
 * app.use('/uploads', storage.serve())
 */
export function localDisk(dir: string, options: LocalDiskOptions): LocalDisk {
  checkOptionNames('localDisk', options, ['baseUrl'])
  const { baseUrl } = options
  if (!isText(dir) || typeof baseUrl !== 'string') {
    throw new MisuseError('storage_invalid', 'A local storage needs the path of its folder and a `baseUrl`.')
  }
  const prefix = baseUrl.replace(/\/+$/, '')
  const folder = resolve(dir)
  // Whoever stores nothing on this disk is spared what it takes.
  const opening = import('./folder.js').then(({ openFolder }) => openFolder(folder))
  opening.catch(() => undefined) // whoever uses it is told
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
      serving.catch(() => undefined) // the request that needs it is told
      return async (req, res, next) => (await serving)(req, res, next)
    },
  }
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== ''
}
