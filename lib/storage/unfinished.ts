import { createHash, randomUUID } from 'node:crypto'
import { readdir, stat, unlink } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'

/** When this process began, in seconds: it tells a process from an earlier one of the same number, as in a restarted container. */
const BEGAN = Math.round(Date.now() / 1000 - process.uptime())
const HOST = createHash('sha256').update(hostname()).digest('hex').slice(0, 8)
const NAME = /^\.([0-9a-f]{8})-(\d+)-(\d+)-[0-9a-f-]{36}\.part$/

/** After how long a file of another machine's, on a folder that is shared, counts as left behind; in milliseconds. */
const DAY = 86_400_000

/** What a file is called while it is being written. */
export function unfinishedName(): string {
  return `.${HOST}-${process.pid}-${BEGAN}-${randomUUID()}.part`
}

/** Deletes what processes that no longer live have begun to write and never finished. */
export async function sweepUnfinished(folder: string): Promise<void> {
  const names = (await readdir(folder)).filter((name) => NAME.test(name))
  await Promise.allSettled(names.map(async (name) => {
    if (await isLeft(folder, name)) await unlink(join(folder, name))
  }))
}

async function isLeft(folder: string, name: string): Promise<boolean> {
  const [, host, pid, began] = NAME.exec(name) ?? []
  if (host !== HOST) return Date.now() - (await stat(join(folder, name))).mtimeMs > DAY
  // The clock of the machine may have been set a little since.
  return Number(pid) === process.pid ? Math.abs(Number(began) - BEGAN) > 2 : !isAlive(Number(pid))
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
