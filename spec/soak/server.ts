import { monitorEventLoopDelay } from 'node:perf_hooks'
import { readdirSync } from 'node:fs'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { issueToken, serve } from 'resourcery'
import { makeApp } from '../../samples/blog/app.js'
import { databaseOn, openPool } from '../../samples/blog/database/open.js'
import { prepareDatabase } from '../../samples/blog/database/prepare.js'
import { openStores } from '../../samples/blog/stores.js'
import { openUploads } from '../../samples/blog/uploads.js'
import type { Measured } from './measured.js'

/* The blog in a process of its own, which tells its memory when it is asked: see run.ts. */

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

const [folder = ''] = process.argv.slice(2)
const secret = 'a secret of the soak with enough bytes in it'
const pool = await openPool({ kind: 'embedded', folder: undefined })
const db = databaseOn(pool)
await prepareDatabase(db)
const { storage: disk } = await openUploads(folder)
/** Limits the bytes of a file: the storage fails to write a longer one. */
const TOO_MUCH = 1_000
const write: typeof disk.write = async (path, content, options) => {
  if ((options?.size ?? 0) > TOO_MUCH) throw new Error('The storage of the soak has failed.')
  return disk.write(path, content, options)
}
const storage = { ...disk, write }
const app = makeApp({ db, stores: await openStores('kysely', pool, db), secret, storage, sendMail: undefined })
const { url } = await serve(app, { port: 0, host: '127.0.0.1', drain: 0 })
const tokens = {
  admin: await issueToken('admin', { id: 1, role: 'admin' }, { secret }),
  shop: await issueToken('shop', { id: 3 }, { secret }),
}

const delay = monitorEventLoopDelay({ resolution: 5 })
delay.enable()

/** Collects garbage, so that what is left is what the process keeps. */
function measure(): Measured {
  collectGarbage()
  collectGarbage()
  const { heapUsed, external, rss } = process.memoryUsage()
  const loop = delay.percentile(99) / 1e6
  delay.reset()
  return { heap: heapUsed / 1e6, external: external / 1e6, rss: rss / 1e6, loop, files: openFiles() }
}

function openFiles(): number {
  try {
    return readdirSync('/proc/self/fd').length
  } catch {
    return 0
  }
}

process.on('message', (message) => {
  if (message === 'measure') process.send?.(measure())
  else if (typeof message === 'number') void tokensOf(message).then((made) => process.send?.(made))
})

/** Issues tokens for other callers, so that each is verified for the first time. */
function tokensOf(count: number): Promise<string[]> {
  return Promise.all(
    Array.from({ length: count },
      (_, index) => issueToken('shop', { id: 1_000 + index, at: Math.random() }, { secret })),
  )
}

process.send?.({ url, tokens })
