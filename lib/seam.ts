import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Application, IRouter, RequestHandler, Response } from 'express'
import type { z } from 'zod'
import { probe } from './express/probe.js'
import { lastLayer, openStackOf, type ExpressRoute, type Layer } from './express/stack.js'
import { writeReply } from './send/write-reply.js'
import type { Envelope } from './types.js'

/*
 * What the fast path may do in another way than the plain path, and how the plain path does it. Nothing else knows that there are two.
 */

export interface Parts {
  /** Adds a group of routes to a router or an app. */
  readonly openRoutes: (target: IRouter | Application) => RouteGroup
  /** What the index in a layer of a stack says about a path; `undefined` where the layer has none. */
  readonly indexAt: (stack: readonly Layer[], at: number, path: string) => LayerIndex | undefined
  /** Lets the requests of a server enter an app. */
  readonly entry: (app: Application) => Entry
  /** Options of `http.createServer` that depend on the app. */
  readonly serverClasses: (app: Application) => ServerClasses
  readonly writeReply: (res: Response, envelope: Envelope, text: string) => void
  /** A copy of a value that fits a schema; `undefined` where zod has to judge. */
  readonly fitting: (schema: z.ZodType, value: unknown) => unknown
}

export interface RouteGroup {
  add(path: string): RoutePlace
}

export interface RoutePlace {
  readonly route: ExpressRoute
  answer(method: string, handler: RequestHandler): void
}

export interface LayerIndex {
  /** How many layers behind the index belong to it. */
  readonly size: number
  /** Those of them that may match the path, in Express's order. */
  readonly layers: readonly Layer[]
}

export type Entry = (req: IncomingMessage, res: ServerResponse) => void

export interface ServerClasses {
  readonly IncomingMessage?: typeof IncomingMessage
  readonly ServerResponse?: typeof ServerResponse
}

/** Express routes and answers, zod checks. */
export const PLAIN: Parts = {
  openRoutes: (target) => ({ add: (path) => addRoute(target, path) }),
  indexAt: () => undefined,
  entry: (app) => (req, res) => {
    keepPlain(req)
    app(req, res)
  },
  serverClasses: () => ({}),
  writeReply,
  fitting: () => undefined,
}

/** Adds a route of Express's own to a router or an app, as `target.route(path).get(handler)` does. */
export function addRoute(target: IRouter | Application, path: string): RoutePlace & { readonly layer: Layer } {
  // What `route` returns may be somebody's wrapper, which handlers have to be given to; Express dispatches to the layer's own.
  const registrars = (target as IRouter).route(path) as unknown as Record<string, ((handler: RequestHandler) => unknown) | undefined>
  const layer = lastLayer(openStackOf(target))
  probe(layer)
  return {
    layer,
    route: layer.route ?? registrars as unknown as ExpressRoute,
    answer: (method, handler) => void registrars[method.toLowerCase()]?.(handler),
  }
}

let fastest = PLAIN

/** Replaces parts of the plain path for requests that do not ask for it. */
export function useParts(parts: Parts): void {
  fastest = parts
}

/** The parts that apps and servers are made of. */
export function partsOf(fast: boolean): Parts {
  return fast ? fastest : PLAIN
}

const takesPlainPath = Symbol('resourcery.plain')

interface Marked {
  [takesPlainPath]?: true
}

let anyKeptPlain = false

/** Keeps a request on the plain path. */
export function keepPlain(req: IncomingMessage): void {
  anyKeptPlain = true
  ;(req as Marked)[takesPlainPath] = true
}

/** The parts that answer a request. */
export function partsFor(req: object): Parts {
  return anyKeptPlain && (req as Marked)[takesPlainPath] === true ? PLAIN : fastest
}
