import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Application, Request, Response } from 'express'
import { begin, beginsPlainly, goOnBehind } from './express-entry.js'
import { openStackOf, type Layer } from './express-stack.js'
import { runBehind, type Hit, type Run } from './run.js'

/** A path and a query that are what they look like: whatever else a target may hold is Express's to parse. */
const VERBATIM = /^(\/[!"$->@-~]*)(?:\?[!"$-~]*)?$/

/**
 * How requests enter an app: where resource routes stand first in it, straight into the one that matches, which is told what Express
 * would have told it; through Express in every other case, and with every error.
 */
export function fastPath(app: Application): (req: IncomingMessage, res: ServerResponse) => void {
  return (req, res) => {
    const hit = beginsPlainly(app, req) ? findFirst(openStackOf(app), req as Request) : undefined
    if (hit === undefined) app(req as Request, res as Response)
    else answer(app, hit, req as Request, res as Response)
  }
}

/** The route that answers, if it is in one of the runs that stand first. */
function findFirst(stack: readonly Layer[], { method, url }: Request): Hit | undefined {
  const path = VERBATIM.exec(url)?.[1]
  if (path === undefined) return undefined
  for (let at = 0, run = runAt(stack, at); run !== undefined; at += 1 + run.size, run = runAt(stack, at)) {
    const hit = run.find(method, path)
    if (hit !== undefined) return hit
  }
  return undefined
}

function runAt(stack: readonly Layer[], at: number): Run | undefined {
  const layer = stack[at]
  return layer === undefined ? undefined : runBehind(layer)
}

function answer(app: Application, { layer, route, params, handler }: Hit, req: Request, res: Response): void {
  const next = (error?: unknown): void => goOnBehind(app, layer, error, req, res)
  begin(app, req, res, next)
  req.route = route
  req.params = params
  handler(req, res, next)
}
