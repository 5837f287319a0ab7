// The sample blog with express-openapi-validator in front, which checks each request and each reply against the document.
import express from 'express'
import { middleware } from 'express-openapi-validator'
import { errorHandler, serve } from 'resourcery'
import { openapi } from 'resourcery/openapi'
import { makeApp } from '../../../samples/blog/app.js'
import { databaseOn, openPool } from '../../../samples/blog/database/open.js'
import { prepareDatabase } from '../../../samples/blog/database/prepare.js'
import { openStores } from '../../../samples/blog/stores.js'
import { openUploads } from '../../../samples/blog/uploads.js'

const pool = await openPool({ kind: 'embedded', folder: undefined })
const db = databaseOn(pool)
const uploads = await openUploads(undefined)
await prepareDatabase(db)
const blog = makeApp({
  db,
  stores: await openStores('kysely', pool, db),
  secret: 'a secret of this program with enough bytes in it',
  storage: uploads.storage,
})

const app = express()
app.use(express.json())
app.use(middleware({
  apiSpec: openapi(blog, { title: 'The blog', version: '1.0.0' }),
  validateRequests: true,
  validateResponses: true,
  // It would consume the form before the blog can read it.
  ignorePaths: /\/avatar$/,
}))
app.use(blog)
app.use(errorHandler())
const onClose = async () => {
  await Promise.all([db.destroy(), uploads.close()])
}
const { url } = await serve(app, { port: 0, host: '127.0.0.1', onClose })
console.log(`listening on ${url}`)
