import express, { type Express } from 'express'
import { errorHandler, type ErrorHandlerOptions } from 'resourcery'
import { notFound } from 'resourcery'
import { serving, type Client, type Reply } from '../support/http.js'

/** A client whose functions may be destructured. */
export interface Asking {
  readonly send: (...args: Parameters<Client['send']>) => Promise<Reply>
  readonly get: (...args: Parameters<Client['get']>) => Promise<Reply>
  readonly post: (...args: Parameters<Client['post']>) => Promise<Reply>
}

/** Serves an app with these routes until the test ends, by default without logging errors. */
export async function servingRoutes(
  mount: (app: Express) => void,
  log: ErrorHandlerOptions['log'] = () => undefined,
): Promise<Asking> {
  const app = express()
  mount(app)
  app.use(notFound(), errorHandler({ log }))
  const client = await serving(app)
  return {
    send: (...args) => client.send(...args),
    get: (...args) => client.get(...args),
    post: (...args) => client.post(...args),
  }
}
