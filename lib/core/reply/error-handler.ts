import type { ErrorRequestHandler, Request, Response } from 'express'
import { challengeOfRoute } from '../auth/challenge.js'
import { closeSlowly } from '../request/read-body.js'
import { INTERNAL, toFailure, type Failure, type Trust } from './failure.js'
import { textOf } from '../base/messages/field-messages.js'
import type { Dictionaries, MessageFunction, MessageTexts } from '../base/messages/texts.js'
import { translatorOf } from '../base/messages/translate.js'
import { checkCalled, checkFunction, checkOptionNames } from '../base/options.js'
import { redactError } from '../base/redact.js'
import { targetOf } from './location.js'
import { sendEnvelope, toEnvelope } from './send.js'
import { keepSettings, requestIdOf, setLanguage, type ErrorLog, type HandlerSettings } from './handler-settings.js'
import { attempt } from '../base/promises.js'
import type { Meta } from '../base/types.js'

export interface ErrorHandlerOptions {
  /**
   * Called with every 5xx, with every error after the reply has begun, and with those of `afterCommit` of `crud`, as
   * they were thrown.
   *
   * @default console.error, without the values and the SQL in errors of databases
   */
  readonly log?: ErrorLog | undefined
  /**
   * Replaces messages, those of successes too: an object of texts by key or by reason, with placeholders such as
   * `{max}`; dictionaries by language, such as `{ de, fr }` of `resourcery/messages/…`, of which `Accept-Language`
   * chooses one; or a function that chooses a text for a request. `docs/codes.md` lists the keys.
   *
   * @default the messages of this package
   */
  readonly messages?: MessageTexts | Dictionaries | MessageFunction | undefined
  /**
   * Returns true for other errors that may be sent to the client: their status and, of a 4xx, their message.
   *
   * @default those of this package, `http-errors`, Express, body parsers, zod and multer, and any with `expose: true`
   */
  readonly trust?: ((error: unknown) => boolean) | undefined
}

/**
 * Answers every error in the envelope, as the last middleware; if a reply has begun, it closes the connection.
 *
 * An error that is not meant for the client is a 500, whatever its `status`. The message of a 5xx is sent only if the
 * error has `expose: true`.
 *
 * @throws MisuseError for an unknown option, or one of another type.
 * @example
 * app.use(notFound(), errorHandler({ log: (error) => logger.error(error) }))
 */
export function errorHandler(options: ErrorHandlerOptions = {}): ErrorRequestHandler {
  checkCalled('app.use(errorHandler())', options)
  checkOptions(options)
  const { log, messages, trust } = options
  const translate = messages === undefined ? undefined : translatorOf(messages)
  const trusts = trust && ((error: unknown) => attempt(() => trust(error)) === true)
  const handler: ErrorRequestHandler = (error: unknown, req, res, _next) =>
    answerError(error, req, res, { log, translate, trusts })
  keepSettings(handler, { log, translate })
  return handler
}

interface Answering extends HandlerSettings {
  readonly trusts?: Trust | undefined
}

/** Answers an error in the envelope, or closes the connection where bytes have been sent. */
export function answerError(
  error: unknown,
  req: Request,
  res: Response,
  { log = logToConsole, translate, trusts }: Answering,
): void {
  const failure = toFailure(error, trusts)
  if (failure.status >= 500 || res.headersSent) attempt(() => log(error, req))
  if (res.headersSent) abandon(res)
  else answer(req, res, translate === undefined ? failure : { ...failure, ...translate(failure, req, error) }, log)
}

function checkOptions(options: ErrorHandlerOptions): void {
  checkOptionNames('errorHandler', options, ['log', 'messages', 'trust'])
  const { log, trust } = options
  if (log !== undefined) checkFunction('`log` of errorHandler', log)
  if (trust !== undefined) checkFunction('`trust` of errorHandler', trust)
}

function logToConsole(error: unknown, req: Request): void {
  // The query may contain secrets, which must not be logged.
  const [path] = targetOf(req).split('?', 1)
  console.error(`${req.method} ${path ?? ''}`, redactError(error))
}

/** Headers that describe the reply which the error replaces. */
// dprint-ignore
const ENTITY_HEADERS = new Set([
  'content-disposition', 'content-encoding', 'content-language', 'content-length', 'content-range',
  'transfer-encoding', 'trailer', 'etag', 'last-modified', 'cache-control', 'expires', 'accept-ranges',
])

function answer(
  req: Request,
  res: Response,
  failure: Failure & { readonly language?: string | undefined },
  log: ErrorLog,
): void {
  try {
    removeEntityHeaders(res)
    setHeaders(req, res, failure)
    setLanguage(res, failure.language)
    // The reason phrase of the handler belongs to its own reply, and may be what could not be sent.
    res.statusMessage = ''
    if (failure.status === 413) refuseRest(req, res)
    sendEnvelope(res, toEnvelope(textOf(failure.message), failure.fields, metaOf(req, failure), failure.status))
  } catch (fault) {
    // Such as an error of the application's own envelope, or of its `json replacer`.
    attempt(() => log(fault, req))
    answerPlainly(res)
  }
}

/** Removes the headers of the reply that has failed; `no-store` stays, which middleware sets for all replies. */
function removeEntityHeaders(res: Response): void {
  for (const name of res.getHeaderNames()) {
    if (ENTITY_HEADERS.has(name) && !(name === 'cache-control' && forbidsStoring(res))) res.removeHeader(name)
  }
}

function forbidsStoring(res: Response): boolean {
  return /(?:^|,)\s*no-store\s*(?:,|$)/i.test(String(res.getHeader('Cache-Control')))
}

/** Headers that describe the bytes of a body: those of an error are about another one. */
const BODY_HEADERS = new Set(['content-encoding', 'content-length', 'content-type', 'transfer-encoding'])

/** Sets the headers that Node.js can send: an invalid one does not prevent the reply. */
function setHeaders(req: Request, res: Response, { status, headers }: Failure): void {
  for (const [name, value] of Object.entries(headers)) {
    if (!BODY_HEADERS.has(name.toLowerCase())) attempt(() => res.setHeader(name, value))
  }
  if (status !== 401) return
  // Errors have `Bearer` unless they are given a challenge.
  const challenge = res.getHeader('WWW-Authenticate') ?? 'Bearer'
  res.setHeader('WWW-Authenticate', challenge === 'Bearer' ? challengeOfRoute(req) ?? challenge : challenge)
}

/** Closes the connection after the reply, without reading the rest of the body. */
function refuseRest(req: Request, res: Response): void {
  res.setHeader('Connection', 'close')
  closeSlowly(req, res)
}

function metaOf(req: Request, { reason }: Failure): Meta {
  const requestId = requestIdOf(req)
  return requestId === undefined ? { reason } : { reason, requestId }
}

const PLAIN = JSON.stringify(
  { code: INTERNAL.status, message: textOf(INTERNAL.message), data: null, meta: { reason: INTERNAL.reason } },
)

/** Answers without the settings of the app, such as a `json replacer` that throws. */
function answerPlainly(res: Response): void {
  try {
    res.setHeader('Content-Type', 'application/json; charset=utf-8')
    res.setHeader('Content-Length', Buffer.byteLength(PLAIN))
    res.statusCode = INTERNAL.status
    res.end(PLAIN)
  } catch {
    abandon(res)
  }
}

/** Closes the connection, so that an incomplete reply does not look complete. */
function abandon(res: Response): void {
  if (!res.writableEnded) res.destroy()
}
