import express, { type Express } from 'express'
import { errorHandler, notFound } from 'resourcery'
import { mcpRouter } from 'resourcery/mcp'
import { adminRouter } from './admin/router.js'
import { documents } from './documents.js'
import { duxRouter } from './dux/router.js'
import { homePage } from './home.js'
import { PANEL } from './panel.js'
import type { Services } from './services.js'
import { shopRouter } from './shop/router.js'
import { UPLOADS } from './uploads.js'

/** The applications of the blog as one Express app, which nobody listens to yet. */
export function makeApp(services: Services): Express {
  const app = express()
  app.disable('x-powered-by')
  app.get('/', homePage({ hasPanel: services.panel !== undefined }))
  app.use(UPLOADS, services.storage.serve())
  if (services.panel !== undefined) app.use(PANEL, services.panel)
  app.use('/mcp', mcpRouter(app, { name: 'blog', version: '1.0.0' }))
  app.use('/admin', adminRouter(services))
  app.use('/shop', shopRouter(services))
  if (services.sendMail !== undefined) app.use('/dux', duxRouter(services, services.sendMail))
  app.use(documents(app, services.sendMail === undefined ? ['admin', 'shop'] : ['admin', 'shop', 'dux']))
  app.use(notFound(), errorHandler())
  return app
}
