import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Application, Request, Response } from 'express'
import { begin, beginsPlainly, goOnBehind } from './express-entry.js'
import { openStackOf, routerOf, takesDetours, type Layer } from './express-stack.js'
import { runBehind, type Hit } from './run.js'

/** A path and a query that are what they look like: whatever else a target may hold, `%` in the path above all, is Express's to read. */
const VERBATIM = /^(\/[!"$&->@-~]*)(?:\?[!"$-~]*)?$/

/**
 * How requests enter an app: straight into the resource route that matches, if nothing in front of it does, told what Express would
 * have told it; through Express in every other case, and with every error.
 */
export function fastPath(app: Application): (req: IncomingMessage, res: ServerResponse) => void {
  const stack = openStackOf(app)
  const router = routerOf(app)
  const end = lastRunOf(stack)
  return (req, res) => {
    const { method = '', url = '' } = req
    const path = beginsPlainly(app, req) && !takesDetours(router) ? VERBATIM.exec(url)?.[1] : undefined
    const hit = path === undefined ? undefined : findFirst(stack, end(), method, path)
    if (hit === undefined) app(req, res)
    else answer(app, hit, req as Request, res as Response)
  }
}

/** Where the last run of a stack stands: what is behind it need not be looked at. It is asked for again when the stack grows. */
function lastRunOf(stack: readonly Layer[]): () => number {
  let known = { among: -1, last: -1 }
  return () => {
    if (known.among !== stack.length) known = { among: stack.length, last: stack.findLastIndex((layer) => runBehind(layer) !== undefined) }
    return known.last
  }
}

/** The resource route that answers, if it is the first thing in the stack that matches. */
function findFirst(stack: readonly Layer[], end: number, method: string, path: string): Hit | undefined {
  for (let index = 0, layer = stack[0]; layer !== undefined && index <= end; layer = stack[++index]) {
    const run = runBehind(layer)
    const hit = run?.find(method, path)
    if (hit !== undefined) return hit
    if (run === undefined && layer.match(path) !== false) return undefined
    index += run?.size ?? 0
  }
  return undefined
}

function answer(app: Application, { layer, end, route, params, handler }: Hit, req: Request, res: Response): void {
  // An error passes routes by, so that those of the run need not be asked.
  const next = (error?: unknown): void => goOnBehind(app, error instanceof Error ? end : layer, error, req, res)
  begin(app, req, res, next)
  req.route = route
  req.params = params
  handler(req, res, next)
}
