import { Router, type Application, type NextFunction, type Request, type Response } from 'express'
import { checkOptionNames, HttpError, isApp, isJson, isList, MisuseError, readBody, rootOf, SERVING,
  show } from '../../core/index.js'
import { errorMessage, readMessage, resultMessage, RpcError, type RpcRequest } from './messages.js'
import { setCors } from './cors.js'
import { challengeOf, publishMetadata } from './protected-resource.js'
import { checkRevision, isStateless } from './revision.js'
import { answer, needsSignIn, type ServerSettings } from './server.js'
import { toolsOf } from './tools.js'

export interface McpOptions {
  /** The name of the server, for agents. */
  readonly name: string
  /** The version of the server. */
  readonly version: string
  /**
   * The origins of web pages that may send requests, e.g. `['https://agent.example.com']`. A request without an
   * `Origin` does not come from a page, and passes. @default none
   */
  readonly allowedOrigins?: readonly string[] | undefined
  /** The largest result of a tool in bytes; a larger one is an error that asks for less. @default 100_000 */
  readonly maxResultBytes?: number | undefined
  /** True if `tools/list` has the schemas of results. Without them the list is several times smaller. @default true */
  readonly outputSchemas?: boolean | undefined
  /**
   * The issuers of tokens for this server, for its metadata (RFC 9728), e.g. `['https://id.example.com']`.
   *
   * @default the `issuer` of each `auth` with `jwks` in front of a tool
   */
  readonly authorizationServers?: readonly string[] | undefined
}

/** The largest message in bytes. */
const MAX_MESSAGE = 1_000_000

/**
 * Returns a Model Context Protocol server (streamable HTTP, stateless, revisions 2026-07-28, 2025-11-25 and
 * 2025-06-18) for the routes that are marked `tool: true`. Mount it in front of any `auth`.
 *
 * A tool is called through the app, with the caller's `Authorization`, `Cookie` and address, so that it does what HTTP
 * does; `tools/list` shows the tools that the caller may use. Where no tool is public, a caller without valid
 * credentials gets 401, whose challenge names `/.well-known/oauth-protected-resource` of the app (RFC 9728).
 *
 * @throws MisuseError `mcp_app` for anything but an Express app, `mcp_option` for an invalid option,
 * `option_unknown`.
 * @throws MisuseError `mcp_tool_name` where two tools have the same name or one is longer than 64 characters, when the
 * app is served.
 * @example
 * app.use('/mcp', mcpRouter(app, { name: 'blog', version: '1.0.0' }))
 */
export function mcpRouter(app: Application, options: McpOptions): Router {
  if (!isApp(app)) {
    throw new MisuseError(
      'mcp_app',
      'mcpRouter() takes the Express app whose routes are tools: mcpRouter(app, { name, version }).',
    )
  }
  const settings = checkSettings(options)
  publishMetadata(app, { name: settings.name, ...checkServers(options) })
  // Tools that share a name are found when the app starts, not by the first agent.
  app.once(SERVING, () => toolsOf(rootOf(app)))
  const router = Router()
  router.all('/', (req, res, next) => {
    reply(req, res, settings, app).catch(next)
  })
  return router
}

/** Replies to one message; an error that is no refusal is passed on, so that the app logs it. */
async function reply(
  req: Request,
  res: Response,
  settings: EndpointSettings,
  app: Application,
): Promise<void> {
  let message: RpcRequest | undefined
  res.set('Cache-Control', 'no-store')
  try {
    checkOrigin(req, settings.origins)
    if (setCors(req, res)) {
      res.status(204).end()
      return
    }
    checkRequest(req)
    message = readMessage(await readJson(req, res))
    if (message === undefined) {
      checkRevision(req)
      res.status(202).end()
      return
    }
    const stateless = isStateless(req, message)
    const caller = { app, req, signal: signalOf(res) }
    if (await needsSignIn(caller)) {
      const headers = { 'WWW-Authenticate': challengeOf(app, req) }
      throw new RpcError('refused', 'Sign in: the token is missing or not valid', 401, { headers })
    }
    const result = await answer(caller, message, settings, stateless)
    res.json(resultMessage(message.id, result))
  } catch (error) {
    // The agent is gone.
    if (res.destroyed) return
    const refusal = toRpcError(error)
    res.status(refusal.status).set(refusal.headers).json(errorMessage(message?.id ?? null, refusal))
  }
}

function checkOrigin({ headers: { origin } }: Request, origins: readonly string[]): void {
  // A page whose name resolves to this machine is of the same host, but not of a known origin.
  if (origin !== undefined && !origins.includes(origin)) {
    throw new RpcError('refused', 'This origin is not allowed', 403)
  }
}

/** Checks the method and headers of a message, before its body is read. */
function checkRequest(req: Request): void {
  if (req.method !== 'POST') {
    throw new RpcError('refused', 'Send messages by POST: this server has no streams and no sessions', 405, {
      headers: { Allow: 'POST' },
    })
  }
  if (!req.accepts('application/json')) {
    throw new RpcError('refused', 'The reply is application/json, which the request does not accept', 406)
  }
  if (!isJson(req)) throw new RpcError('refused', 'The body must be application/json', 415)
}

const readMessageBody = readBody({ limit: MAX_MESSAGE })

function readJson(req: Request, res: Response): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const done = (error?: Error): void => {
      if (error === undefined) resolve(req.body)
      else reject(error)
    }
    void readMessageBody(req, res, done as NextFunction)
  })
}

/** @throws the error itself where it is a fault. */
function toRpcError(error: unknown): RpcError {
  if (error instanceof RpcError) return error
  if (!(error instanceof HttpError) || !error.expose) throw error
  return new RpcError(error.status === 400 ? 'parse' : 'refused', error.message, error.status, {
    headers: error.headers,
  })
}

function signalOf(res: Response): AbortSignal {
  const controller = new AbortController()
  res.once('close', () => controller.abort())
  return controller.signal
}

const OPTIONS = ['name', 'version', 'allowedOrigins', 'maxResultBytes', 'outputSchemas', 'authorizationServers']

/** The settings of the server, and the origins of the pages that may use it. */
interface EndpointSettings extends ServerSettings {
  readonly origins: readonly string[]
}

function checkSettings(options: McpOptions): EndpointSettings {
  checkOptionNames('mcpRouter()', options, OPTIONS, 'mcp_option')
  const { name, version, maxResultBytes = 100_000, outputSchemas = true } = options
  for (const [key, value] of [['name', name], ['version', version]] as const) {
    if (typeof value !== 'string' || value === '') throw invalid(`\`${key}\` must be a string that is not empty`)
  }
  if (!Number.isSafeInteger(maxResultBytes) || maxResultBytes < 1) {
    throw invalid('`maxResultBytes` must be a whole number from 1')
  }
  if (typeof outputSchemas !== 'boolean') throw invalid('`outputSchemas` must be true or false')
  return { name, version, maxResultBytes, outputSchemas, origins: originsOf(options.allowedOrigins) }
}

/** Returns the origins as a browser sends them (RFC 6454 §6.2). */
function originsOf(allowedOrigins: unknown = []): readonly string[] {
  if (!isList(allowedOrigins)) throw invalid(`\`allowedOrigins\` must be a list, not ${show(allowedOrigins)}`)
  const isOrigin = (origin: unknown): origin is string =>
    typeof origin === 'string' && /^[a-z][a-z0-9+.-]*:\/\/[^/\sA-Z]+$/.test(origin)
  if (allowedOrigins.every(isOrigin)) return [...allowedOrigins]
  throw invalid('`allowedOrigins` must hold origins such as https://agent.example.com, without a path, not '
    + show(allowedOrigins.find((origin) => !isOrigin(origin))))
}

function checkServers({ authorizationServers: given }: McpOptions): Pick<McpOptions, 'authorizationServers'> {
  if (given === undefined) return {}
  const isAddress = (url: unknown): url is string =>
    typeof url === 'string' && /^https?:/.test(url) && URL.canParse(url)
  if (isList(given) && given.length > 0 && given.every(isAddress)) return { authorizationServers: [...given] }
  throw invalid(`\`authorizationServers\` must be a list of URLs of issuers, not ${show(given)}`)
}

function invalid(why: string): MisuseError {
  return new MisuseError('mcp_option', `mcpRouter(): ${why}.`)
}
