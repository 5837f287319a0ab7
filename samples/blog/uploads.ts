import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { localDisk, type LocalDisk } from 'resourcery'

/** Under which path avatars are handed out. */
export const UPLOADS = '/uploads'

export interface Uploads {
  readonly storage: LocalDisk
  /** Deletes a folder that was made for this run. */
  readonly close: () => Promise<void>
}

/** The folder for uploads: a given one, or a temporary one that ends with the program. */
export async function openUploads(folder: string | undefined): Promise<Uploads> {
  if (folder !== undefined) return { storage: localDisk(folder, { baseUrl: UPLOADS }), close: () => Promise.resolve() }
  const temporary = await mkdtemp(join(tmpdir(), 'blog-uploads-'))
  return {
    storage: localDisk(temporary, { baseUrl: UPLOADS }),
    close: () => rm(temporary, { recursive: true, force: true }),
  }
}
