import { createHash } from 'node:crypto'
import type { RequestHandler } from 'express'
import { isApp } from '../express/stack.js'
import { SERVING } from '../routing/serving.js'
import { openapi } from './document.js'
import type { OpenApiOptions } from './options.js'
import { mountedRoutes, type DocumentedRoute } from './routes.js'

interface Written {
  readonly routes: readonly DocumentedRoute[]
  readonly body: Buffer
  readonly etag: string
}

/** Answers with the document, which is written once, and again only when the routes are no longer the same. */
export function servedDocument(appOrRouter: object, options: OpenApiOptions): RequestHandler {
  let written: Written | undefined
  const current = (): Written => {
    const routes = mountedRoutes(appOrRouter)
    if (written === undefined || !areSame(routes, written.routes)) written = write(appOrRouter, options, routes)
    return written
  }
  // What a schema cannot say is worth knowing at the start, not at the first reader.
  if (isApp(appOrRouter)) appOrRouter.once(SERVING, current)
  return (_req, res) => {
    const { body, etag } = current()
    res.set({ 'Content-Type': 'application/json; charset=utf-8', 'Cache-Control': 'no-cache', ETag: etag })
    res.send(body)
  }
}

function write(appOrRouter: object, options: OpenApiOptions, routes: readonly DocumentedRoute[]): Written {
  const body = Buffer.from(JSON.stringify(openapi(appOrRouter, options)))
  return { routes, body, etag: `"${createHash('sha256').update(body).digest('base64url')}"` }
}

function areSame(some: readonly DocumentedRoute[], others: readonly DocumentedRoute[]): boolean {
  return some.length === others.length && some.every(({ path, route }, index) => path === others[index]?.path && route === others[index].route)
}
