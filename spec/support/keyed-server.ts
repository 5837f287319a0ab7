import express from 'express'
import { Kysely } from 'kysely'
import { errorHandler } from 'resourcery'
import { mountResource } from 'resourcery'
import { serve } from 'resourcery'
import { dialectOn, openPool } from '../../samples/blog/database/open.js'
import { createKeyedTables, keyedNotes, type KeyedTables } from './idempotency-keys.js'

/*
 * Serves notes in a separate process, on the database at DATABASE, a URL or a folder; with FRESH it creates its tables.
 * DIE is `before` or `after` the commit: a note with that title kills the process at this point.
 */
const { DATABASE = '', DIE, FRESH } = process.env

const isServer = DATABASE.includes('://')
const kind = DATABASE.startsWith('mysql:') ? 'mysql' : 'postgres'
const pool = await openPool(isServer ? { kind, url: DATABASE } : { kind: 'embedded', folder: DATABASE })
const db = new Kysely<KeyedTables>({ dialect: dialectOn(pool) })
if (FRESH === 'yes') await createKeyedTables(db, kind)

function dieAt(point: 'before' | 'after'): (note: { title: string }) => void {
  return ({ title }) => {
    if (DIE === point && title === point) process.kill(process.pid, 'SIGKILL')
  }
}

const app = express()
mountResource(app, {
  route: '/notes',
  name: 'notes',
  ...keyedNotes(db, { deadline: 5, after: { create: dieAt('before') }, afterCommit: { create: dieAt('after') } }),
})
app.use(errorHandler())
const { url } = await serve(app, { port: 0, host: '127.0.0.1' })
console.log(`listening on ${url}`)
