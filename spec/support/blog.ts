import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Express } from 'express'
import { issueToken, serve } from 'resourcery'
import { makeApp } from '../../samples/blog/app.js'
import { readConfig } from '../../samples/blog/config.js'
import { databaseOn, openPool } from '../../samples/blog/database/open.js'
import { prepareDatabase } from '../../samples/blog/database/prepare.js'
import type { Database } from '../../samples/blog/database/schema.js'
import { openStores } from '../../samples/blog/stores.js'
import { openUploads } from '../../samples/blog/uploads.js'
import type { Scratch } from './databases.js'
import { clientOf, type Client } from './http.js'

/** The limit for starting a blog, in milliseconds: many start concurrently on few processors. */
export const STARTING = 60_000

export const SECRET = 'a secret of the specs with enough bytes in it'

/** The sample application, served in this process. */
export interface Blog extends Client {
  readonly app: Express
  readonly db: Database
  /** The folder of its uploads. */
  readonly uploads: string
  /** Tokens by application and user: the users 1, 2 and 3. */
  readonly tokens: Record<'admin' | 'shop' | 'dux', Record<Person, string>>
  /** Every row of every table, to see what a request has changed. */
  rows(): Promise<unknown>
  /** The e-mails sent. */
  readonly mails: readonly string[]
  readonly close: () => Promise<void>
}

export type Person = keyof typeof PEOPLE

const PEOPLE = {
  admin: { id: 1, role: 'admin' },
  editor: { id: 2, role: 'editor' },
  user: { id: 3 },
} as const

let makeScratch: (() => Promise<Scratch>) | undefined

/** Makes each later blog use a separate database on a real server. */
export function useServer(make: () => Promise<Scratch>): void {
  makeScratch = make
}

/** Starts the blog with its seeds: embedded, or on the server of {@link useServer}. */
export async function startBlog({ dux = false } = {}): Promise<Blog> {
  const scratch = await makeScratch?.()
  const pool = await openPool(
    scratch === undefined ? { kind: 'embedded', folder: undefined } : { kind: kindOf(scratch.url), url: scratch.url },
  )
  const db = databaseOn(pool)
  await prepareDatabase(db)
  const uploads = await mkdtemp(join(tmpdir(), 'blog-spec-'))
  const { storage } = await openUploads(uploads)
  const mails: string[] = []
  const sendMail = (to: string, text: string): void => void mails.push(`${to}: ${text}`)
  const stores = await openStores(readConfig(process.env).store, pool, db)
  const app = makeApp({ db, stores, secret: SECRET, storage, sendMail: dux ? sendMail : undefined })
  const served = await serve(app, { port: 0, host: '127.0.0.1', signals: false, drain: 0 })
  return {
    ...clientOf(served.url, served.server),
    app,
    db,
    uploads,
    mails,
    tokens: { admin: await tokensOf('admin'), shop: await tokensOf('shop'), dux: await tokensOf('dux') },
    rows: async () => ({
      users: await db.selectFrom('users').selectAll().orderBy('id').execute(),
      posts: await db.selectFrom('posts').selectAll().orderBy('id').execute(),
      orders: await db.selectFrom('orders').selectAll().orderBy('id').execute(),
    }),
    close: async () => {
      await served.close()
      await stores.close?.()
      await db.destroy()
      await rm(uploads, { recursive: true })
      await scratch?.drop()
    },
  }
}

function kindOf(url: string): 'postgres' | 'mysql' {
  return url.startsWith('mysql:') ? 'mysql' : 'postgres'
}

async function tokensOf(app: string): Promise<Record<Person, string>> {
  const tokenOf = (person: Person): Promise<string> => issueToken(app, PEOPLE[person], { secret: SECRET })
  return { admin: await tokenOf('admin'), editor: await tokenOf('editor'), user: await tokenOf('user') }
}
