import { randomUUID } from 'node:crypto'
import { pipeline, Transform, type Readable } from 'node:stream'
import { isHttpError, MisuseError, UnavailableError } from '../base/errors.js'
import type { Storage, UploadedFile } from '../base/types.js'
import { remove, type RequestFiles } from './request-files.js'
import type { SniffedType } from './signatures.js'

export interface Content {
  /** The size in bytes. */
  readonly size: number
  stream(): Readable
  bytes(): Promise<Buffer>
}

interface Received {
  readonly name: string
  readonly clientType: string
  readonly kind: SniffedType
  readonly content: Content
  readonly storageTimeout: number
}

/** An uploaded file as a handler receives it. Its JSON has the four public fields. */
export class ReceivedFile implements UploadedFile {
  readonly name: string
  readonly type: string
  readonly clientType: string
  readonly size: number
  readonly #received: Received
  readonly #files: RequestFiles

  constructor(received: Received, files: RequestFiles) {
    this.name = received.name
    this.type = received.kind.type
    this.clientType = received.clientType
    this.size = received.content.size
    this.#received = received
    this.#files = files
  }

  stream(): Readable {
    return this.#received.content.stream()
  }

  bytes(): Promise<Buffer> {
    return this.#received.content.bytes()
  }

  saveTo(storage: Storage, path?: string): Promise<SavedFile> {
    const saving = this.#save(storage, path)
    this.#files.saving(storage, saving)
    return saving
  }

  async #save(storage: Storage, path?: string): Promise<SavedFile> {
    const { kind, storageTimeout } = this.#received
    const { over } = this.#files
    // The default cannot be guessed.
    const target = path ?? `${randomUUID()}.${kind.extension}`
    over.throwIfAborted()
    const { body, stopped, settle } = watchSize(storageTimeout, over)
    pipeline(this.stream(), body, () => undefined)
    const writing = write(storage, target, body, this)
    try {
      await Promise.race([writing, stopped])
      const url = await Promise.race([storage.publicUrl(target), stopped])
      over.throwIfAborted()
      this.#files.stored(storage, target)
      return { path: target, url }
    } catch (error) {
      body.destroy()
      // A path that no storage has, so there is nothing to remove.
      if (error instanceof MisuseError) throw error
      // A write that hangs may still end, and would leave the file.
      writing.then(() => remove(storage, target), () => undefined)
      await Promise.race([remove(storage, target), stopped.catch(() => undefined)])
      throw isHttpError(error) ? error : new UnavailableError('The storage has failed', { cause: error })
    } finally {
      settle()
    }
  }
}

interface SavedFile {
  readonly path: string
  readonly url: string
}

/** Calls the storage, which may throw synchronously instead of rejecting. */
async function write(storage: Storage, path: string, body: Transform, { type, size }: UploadedFile): Promise<void> {
  await storage.write(path, body, { mimeType: type, size })
}

interface Watched {
  /** A stream between file and storage: some storages wait forever if their source fails. */
  readonly body: Transform
  /** Never resolves; rejects when the storage makes no progress, or the request has ended. */
  readonly stopped: Promise<never>
  readonly settle: () => void
}

function watchSize(timeout: number, over: AbortSignal): Watched {
  let stop: (reason: unknown) => void = () => undefined
  const stopped = new Promise<never>((_resolve, reject) => (stop = reject))
  stopped.catch(() => undefined)
  const timer = setTimeout(
    () => stop(new Error(`The storage made no progress for ${timeout} seconds.`)),
    timeout * 1000,
  )
  const end = (): void => stop(over.reason)
  over.addEventListener('abort', end, { once: true })
  const body = new Transform({
    transform: (chunk, _encoding, done) => {
      timer.refresh()
      done(null, chunk)
    },
  })
  // A storage that has failed may no longer listen for errors of the stream.
  body.on('error', () => undefined)
  const settle = (): void => {
    clearTimeout(timer)
    over.removeEventListener('abort', end)
  }
  return { body, stopped, settle }
}
