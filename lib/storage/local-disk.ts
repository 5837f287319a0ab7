import { unlink } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { RequestHandler } from 'express'
import { MisuseError } from '../errors.js'
import type { Storage } from '../types.js'
import { serveFiles, type ServeFilesOptions } from './serve-files.js'
import { checkedStoragePath } from './storage-path.js'
import { sweepUnfinished } from './unfinished.js'
import { writeFileAtomically } from './write-file.js'

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
export function localDisk(dir: string, { baseUrl }: LocalDiskOptions): LocalDisk {
  if (!isText(dir) || typeof baseUrl !== 'string') {
    throw new MisuseError('storage_invalid', 'A local storage needs the path of its folder and a `baseUrl`.')
  }
  const folder = resolve(dir)
  const prefix = baseUrl.replace(/\/+$/, '')
  sweepUnfinished(folder).catch(() => undefined) // there may be no folder yet
  return {
    write: async (path, content) => writeFileAtomically(folder, checkedStoragePath(path), content),
    publicUrl: (path) => `${prefix}/${checkedStoragePath(path).split('/').map(encodeURIComponent).join('/')}`,
    deleteFile: async (path) => deleteIfThere(join(folder, checkedStoragePath(path))),
    serve: (options) => serveFiles(folder, options),
  }
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== ''
}

async function deleteIfThere(path: string): Promise<void> {
  await unlink(path).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  })
}
