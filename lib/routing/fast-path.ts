import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Application, Request, Response } from 'express'
import { begin, beginsPlainly, goOnBehind } from './express-entry.js'
import { openStackOf, remembered, routerOf, takesDetours, type Layer } from './express-stack.js'
import { runBehind, type Hit, type Run } from './run.js'
import { verbatimPath } from './verbatim-path.js'

/**
 * How requests enter an app: straight into the resource route that matches, if nothing in front of it does, told what Express would
 * have told it; through Express in every other case, and with every error.
 */
export function fastPath(app: Application): (req: IncomingMessage, res: ServerResponse) => void {
  const stack = openStackOf(app)
  const router = routerOf(app)
  const runs = remembered(() => stack, () => runsOf(stack))
  return (req, res) => {
    const { method = '', url = '' } = req
    const path = beginsPlainly(app, req) && !takesDetours(router) ? verbatimPath(url) : undefined
    const hit = path === undefined ? undefined : findFirst(stack, runs(), method, path)
    if (hit === undefined) app(req, res)
    else answer(app, hit, req as Request, res as Response)
  }
}

/** The runs of a stack by the places of their heads, up to the last. */
function runsOf(stack: readonly Layer[]): (Run | undefined)[] {
  const runs = stack.map(runBehind)
  return runs.slice(0, runs.findLastIndex((run) => run !== undefined) + 1)
}

/** The resource route that answers, if it is the first thing in the stack that matches; what is behind the last run is not looked at. */
function findFirst(stack: readonly Layer[], runs: readonly (Run | undefined)[], method: string, path: string): Hit | undefined {
  for (let index = 0; index < runs.length; index++) {
    const layer = stack[index]
    const run = runs[index]
    if (run === undefined) {
      if (layer?.match(path) !== false) return undefined
      continue
    }
    if (run.head !== layer || !run.standsTogether) return undefined
    const hit = run.find(method, path)
    if (hit !== undefined) return hit
    index += run.size
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
