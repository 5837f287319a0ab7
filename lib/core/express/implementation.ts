import type { Request, RequestHandler, Response } from 'express'
import type { z } from 'zod'
import type { ExpressRoute, Layer } from './stack.js'
import { toPlainData } from '../validate/plain-data.js'
import type { Envelope } from '../base/types.js'
import { writeReply, type Encoded } from './write-reply.js'

/*
 * The operations that the fast path implements in another way than the plain path, and their plain implementation. The
 * state of a request holds those that answer it.
 */

export interface Implementation {
  /** Returns the layers of a stack that may match a path, in their order. */
  readonly layersFor: (stack: readonly Layer[], path: string) => readonly Layer[]
  /**
   * Returns the first route that a request reaches after a middleware that is running; `NOT_KNOWN` if that has to be
   * found by a walk through all layers.
   */
  readonly routeAfter: (req: Request, middleware: RequestHandler) => ExpressRoute | typeof NOT_KNOWN | undefined
  readonly setLocation: (res: Response, location: string) => void
  readonly writeReply: (res: Response, envelope: Envelope, text: string, encoded?: Encoded) => void
  /** Returns a copy of a value that fits a schema, `undefined` if zod has to parse the value. */
  readonly copyIfValid?: (schema: z.ZodType, value: unknown) => unknown
  /**
   * Converts a body that was parsed from a JSON text to plain data.
   *
   * @throws HttpError 400 `unreadable` when it is nested too deeply, ValidationError for NUL in a string.
   */
  readonly plainJson: (body: object, text: string) => unknown
}

/** A result of `routeAfter`. */
export const NOT_KNOWN = Symbol('not known')

/** The plain path: Express finds routes and writes replies, zod checks values. */
export const PLAIN: Implementation = {
  layersFor: (stack) => stack,
  routeAfter: () => NOT_KNOWN,
  setLocation: (res, location) => void res.setHeader('Location', location),
  writeReply,
  plainJson: (body) => toPlainData(body),
}
