import { serve } from 'resourcery'
import { makeApp } from './app.js'
import { banner } from './banner.js'
import { ConfigError, readConfig, type Config } from './config.js'
import { openDatabase } from './database/open.js'
import { prepareDatabase } from './database/prepare.js'
import { openUploads } from './uploads.js'

async function start({ port, host, database, uploadFolder, secret }: Config): Promise<void> {
  const db = await openDatabase(database)
  const uploads = await openUploads(uploadFolder)
  const close = async (): Promise<void> => {
    await Promise.all([db.destroy(), uploads.close()])
  }
  try {
    await prepareDatabase(db)
    const { url } = await serve(makeApp({ db, secret, storage: uploads.storage }), { port, host, onClose: close })
    console.log(banner(url))
  } catch (error) {
    await close()
    throw error
  }
}

try {
  await start(readConfig(process.env))
} catch (error) {
  console.error(error instanceof ConfigError ? error.message : error)
  process.exitCode = 1
}
