import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Application, IRouter, Response } from 'express'
import { begin, canEnter, finish } from '../express/entry.js'
import { isTraced } from '../express/layers.js'
import { existingRouterOf } from '../express/stack.js'
import { useFastPath } from './fast.js'
import { viewOf, type View } from './router-view.js'
import { passLayers } from './walk.js'

/** Passes the requests of a server to an app. */
export type Entry = (req: IncomingMessage, res: ServerResponse) => void

/**
 * Returns a function that passes requests to an app: through its layers as Express does, at less cost; through Express
 * itself where anything is unusual.
 */
export function fastEntry(app: Application): Entry {
  let router: IRouter | undefined
  const currentView = (): View | undefined => {
    // To read `app.router` creates one where there is none.
    if (router === undefined || app.router !== router) router = existingRouterOf(app)
    return router && viewOf(router)
  }
  return (req: IncomingMessage, res: ServerResponse) => {
    useFastPath(req)
    // Express answers OPTIONS by the methods of all routes.
    const { method, url = '' } = req
    const path = method !== 'OPTIONS' && canEnter(app, req, res) && !isTraced() ? verbatimPath(url) : undefined
    const hasEntered = path !== undefined && enter(app, currentView(), path, res as Response)
    if (!hasEntered) app(req, res)
  }
}

function enter(app: Application, view: View | undefined, path: string, res: Response): boolean {
  const layout = view?.current()
  if (layout === undefined) return false
  const { req } = res
  begin(app, req, res)
  passLayers(layout, path, res, (error?: unknown) => finish(app, error, req, res))
  return true
}

const HASH = 0x23
const PERCENT = 0x25

/**
 * Returns the path of a request target of visible ASCII without a fragment and without encoded characters in its path;
 * `undefined` for any other target, which Express reads.
 *
 * It runs for every request, so it uses no regular expression: one with captures takes several times as long.
 */
export function verbatimPath(target: string): string | undefined {
  if (!target.startsWith('/')) return undefined
  const mark = target.indexOf('?')
  const end = mark === -1 ? target.length : mark
  for (let at = 0; at < target.length; at++) {
    const code = target.charCodeAt(at)
    if (code <= 0x20 || code >= 0x7F || code === HASH || (code === PERCENT && at < end)) return undefined
  }
  return mark === -1 ? target : target.slice(0, end)
}
