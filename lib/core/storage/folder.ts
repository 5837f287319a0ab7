import { propertyOf } from '../base/guards.js'
import { createHash, randomUUID } from 'node:crypto'
import { mkdir, open, readdir, rename, stat, unlink, type FileHandle } from 'node:fs/promises'
import { hostname } from 'node:os'
import { dirname, join } from 'node:path'
import { Writable, type Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { unlinkIfThere, writeAll } from '../upload/temporary-file.js'
import { checkLinks } from './links.js'

export { sendFile, serveFiles } from './serve-files.js'

/*
 * The operations of a storage in its folder, on checked paths.
 */

export async function deleteFile(folder: string, path: string): Promise<void> {
  await checkLinks(folder, path)
  await unlinkIfThere(join(folder, path))
}

/** The bytes that are gathered before a write. */
const GATHERED = 262_144

/**
 * Writes a file under another name, syncs it to disk and renames it: its path has the old content, the new one, or
 * none.
 */
export async function writeFileAtomically(folder: string, path: string, content: Readable): Promise<void> {
  await checkLinks(folder, path)
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
  return new Writable({
    highWaterMark: GATHERED,
    write: (chunk: Buffer, _encoding, done) => void writeAll(file, [chunk]).then(() => done(), done),
    writev: (items, done) =>
      void writeAll(file, items.map(({ chunk }: { readonly chunk: Buffer }) => chunk)).then(() => done(), done),
  })
}

/** Syncs the rename to disk. Where a folder cannot be opened, as on Windows, the system does it. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder).catch(() => undefined)
  try {
    await handle?.sync()
  } finally {
    await handle?.close()
  }
}

/** The start of this process in seconds. It distinguishes processes with the same id, as in a restarted container. */
const BEGAN = Math.round(Date.now() / 1000 - process.uptime())
const HOST = createHash('sha256').update(hostname()).digest('hex').slice(0, 8)
const NAME = /^\.([0-9a-f]{8})-(\d+)-(\d+)-[0-9a-f-]{36}\.part$/

/** The milliseconds after which a file of another machine, in a shared folder, is considered abandoned. */
const DAY = 86_400_000

/** Returns the name of a file while it is being written. */
export function unfinishedName(): string {
  return `.${HOST}-${process.pid}-${BEGAN}-${randomUUID()}.part`
}

/** Deletes the files that processes have not finished and that are no longer running. */
export async function sweepUnfinished(folder: string): Promise<void> {
  const names = (await readdir(folder)).filter((name) => NAME.test(name))
  await Promise.allSettled(names.map(async (name) => {
    if (await isAbandoned(folder, name)) await unlink(join(folder, name))
  }))
}

async function isAbandoned(folder: string, name: string): Promise<boolean> {
  const [, host, pid, began] = NAME.exec(name) ?? []
  if (host !== HOST) return Date.now() - (await stat(join(folder, name))).mtimeMs > DAY
  // The clock of the machine may have been adjusted.
  return Number(pid) === process.pid ? Math.abs(Number(began) - BEGAN) > 2 : !isAlive(Number(pid))
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return propertyOf(error, 'code') === 'EPERM'
  }
}
