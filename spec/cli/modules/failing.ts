import express from 'express'
import { errorHandler, mountRoutes, notFound } from 'resourcery'

/** An app that fails for what is no number. */
const app = express()
mountRoutes(app, { route: '/sums', name: 'sums', routes: {
  list: { methods: ['GET'], route: '', handler: () => [] },
  show: { methods: ['GET'], route: '/:of', handler: (_req, _res, { of }) => BigInt(String(of)) * 2n },
} })
app.use(notFound(), errorHandler({ log: () => undefined }))

export default app
