import { serve } from 'resourcery'
import { makeApp } from './app.js'
import { banner } from './banner.js'
import { ConfigError, readConfig, type Config } from './config.js'
import { openDatabase } from './database/open.js'
import { prepareDatabase } from './database/prepare.js'

async function start({ port, host, database, secret }: Config): Promise<void> {
  const db = await openDatabase(database)
  try {
    await prepareDatabase(db)
    const { url } = await serve(makeApp({ db, secret }), { port, host, onClose: () => db.destroy() })
    console.log(banner(url))
  } catch (error) {
    await db.destroy()
    throw error
  }
}

try {
  await start(readConfig(process.env))
} catch (error) {
  console.error(error instanceof ConfigError ? error.message : error)
  process.exitCode = 1
}
