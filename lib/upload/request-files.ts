import type { Response } from 'express'
import type { Storage } from '../types.js'
import { Spool } from './spool.js'

/** The files of one request, received and stored: when it ends nothing temporary stays, and when it fails nothing at all. */
export class RequestFiles {
  readonly #spools = new Set<Spool>()
  readonly #stored: { readonly storage: Storage; readonly path: string }[] = []
  readonly #over = new AbortController()

  constructor(res: Response) {
    res.once('close', () => this.#end(!res.writableFinished || res.statusCode >= 400))
  }

  /** Aborted when the request ends. */
  get over(): AbortSignal {
    return this.#over.signal
  }

  spool(threshold: number): Spool {
    const spool = new Spool(threshold)
    this.#spools.add(spool)
    return spool
  }

  /** A file stands there, until the request fails. */
  stored(storage: Storage, path: string): void {
    this.#stored.push({ storage, path })
  }

  /** Nothing of what was received is needed any more. */
  dispose(): void {
    // A descriptor that cannot be closed is gone all the same.
    for (const spool of this.#spools) void spool.dispose().catch(() => undefined)
    this.#spools.clear()
  }

  #end(failed: boolean): void {
    this.#over.abort(new Error('The request has ended before its file was stored.'))
    this.dispose()
    if (!failed) return
    for (const { storage, path } of this.#stored) void remove(storage, path)
  }
}

/** The storages whose failure to delete was reported. */
const reported = new WeakSet<Storage>()

/** Deletes a file that should not have been stored, and warns once for each storage that cannot do so: every request may fail that way. */
export async function remove(storage: Storage, path: string): Promise<void> {
  try {
    await storage.deleteFile(path)
  } catch (error) {
    if (reported.has(storage)) return
    reported.add(storage)
    process.emitWarning(`The file ${path} of a failed request could not be deleted, and further ones will not be reported: ${String(error)}`, {
      code: 'RESOURCERY_FILE_LEFT',
    })
  }
}
