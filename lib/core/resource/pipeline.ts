import type { NextFunction, Request, RequestHandler, Response } from 'express'
import { checkAccess } from '../auth/access.js'
import { ForbiddenError, NotFoundError, type MisuseError } from '../base/errors.js'
import { chain, isThenable } from '../base/promises.js'
import { registrations, type MountedRoute } from '../routing/registry.js'
import { stateOf, type InnerRequest } from '../routing/request-state.js'
import { Refused } from '../validate/parse.js'
import type { ArgumentsReader } from './arguments.js'
import type { LooseHandler } from './loose-declaration.js'
import { faultOf } from './listing.js'
import type { Responder } from './respond.js'
import { checkAtFirstRequest } from './start-checks.js'

export interface PipelinePlan {
  readonly route: MountedRoute
  readonly guards: readonly RequestHandler[]
  readonly use: readonly RequestHandler[]
  /** Reads the body; `undefined` if none is read. */
  readonly readBody: RequestHandler | undefined
  readonly readArguments: ArgumentsReader
  readonly handler: LooseHandler
  readonly respond: Responder
}

/** A step that is done when it returns, or when its promise resolves; a `Refused` ends the pipeline. */
type OwnStep = (req: Request, res: Response) => unknown
/** A step that is done when it calls `next`. */
interface Middleware {
  readonly middleware: RequestHandler
}
type Step = OwnStep | Middleware

/** Returns the handler of a route: all steps of a request, in their order. */
export function pipeline(plan: PipelinePlan): RequestHandler {
  const { route, guards, use, readBody } = plan
  const steps: readonly Step[] = [
    ...guards.map(asStep), //                                 401, 403: authentication and permission
    accessStep(route), //                                     401, 403, 500: whatever guards ran before
    ...use.map(asStep),
    ...(readBody === undefined ? [] : [asStep(readBody)]), // 400, 413, 415: the body is read here and not before
    answerStep(plan), //                                      422 for the arguments, then the handler and its reply
  ]
  const run = runnerOf(steps)
  return (req, res, next) => {
    stateOf(req).route = route
    run(0, req, res, next)
  }
}

function asStep(middleware: RequestHandler): Middleware {
  return { middleware }
}

/**
 * Returns the step that checks access to a route by its own markers. It checks the declaration of the route first, and
 * again when more routes were mounted. An inner request ends here if it is for another route, or asks only for access.
 */
function accessStep(route: MountedRoute): OwnStep {
  let checkedApp: unknown
  let checkedAt = -1
  let fault: MisuseError | undefined
  return (req, res) => {
    if (checkedAt !== registrations || checkedApp !== req.app) {
      checkAtFirstRequest(req.app)
      fault = faultOf(route, req.app)
      checkedApp = req.app
      checkedAt = registrations
    }
    if (fault !== undefined) throw fault
    const { inner } = stateOf(req)
    if (inner !== undefined && inner.route !== route) throw new NotFoundError()
    if (inner?.accessOnly !== true) return checkAccess(route, req)
    return chain(checkAccess(route, req), () => collectGranted(req, inner).then(() => endWithAccess(res)))
  }
}

/** Collects the other routes to which the caller of an inner request has access. */
async function collectGranted(req: Request, { others }: InnerRequest): Promise<void> {
  const state = stateOf(req)
  for (const route of others?.asked ?? []) {
    // A function of the application may read the route by `routeOf`.
    state.route = route
    try {
      await checkAccess(route, req)
      if (faultOf(route, req.app) === undefined) others?.granted.add(route)
    } catch {
      // A refusal, or a fault: the route is not granted.
    }
  }
}

/** Replies that the caller has access; the promise never resolves, so that no further step runs. */
function endWithAccess(res: Response): Promise<never> {
  res.status(204).end()
  return new Promise(() => undefined)
}

function answerStep({ readArguments, handler, respond }: PipelinePlan): OwnStep {
  const handle = (req: Request, res: Response, args: object): unknown => {
    // The types of the declaration match the handler's arguments to its schemas.
    const value: unknown = handler(req, res, args as never)
    return isThenable(value) ? toPromise(value).then((settled) => respond(res, settled)) : respond(res, value)
  }
  return (req, res) => {
    const args = readArguments(req)
    if (args instanceof Refused) return args
    return isThenable(args) ? args.then((settled) => handle(req, res, settled)) : handle(req, res, args)
  }
}

/** Converts a thenable, whose `then` may return nothing, so that no error is lost. */
function toPromise<T>(value: PromiseLike<T>): PromiseLike<T> {
  return value instanceof Promise ? value : Promise.resolve(value)
}

type Runner = (from: number, req: Request, res: Response, next: NextFunction) => void

/** Returns a function that runs the steps from an index on. While steps are synchronous no promise is created. */
function runnerOf(steps: readonly Step[]): Runner {
  const run: Runner = (from, req, res, next) => {
    try {
      for (let index = from, step = steps[from]; step !== undefined; step = steps[++index]) {
        const following = index + 1
        if (typeof step !== 'function') {
          runMiddleware(step.middleware, req, res, (error) => {
            if (error === undefined || error === null) run(following, req, res, next)
            else next(toError(error))
          })
          return
        }
        const pending = step(req, res)
        if (pending instanceof Refused) {
          next(toError(pending.error))
          return
        }
        if (isThenable(pending)) {
          pending.then(() => run(following, req, res, next), (error: unknown) => next(toError(error)))
          return
        }
      }
    } catch (error) {
      next(toError(error))
    }
  }
  return run
}

/** Runs a middleware, and calls `done` with what it gives to `next`. */
function runMiddleware(middleware: RequestHandler, req: Request, res: Response, done: (error: unknown) => void): void {
  // `next` works once: a second call would let the request skip a step that is still running.
  let called = false
  const advance = (error?: unknown): void => {
    if (called) return
    called = true
    done(error)
  }
  const pending: unknown = middleware(req, res, advance)
  if (isThenable(pending)) pending.then(undefined, (error: unknown) => done(toError(error)))
}

/** Replaces falsy values, `'route'` and `'router'`, which would make Express continue after the guards. */
function toError(thrown: unknown): unknown {
  if (thrown === 'route' || thrown === 'router') return new ForbiddenError()
  if (!thrown) return new Error(`The value ${String(thrown)} was thrown instead of an error`)
  return thrown
}
