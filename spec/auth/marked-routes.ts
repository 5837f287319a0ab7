import express, { type ErrorRequestHandler, type Express, type IRouter, type RequestHandler } from 'express'
import { SignJWT, type JWTPayload } from 'jose'
import type { HttpError } from 'resourcery'
import { checkAccess } from '../../lib/core/auth/access.js'
import type { ExpressRoute } from '../../lib/core/express/stack.js'
import { register, type MountedRoute } from '../../lib/core/routing/registry.js'
import { stateOf } from '../../lib/core/routing/request-state.js'
import type { AuthMarker } from '../../lib/core/base/types.js'

/*
 * Routes marked like those of the resource pipeline, to test the guards without resources.
 */

export const SECRET = 'a secret of more than thirty-two bytes, for tests'

export interface Marks {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE' | 'OPTIONS'
  /** `null` for a resource without an application. */
  readonly app?: string | null
  readonly auth?: AuthMarker
  readonly can?: boolean
  readonly guards?: readonly RequestHandler[]
}

/** Mounts a route that replies with `req.auth`; its permission id is `{app}.{name}`. */
export function mark(router: IRouter, path: string, name: string, marks: Marks = {}): void {
  const entry = entryOf(path, name, marks)
  const enter: RequestHandler = (req, _res, next) => {
    stateOf(req).route = entry
    next()
  }
  const reached: RequestHandler = async (req, res) => {
    await checkAccess(entry, req)
    whoami(req, res, () => {})
  }
  const route = router.route(path)
  route[entry.method.toLowerCase() as 'get'](enter, ...(marks.guards ?? []), reached)
  register(route as unknown as ExpressRoute, entry)
}

export function entryOf(path: string, name: string, marks: Marks = {}): MountedRoute {
  const { method = 'GET', app = 'admin', auth = true, can = auth !== false } = marks
  const id = app === null ? name : `${app}.${name}`
  return {
    method,
    path,
    name: id,
    resource: name,
    action: name,
    app: app ?? undefined,
    auth,
    can,
    permission: app !== null && can ? id : undefined,
    permissions: app !== null && can ? [id] : [],
    guardedBy: app !== null && auth !== false ? [app] : [],
    ownGuards: [],
    ownMiddleware: [],
    summary: '',
    description: undefined,
    tags: [],
    doc: undefined,
    meta: {},
    status: 200,
    input: undefined,
    query: undefined,
    output: undefined,
    files: undefined,
    produces: undefined,
    requestHeaders: {},
    responseHeaders: {},
    statuses: [],
    readsBody: false,
    deprecated: false,
    resourceLabel: name,
    actionLabel: name,
    message: 'ok',
    ownPath: '',
    singular: undefined,
    examples: {},
    tool: undefined,
    reading: undefined,
    startCheck: undefined,
    summed: [],
    locatedBy: false,
  }
}

/** An undeclared handler that replies with the caller. */
export const whoami: RequestHandler = (req, res) => {
  res.json({ reached: true, auth: req.auth ?? null })
}

/** Adds a 404 and an error handler that replies with the error; `logged` collects the errors. */
export function finished(app: Express): Express & { logged: HttpError[] } {
  const logged: HttpError[] = []
  const report: ErrorRequestHandler = (error: HttpError, _req, res, _next) => {
    logged.push(error)
    const { status = 500 } = error as Partial<HttpError>
    res.status(status).set({ ...error.headers }).json({
      message: error.expose ? error.message : '',
      reason: error.reason,
    })
  }
  app.use((_req, res) => void res.status(404).json({ reason: 'not_found' }))
  app.use(report)
  return Object.assign(app, { logged })
}

/** Creates an app, mounts routes by `build`, and adds the error handlers. */
export function appOf(build: (app: Express) => void): ReturnType<typeof finished> {
  const app = express()
  build(app)
  return finished(app)
}

export const seconds = (): number => Math.floor(Date.now() / 1000)

/** Signs a token; a claim that is `undefined` is omitted. */
export function signed(
  claims: Record<string, unknown> = {},
  secret = SECRET,
  header: Record<string, unknown> = {},
): Promise<string> {
  const payload: JWTPayload = {
    id: 7,
    sub: '7',
    aud: 'admin',
    iat: seconds(),
    exp: seconds() + 60,
    permissions: ['*'],
    ...claims,
  }
  const given = Object.fromEntries(Object.entries(payload).filter(([, value]) => value !== undefined))
  return new SignJWT(given).setProtectedHeader({ alg: 'HS256', ...header }).sign(new TextEncoder().encode(secret))
}
