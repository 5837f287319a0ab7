import express, { NextFunction, Request, Response } from 'express'
import { errorHandler, notFound } from 'resourcery'
import { api } from './api'
import { findUser } from './users'

export function createApp() {
  const app = express()
  app.use(express.json())
  app.use((req: Request & { user?: object }, res: Response, next: NextFunction) => {
    req.user = findUser(req.get('X-User'))
    next()
  })

  app.get('/health', (req, res) => {
    res.json({ ok: true })
  })

  app.use('/api', api, notFound(), errorHandler())

  app.use((error: Error & { status?: number }, req: Request, res: Response, next: NextFunction) => {
    res.status(error.status ?? 500).json({ error: error.message })
  })
  return app
}
