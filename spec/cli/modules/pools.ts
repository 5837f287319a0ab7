import { createRequire } from 'node:module'
import type Postgres from 'pg'

const { Pool } = createRequire(import.meta.url)('pg') as typeof Postgres

/** A pool without listeners, one with a single one, and one that survives a lost connection. */
new Pool() // eslint-disable-line no-new
new Pool().on('error', () => undefined)
new Pool().on('error', () => undefined).on('connect', (client) => client.on('error', () => undefined))

export { app } from './careful.js'
