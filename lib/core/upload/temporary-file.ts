import { randomUUID } from 'node:crypto'
import { open, readdir, unlink, type FileHandle } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { propertyOf } from '../base/guards.js'

const NAME = /^resourcery-[0-9a-f-]{36}\.upload$/

/**
 * Opens a file in the system's temporary folder and removes its name.
 *
 * Its space is freed with its last descriptor, even if the process is killed.
 */
export async function openTemporaryFile(): Promise<FileHandle> {
  const path = join(tmpdir(), `resourcery-${randomUUID()}.upload`)
  const file = await open(path, 'wx+', 0o600)
  try {
    await unlinkIfThere(path)
    return file
  } catch (error) {
    await file.close()
    throw error
  }
}

/**
 * Deletes the files of processes that ended between opening and removing the name; a running process removes the name
 * anyway.
 */
export async function sweepTemporaryFiles(): Promise<void> {
  const names = (await readdir(tmpdir())).filter((name) => NAME.test(name))
  await Promise.allSettled(names.map((name) => unlink(join(tmpdir(), name))))
}

/** Deletes a file; one that does not exist is no error. */
export async function unlinkIfThere(path: string): Promise<void> {
  await unlink(path).catch((error: unknown) => {
    if (propertyOf(error, 'code') !== 'ENOENT') throw error
  })
}

export function lengthOf(chunks: readonly Buffer[]): number {
  return chunks.reduce((sum, { length }) => sum + length, 0)
}

/** Writes chunks to a file, from a position on or after what was written last: a write may take a part of them. */
export async function writeAll(file: FileHandle, chunks: readonly Buffer[], start?: number): Promise<void> {
  const { bytesWritten } = await file.writev(chunks, start)
  if (bytesWritten < lengthOf(chunks)) {
    const rest = Buffer.concat(chunks).subarray(bytesWritten)
    await writeAll(file, [rest], start === undefined ? undefined : start + bytesWritten)
  }
}
