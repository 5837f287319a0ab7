import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Application, IRouter, Request, RequestHandler, Response } from 'express'
import type { z } from 'zod'
import { addRoute, type AddedRoute, type ExpressRoute, type Layer } from './stack.js'
import type { Envelope } from '../base/types.js'
import { toPlainData } from '../validate/plain-data.js'
import { writeReply } from './write-reply.js'

/*
 * The operations that the fast path implements in another way than the plain path, and their plain implementation. Only
 * this file knows that there are two.
 */

export interface Implementation {
  /** Opens a group to which routes of a router or an app are added. */
  readonly openRoutes: (target: IRouter | Application) => RouteGroup
  /** Looks a path up in the index at a layer of a stack; returns `undefined` if the layer has no index. */
  readonly indexAt: (stack: readonly Layer[], at: number, path: string) => LayerIndex | undefined
  /**
   * Returns the first route that a request reaches behind a middleware that is running; `NOT_KNOWN` if that has to be
   * found by a walk through all layers.
   */
  readonly routeBehind: (req: Request, middleware: RequestHandler) => ExpressRoute | typeof NOT_KNOWN | undefined
  /** Returns the routes below an app that only Express serves, and why; `undefined` if Express serves all. */
  readonly obstacles: (target: IRouter | Application) => ReadonlyMap<ExpressRoute, string> | undefined
  /** Returns the function that passes the requests of a server to an app. */
  readonly entry: (app: Application) => Entry
  /** Returns options of `http.createServer` that depend on the app. */
  readonly serverClasses: (app: Application) => ServerClasses
  readonly writeReply: (res: Response, envelope: Envelope, text: string) => void
  /** Returns a copy of a value that fits a schema, `undefined` if zod has to parse the value. */
  readonly checkedCopy: (schema: z.ZodType, value: unknown) => unknown
  /** Returns the JSON of such a copy, `undefined` if `JSON.stringify` has to make it. */
  readonly jsonOf: (schema: z.ZodType, copy: unknown) => string | undefined
  /**
   * Converts a body that was parsed from a JSON text to plain data.
   *
   * @throws HttpError 400 `unreadable` when it is nested too deeply, ValidationError for NUL in a string.
   */
  readonly plainJson: (body: object, text: string) => unknown
}

/** A result of `routeBehind`. */
export const NOT_KNOWN = Symbol('not known')

export interface RouteGroup {
  add(path: string): AddedRoute
}

export interface LayerIndex {
  /** The number of layers behind the index that belong to it. */
  readonly size: number
  /** Those of them that may match the path, in Express's order. */
  readonly layers: readonly Layer[]
}

export type Entry = (req: IncomingMessage, res: ServerResponse) => void

export interface ServerClasses {
  readonly IncomingMessage?: typeof IncomingMessage
  readonly ServerResponse?: typeof ServerResponse
}

/** The plain path: Express finds routes and writes replies, zod checks values. */
export const PLAIN: Implementation = {
  openRoutes: (target) => ({ add: (path) => addRoute(target, path) }),
  indexAt: () => undefined,
  routeBehind: () => NOT_KNOWN,
  obstacles: () => undefined,
  entry: (app) => (req, res) => {
    usePlainPath(req)
    app(req, res)
  },
  serverClasses: () => ({}),
  writeReply,
  checkedCopy: () => undefined,
  jsonOf: () => undefined,
  plainJson: (body) => toPlainData(body),
}

let preferred = PLAIN

/** Sets the implementation for requests that did not choose the plain path. */
export function useImplementation(implementation: Implementation): void {
  preferred = implementation
}

/** Returns the implementation for apps and servers. */
export function implementationOf(fast: boolean): Implementation {
  return fast ? preferred : PLAIN
}

const plainPath = Symbol('resourcery.plain')

interface Marked {
  [plainPath]?: true
}

let anyPlain = false

/** Selects the plain path for a request. */
export function usePlainPath(req: IncomingMessage): void {
  anyPlain = true
  ;(req as Marked)[plainPath] = true
}

/** Returns the implementation for a request. */
export function implementationFor(req: object): Implementation {
  return anyPlain && (req as Marked)[plainPath] === true ? PLAIN : preferred
}
