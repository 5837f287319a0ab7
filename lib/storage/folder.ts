import { unlink } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import type { RequestHandler } from 'express'
import { serveFiles, type ServeFilesOptions } from './serve-files.js'
import { sweepUnfinished } from './unfinished.js'
import { writeFileAtomically } from './write-file.js'

/** What a storage does in its folder; the paths in it have been checked. */
export interface Folder {
  write(path: string, content: Readable): Promise<void>
  deleteFile(path: string): Promise<void>
  serve(options?: ServeFilesOptions): RequestHandler
}

/** Deletes what earlier processes did not finish there. */
export function openFolder(folder: string): Folder {
  sweepUnfinished(folder).catch(() => undefined) // there may be no folder yet
  return {
    write: (path, content) => writeFileAtomically(folder, path, content),
    deleteFile: (path) => deleteIfThere(join(folder, path)),
    serve: (options) => serveFiles(folder, options),
  }
}

async function deleteIfThere(path: string): Promise<void> {
  await unlink(path).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  })
}
