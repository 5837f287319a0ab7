import type { RequestListener } from 'node:http'
import type { Express } from 'express'
import { fastEntry } from '../../lib/core/fast/entry.js'
import { IS_FAST } from '../../lib/core/fast/fast.js'
import { PLAIN } from '../../lib/core/express/implementation.js'
import { useImplementation } from '../../lib/core/routing/request-state.js'

/** Handles requests of the app's own classes, as `serve` does. */
export function directly(app: Express, fast = true): RequestListener {
  const enter = fast && IS_FAST ? fastEntry(app) : undefined
  return (req, res) => {
    if (enter === undefined) useImplementation(req, PLAIN)
    Object.setPrototypeOf(req, app.request)
    Object.setPrototypeOf(res, app.response)
    if (enter === undefined) app(req, res)
    else enter(req, res)
  }
}
