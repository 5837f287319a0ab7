import express, { type Express } from 'express'
import { errorHandler } from '../../lib/error-handler.js'
import { notFound } from '../../lib/not-found.js'
import { serving, type Client, type Reply } from '../support/http.js'

/** A client in functions, which may be taken apart. */
export interface Asking {
  readonly send: (...args: Parameters<Client['send']>) => Promise<Reply>
  readonly get: (...args: Parameters<Client['get']>) => Promise<Reply>
  readonly post: (...args: Parameters<Client['post']>) => Promise<Reply>
}

/** An app with these routes, served until the test ends; what is logged of faults is left out. */
export async function servingRoutes(mount: (app: Express) => void): Promise<Asking> {
  const app = express()
  mount(app)
  app.use(notFound(), errorHandler({ log: () => undefined }))
  const client = await serving(app)
  return { send: (...args) => client.send(...args), get: (...args) => client.get(...args), post: (...args) => client.post(...args) }
}
