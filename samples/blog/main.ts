import { serve } from 'resourcery'
import { makeApp } from './app.js'
import { banner } from './banner.js'
import { ConfigError, readConfig, type Config } from './config.js'
import { databaseOn, openPool } from './database/open.js'
import { prepareDatabase } from './database/prepare.js'
import { openPanel } from './panel.js'
import { openStores, type Stores } from './stores.js'
import { openUploads } from './uploads.js'

async function start({ port, host, database, store, uploadFolder, panelFolder, dux, secret }: Config): Promise<void> {
  const panel = panelFolder === undefined ? undefined : openPanel(panelFolder)
  const pool = await openPool(database)
  const db = databaseOn(pool)
  const uploads = await openUploads(uploadFolder)
  let stores: Stores | undefined
  const close = async (): Promise<void> => {
    await Promise.all([stores?.close?.(), db.destroy(), uploads.close()])
  }
  try {
    stores = await openStores(store, pool, db)
    await prepareDatabase(db)
    const app = makeApp({ db, stores, secret, storage: uploads.storage, panel, sendMail: dux ? printMail : undefined })
    const { url } = await serve(app, { port, host, onClose: close })
    console.log(banner(url, { hasPanel: panel !== undefined, hasDux: dux }))
  } catch (error) {
    await close()
    throw error
  }
}

/** The blog sends no mail: whoever runs it reads here what would be sent. */
function printMail(to: string, text: string): void {
  console.log(`Mail to ${to}: ${text}`)
}

try {
  const config = readConfig(process.env)
  await start(config).catch((error: unknown) => {
    const isInUse = (error as { readonly code?: unknown } | undefined)?.code === 'EADDRINUSE'
    throw isInUse
      ? new ConfigError(`Port ${config.port} is in use: set PORT to another one, or to 0 for any that is free.`)
      : error
  })
} catch (error) {
  console.error(error instanceof ConfigError ? error.message : error)
  process.exitCode = 1
}
