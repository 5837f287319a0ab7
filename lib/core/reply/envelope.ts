import type { Application, Request, RequestHandler } from 'express'
import { MisuseError } from '../base/errors.js'
import { checkCalled, checkFunction, checkOptionNames, show } from '../base/options.js'
import { attempt, ignoreFailure, isThenable } from '../base/promises.js'
import type { Envelope, Meta } from '../base/types.js'
import { matchOf } from '../express/layers.js'
import { stackOf } from '../express/stack.js'
import { JSON_TYPE, type Encoded } from '../express/write-reply.js'
import { stateOf } from '../routing/request-state.js'

/** A reply before it is encoded. */
export interface ReplyParts {
  /** The HTTP status. */
  readonly code: number
  readonly message: string
  /** The record, the list or `null`; of a 422 the messages of each field. */
  readonly data: unknown
  /** The paging values of a list, or of an error `reason` and `requestId`. */
  readonly meta: Meta
}

/** An error before it is encoded. */
export interface FailureParts extends ReplyParts {
  /** The stable word for programs, also in `meta`; `undefined` where a handler has sent an error without one. */
  readonly reason: string | undefined
}

/** The JSON Schemas of the parts of a reply. */
export interface SchemaParts {
  /** Of the status. */
  readonly code: object
  readonly message: object
  /** Of the record, the list or `null`. */
  readonly data: object
  readonly meta: object
}

/** The JSON Schemas of the parts of an error. */
export interface FailureSchemaParts extends SchemaParts {
  readonly reason: object
}

export interface EnvelopeOptions {
  /**
   * Returns the body of a reply below 400, which is sent as JSON.
   *
   * @default the envelope `{ code, message, data, meta }`
   */
  readonly success?: ((reply: ReplyParts, req: Request) => unknown) | undefined
  /**
   * Returns the body of a reply of 400 and above. `req` is `undefined` where the request could not be read.
   *
   * @default the envelope `{ code, message, data, meta }`
   */
  readonly failure?: ((failure: FailureParts, req: Request | undefined) => unknown) | undefined
  /**
   * Describes the bodies in documents of OpenAPI: from JSON Schemas of the parts to one of the body.
   *
   * @default any JSON value
   */
  readonly schema?: {
    readonly success?: ((parts: SchemaParts) => object) | undefined
    readonly failure?: ((parts: FailureSchemaParts) => object) | undefined
  } | undefined
  /** The media types of both, also where a body is that of the default envelope. @default `application/json` */
  readonly types?: { readonly success?: string | undefined; readonly failure?: string | undefined } | undefined
}

/** An envelope of the application. */
export interface Encoding {
  readonly options: EnvelopeOptions
  readonly successType: string
  readonly failureType: string
}

/** The envelopes of an app, by middleware. */
const encodingByMiddleware = new WeakMap<object, Encoding>()

/** True once there is another envelope: without one no reply looks for it. */
export let anyEncoding = false

const key = Symbol('resourcery.envelope')

interface Marked {
  [key]?: Encoding | undefined
}

/**
 * Makes middleware that sets another envelope for everything after it, on an app or on a Router: replies, lists,
 * errors of `errorHandler` and of guards. The one that a request has passed last applies, to its errors too.
 *
 * Replies of `serve` itself (a request that cannot be read, the deadline, overload) have the envelope of the app, which
 * is the last one that the app uses without a path. Files, exports and replies that a handler writes itself stay as
 * they are, and tools of MCP read the default envelope. A value that JSON cannot express, and an error of `failure`
 * itself, are a constant 500 in the default envelope.
 *
 * @throws MisuseError `option_unknown`, `option_function` and `envelope_type`.
 * @example
 * app.use(envelope({
 *   success: ({ data, meta }) => ({ result: data, ...meta }),
 *   failure: ({ message, reason, data }) => ({ error: { message, reason, fields: data } }),
 * }))
 */
export function envelope(options: EnvelopeOptions): RequestHandler {
  checkCalled('app.use(envelope({ success, failure }))', options)
  checkOptionNames('envelope', options, ['success', 'failure', 'schema', 'types'])
  const { success, failure, schema = {}, types = {} } = options
  if (success !== undefined) checkFunction('`success` of envelope', success)
  if (failure !== undefined) checkFunction('`failure` of envelope', failure)
  checkOptionNames('`schema` of envelope', schema, ['success', 'failure'])
  if (schema.success !== undefined) checkFunction('`schema.success` of envelope', schema.success)
  if (schema.failure !== undefined) checkFunction('`schema.failure` of envelope', schema.failure)
  checkOptionNames('`types` of envelope', types, ['success', 'failure'])
  const encoding: Encoding = {
    options: { ...options },
    successType: typeOf('success', types.success),
    failureType: typeOf('failure', types.failure),
  }
  const handler: RequestHandler = (req, _res, next) => {
    setEncoding(req, encoding)
    next()
  }
  anyEncoding = true
  encodingByMiddleware.set(handler, encoding)
  return handler
}

/** A media type, with parameters or without (RFC 9110 §8.3.1). */
const MEDIA_TYPE = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(?:;[\x20-\x7e]+)?$/

function typeOf(name: string, type: unknown): string {
  if (type === undefined) return JSON_TYPE
  if (typeof type === 'string' && MEDIA_TYPE.test(type)) return type.includes(';') ? type : `${type}; charset=utf-8`
  throw new MisuseError(
    'envelope_type',
    `\`types.${name}\` of envelope must be a media type such as 'application/problem+json', not ${show(type)}.`,
  )
}

/** Sets the envelope of a request, `undefined` for the default. */
export function setEncoding(req: Request & Marked, encoding: Encoding | undefined): void {
  req[key] = encoding
}

/** Returns the envelope of a middleware, `undefined` for any other function. */
export function encodingOf(middleware: object): Encoding | undefined {
  return encodingByMiddleware.get(middleware)
}

/** Returns the envelope of the app itself: the last that it uses for every path. */
export function encodingIn(app: Application): Encoding | undefined {
  if (!anyEncoding) return undefined
  const layer = stackOf(app).findLast((candidate) =>
    encodingByMiddleware.has(candidate.handle) && attempt(() => matchOf(candidate, '/~'))?.path === ''
  )
  return layer && encodingByMiddleware.get(layer.handle)
}

/**
 * Encodes a reply in the envelope of its request; `undefined` for the default. A request of this process, such as one
 * of MCP, is answered in the default envelope.
 */
export function encodeFor(req: (Request & Marked) | undefined, reply: Envelope): Encoded | undefined {
  if (req === undefined) return undefined
  const encoding = req[key]
  if (encoding === undefined || stateOf(req).inner !== undefined) return undefined
  return encodeBy(encoding, reply, req)
}

/**
 * Encodes a reply; `undefined` where the envelope leaves replies of its kind to the default.
 *
 * @throws MisuseError `data_promise`
 */
export function encodeBy(encoding: Encoding, reply: Envelope, req: Request | undefined): Encoded | undefined {
  const { options: { success, failure }, successType, failureType } = encoding
  if (reply.code < 400) {
    if (success === undefined || req === undefined) return defaultBody(reply, successType)
    return { body: settled('success', success({ ...reply }, req)), type: successType }
  }
  if (failure === undefined) return defaultBody(reply, failureType)
  const { reason } = reply.meta
  const parts = { ...reply, reason: typeof reason === 'string' ? reason : undefined }
  return { body: settled('failure', failure(parts, req)), type: failureType }
}

/** Returns the default envelope under another media type; `undefined` where both are the default. */
function defaultBody(body: Envelope, type: string): Encoded | undefined {
  return type === JSON_TYPE ? undefined : { body, type }
}

/** @throws MisuseError `data_promise`: JSON would send a promise as `{}`. */
function settled(name: string, body: unknown): unknown {
  if (!isThenable(body)) return body
  ignoreFailure(body)
  throw new MisuseError('data_promise', `\`${name}\` of envelope must return the body at once, not in a promise.`)
}
