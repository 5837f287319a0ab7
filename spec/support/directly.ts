import type { RequestListener } from 'node:http'
import type { Express } from 'express'
import { implementationOf } from '../../lib/core/express/implementation.js'

/** Handles requests of the app's own classes, as `serve` does. */
export function directly(app: Express, fast = true): RequestListener {
  const enter = implementationOf(fast).entry(app)
  return (req, res) => {
    Object.setPrototypeOf(req, app.request)
    Object.setPrototypeOf(res, app.response)
    enter(req, res)
  }
}
