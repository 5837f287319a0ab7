import type { Request, Response } from 'express'
import type { Storage } from '../base/types.js'
import { textOfThrown, warnOnce } from '../base/warn-once.js'
import { stateOf, type StoredFiles } from '../routing/request-state.js'
import { Spool } from './spool.js'

/**
 * Runs a transaction and returns its result. Files that its work has stored are deleted where it is undone, also by a
 * run before another one, since no row names them. After the commit the stored files stay, whatever the reply is.
 *
 * @param begin begins the transaction with the work that it is given
 */
export async function withoutUndoneFiles<S, T>(
  { req }: Response,
  work: (store: S) => Promise<T>,
  begin: (work: (store: S) => Promise<T>) => Promise<T>,
): Promise<T> {
  const state = stateOf(req)
  const before = new Map(state.files.map((files) => [files, files.storedCount]))
  const remove = async (): Promise<void> => {
    for (const files of state.files) await files.removeFrom(before.get(files) ?? 0)
  }
  try {
    const result = await begin(async (store) => {
      await remove()
      return work(store)
    })
    keepFiles(req)
    return result
  } catch (error) {
    await remove()
    throw error
  }
}

/** Keeps the files that a request has stored, whatever its reply is: rows that are committed may name them. */
export function keepFiles(req: Request): void {
  for (const files of stateOf(req).files) files.keep()
}

/**
 * The received and the stored files of one request: temporary files are removed when it ends, stored ones when it
 * fails.
 */
export class RequestFiles implements StoredFiles {
  readonly #spools = new Set<Spool>()
  readonly #stored: { readonly storage: Storage; readonly path: string }[] = []
  readonly #saving = new Map<Promise<unknown>, Storage>()
  readonly #over = new AbortController()

  constructor(res: Response | undefined) {
    if (res === undefined) return
    const state = stateOf(res.req)
    state.files = [...state.files, this]
    const end = (): void => this.#end(!res.writableFinished || res.statusCode >= 400)
    // The client may have disconnected before the handler asked for a file.
    if (res.closed) end()
    else res.once('close', end)
  }

  /** Is aborted when the request ends. */
  get over(): AbortSignal {
    return this.#over.signal
  }

  spool(threshold: number): Spool {
    const spool = new Spool(threshold)
    this.#spools.add(spool)
    return spool
  }

  /** Records a stored file, which is deleted if the request fails. */
  stored(storage: Storage, path: string): void {
    this.#stored.push({ storage, path })
  }

  /**
   * Watches a file that is being stored. Its failure is that of the request if the application awaits it; otherwise it
   * must not end the process.
   */
  saving(storage: Storage, stored: Promise<unknown>): void {
    this.#saving.set(stored, storage)
    const settle = (): void => void this.#saving.delete(stored)
    stored.then(settle, settle)
  }

  get storedCount(): number {
    return this.#stored.length
  }

  async removeFrom(place: number): Promise<void> {
    await Promise.all(this.#stored.splice(place).map(({ storage, path }) => remove(storage, path)))
  }

  /** Keeps the stored files also if the request fails. */
  keep(): void {
    this.#stored.length = 0
  }

  /** Frees the received files. */
  dispose(): void {
    // A descriptor is invalid after close(), even if that fails.
    for (const spool of this.#spools) void spool.dispose().catch(() => undefined)
    this.#spools.clear()
  }

  #end(failed: boolean): void {
    this.#over.abort(new Error('The request has ended before its file was stored.'))
    this.dispose()
    if (failed) { for (const { storage, path } of this.#stored) void remove(storage, path) }
    else this.#warnOfLost()
  }

  #warnOfLost(): void {
    for (const storage of this.#saving.values()) {
      warnOnce(storage, 'A request has ended before its file was stored: await `saveTo` before you reply.', {
        code: FILE_LOST,
        key: FILE_LOST,
      })
    }
  }
}

const FILE_LOST = 'RESOURCERY_FILE_LOST'
const FILE_LEFT = 'RESOURCERY_FILE_LEFT'

/** Deletes a stored file; warns once for each storage that fails. */
export async function remove(storage: Storage, path: string): Promise<void> {
  try {
    await storage.deleteFile(path)
  } catch (error) {
    warnOnce(
      storage,
      `The file ${path} of a failed request could not be deleted. `
        + `Later failures of this storage are not reported: ${textOfThrown(error)}`,
      { code: FILE_LEFT, key: FILE_LEFT },
    )
  }
}
