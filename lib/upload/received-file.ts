import type { Readable } from 'node:stream'
import type { Storage, UploadedFile } from '../types.js'
import { generatedPath, save } from './save.js'
import type { RequestFiles } from './request-files.js'
import type { SniffedType } from './sniff.js'
import type { Spool } from './spool.js'

export interface Received {
  readonly name: string
  readonly clientType: string
  readonly kind: SniffedType
  readonly spool: Spool
  readonly storageTimeout: number
}

/** An uploaded file as a handler sees it: what is written out of it, in JSON too, are its four figures. */
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
    this.size = received.spool.size
    this.#received = received
    this.#files = files
  }

  stream(): Readable {
    return this.#received.spool.stream()
  }

  bytes(): Promise<Buffer> {
    return this.#received.spool.bytes()
  }

  saveTo(storage: Storage, path?: string): Promise<{ path: string; url: string }> {
    const { kind, storageTimeout } = this.#received
    return save(this, { storage, path: path ?? generatedPath(kind.extension), timeout: storageTimeout }, this.#files)
  }
}
