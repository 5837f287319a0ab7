import { mkdir, open, rename, unlink, type FileHandle } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Writable, type Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { unfinishedName } from './unfinished.js'

/** Bytes gathered before they are written. */
const GATHERED = 262_144

/** Writes a file so that its path always holds a whole one: the old, the new, or none; beside it, to disk, and then renamed. */
export async function writeFileAtomically(folder: string, path: string, content: Readable): Promise<void> {
  const target = join(folder, path)
  const unfinished = join(folder, unfinishedName())
  await mkdir(dirname(target), { recursive: true })
  try {
    await writeThrough(unfinished, content)
    await rename(unfinished, target)
  } catch (error) {
    await unlink(unfinished).catch(() => undefined)
    throw error
  }
  await syncFolder(dirname(target))
}

async function writeThrough(path: string, content: Readable): Promise<void> {
  const file = await open(path, 'wx', 0o644)
  try {
    await pipeline(content, writerTo(file))
    await file.sync()
  } finally {
    await file.close()
  }
}

function writerTo(file: FileHandle): Writable {
  const write = async (chunks: readonly Buffer[]): Promise<void> => {
    const { bytesWritten } = await file.writev(chunks)
    const bytes = chunks.reduce((sum, { length }) => sum + length, 0)
    if (bytesWritten < bytes) await write([Buffer.concat(chunks).subarray(bytesWritten)])
  }
  return new Writable({
    highWaterMark: GATHERED,
    write: (chunk: Buffer, _encoding, done) => void write([chunk]).then(() => done(), done),
    writev: (items, done) => void write(items.map(({ chunk }) => chunk as Buffer)).then(() => done(), done),
  })
}

/** The rename itself survives a loss of power; where a folder cannot be opened, as on Windows, the system sees to it. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder).catch(() => undefined)
  try {
    await handle?.sync()
  } finally {
    await handle?.close()
  }
}
