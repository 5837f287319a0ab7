import type { FileHandle } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { openTemporaryFile } from './temporary-file.js'

/** Bytes read at a time when a file is streamed out of its temporary file. */
const READ_SIZE = 262_144

/** The content of one file while its request lasts: in memory up to a threshold, beyond it in a temporary file. */
export class Spool {
  readonly #threshold: number
  #chunks: Buffer[] = []
  #file: FileHandle | undefined
  #size = 0
  #reserved = 0
  #disposed = false

  /** @param threshold in bytes */
  constructor(threshold: number) {
    this.#threshold = threshold
  }

  /** In bytes. */
  get size(): number {
    return this.#size
  }

  /** Adds to the end; the caller waits for one call before the next. */
  async write(chunks: readonly Buffer[]): Promise<void> {
    this.#refuseWhenDisposed()
    const start = this.#size
    const bytes = lengthOf(chunks)
    this.#size += bytes
    if (this.#file !== undefined) return writeAll(this.#file, chunks, start)
    if (this.#size <= this.#threshold && reserveMemory(bytes)) {
      this.#reserved += bytes
      this.#chunks.push(...chunks)
      return
    }
    await this.#moveToFile(chunks)
  }

  /** Nothing more will come: what is in memory becomes one piece, which holds no larger buffer of the socket's alive. */
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

  /** Frees memory and file; a write that is still under way ends first. */
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
    if (this.#disposed) throw new Error('This upload is gone: an uploaded file lasts as long as its request.')
  }
}

function lengthOf(chunks: readonly Buffer[]): number {
  return chunks.reduce((sum, { length }) => sum + length, 0)
}

async function writeAll(file: FileHandle, chunks: readonly Buffer[], start: number): Promise<void> {
  const { bytesWritten } = await file.writev(chunks, start)
  if (bytesWritten < lengthOf(chunks)) await writeAll(file, [Buffer.concat(chunks).subarray(bytesWritten)], start + bytesWritten)
}

async function* readAll(file: FileHandle, size: number): AsyncGenerator<Buffer> {
  for (let position = 0; position < size;) {
    const piece = Buffer.allocUnsafe(Math.min(READ_SIZE, size - position))
    const { bytesRead } = await file.read(piece, 0, piece.length, position)
    if (bytesRead === 0) throw new Error('A temporary file is shorter than what was written to it.')
    yield piece.subarray(0, bytesRead)
    position += bytesRead
  }
}

/** How many bytes of uploads a process holds in memory at most; what does not fit goes to a temporary file. */
export const MEMORY_BYTES = 33_554_432

let held = 0

/** Takes that many bytes of the memory that uploads may use, or says that they are not there. */
export function reserveMemory(bytes: number): boolean {
  if (held + bytes > MEMORY_BYTES) return false
  held += bytes
  return true
}

export function releaseMemory(bytes: number): void {
  held -= bytes
}

/** In bytes. */
export function memoryHeld(): number {
  return held
}
