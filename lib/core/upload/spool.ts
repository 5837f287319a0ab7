import type { FileHandle } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { lengthOf, openTemporaryFile, writeAll } from './temporary-file.js'

/** Bytes read at a time when a file is streamed out of its temporary file. */
const READ_SIZE = 262_144

/**
 * The content of one file for the duration of its request: in memory up to a threshold, above it in a temporary file.
 */
export class Spool {
  readonly #threshold: number
  #chunks: Buffer[] = []
  #file: FileHandle | undefined
  #size = 0
  #reserved = 0
  #disposed = false

  /** @param threshold the most bytes in memory */
  constructor(threshold: number) {
    this.#threshold = threshold
  }

  /** The size in bytes. */
  get size(): number {
    return this.#size
  }

  /** Appends chunks. Await each call before the next one. */
  async write(chunks: readonly Buffer[]): Promise<void> {
    this.#refuseWhenDisposed()
    const start = this.#size
    const bytes = lengthOf(chunks)
    this.#size += bytes
    if (this.#file !== undefined) return writeAll(this.#file, chunks, start)
    if (this.#size <= this.#threshold && reserveMemory(bytes)) {
      this.#reserved += bytes
      this.#chunks = withChunks(this.#chunks, chunks)
      return
    }
    await this.#moveToFile(chunks)
  }

  /** Ends the writing. Joins the chunks in memory, so that they keep no larger buffer of the socket alive. */
  finish(): void {
    if (this.#file === undefined) this.#chunks = [Buffer.concat(this.#chunks)]
  }

  stream(): Readable {
    this.#refuseWhenDisposed()
    if (this.#file === undefined) return Readable.from(this.#chunks, { objectMode: false })
    return Readable.from(readAll(this.#file, this.#size), { objectMode: false, highWaterMark: READ_SIZE })
  }

  async bytes(): Promise<Buffer> {
    this.#refuseWhenDisposed()
    return this.#file === undefined ? Buffer.concat(this.#chunks) : buffer(this.stream())
  }

  /** Frees memory and file, after a write that is still running. */
  async dispose(): Promise<void> {
    this.#disposed = true
    this.#releaseMemory()
    const file = this.#file
    this.#file = undefined
    await file?.close()
  }

  async #moveToFile(chunks: readonly Buffer[]): Promise<void> {
    const file = await openTemporaryFile()
    if (this.#disposed) return file.close()
    this.#file = file
    const all = [...this.#chunks, ...chunks]
    this.#releaseMemory()
    await writeAll(file, all, 0)
  }

  #releaseMemory(): void {
    this.#chunks = []
    releaseMemory(this.#reserved)
    this.#reserved = 0
  }

  #refuseWhenDisposed(): void {
    if (this.#disposed)
      throw new Error(
        'The request of this uploaded file has ended, and its content was removed. '
          + 'Read it, or save it to a storage, before you reply.',
      )
  }
}

/** The most chunks that are kept: the object of a small one takes over a hundred bytes beside its content. */
const MOST_CHUNKS = 1000

/** Adds chunks to those that are kept, and joins them when there are many. */
export function withChunks(kept: Buffer[], chunks: readonly Buffer[]): Buffer[] {
  for (const chunk of chunks) kept.push(chunk)
  return kept.length > MOST_CHUNKS ? [Buffer.concat(kept)] : kept
}

async function* readAll(file: FileHandle, size: number): AsyncGenerator<Buffer> {
  for (let position = 0; position < size;) {
    const piece = Buffer.allocUnsafe(Math.min(READ_SIZE, size - position))
    const { bytesRead } = await file.read(piece, 0, piece.length, position)
    if (bytesRead === 0) throw new Error('A temporary file is shorter than the content that was written to it.')
    yield piece.subarray(0, bytesRead)
    position += bytesRead
  }
}

/** The most bytes of uploads that a process keeps in memory; the rest goes to temporary files. */
export const MEMORY_BYTES = 33_554_432

let heldBytes = 0

/** Reserves bytes of the memory for uploads; returns false if there are not so many left. */
export function reserveMemory(bytes: number): boolean {
  if (heldBytes + bytes > MEMORY_BYTES) return false
  heldBytes += bytes
  return true
}

export function releaseMemory(bytes: number): void {
  heldBytes -= bytes
}

/** Returns the reserved memory in bytes. */
export function memoryHeld(): number {
  return heldBytes
}
