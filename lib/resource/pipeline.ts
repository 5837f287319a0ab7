import type { NextFunction, Request, RequestHandler, Response } from 'express'
import { ForbiddenError } from '../errors.js'
import { mediate } from '../mediation.js'
import type { MountedRoute } from '../routing/registry.js'
import { stateOf } from '../routing/request-state.js'
import { isThenable } from '../thenable.js'
import type { ArgsReader } from './args.js'
import type { LooseHandler } from './declaration.js'
import { faultFinder } from './listing.js'
import { Refused } from './parse.js'

export interface PipelinePlan {
  readonly route: MountedRoute
  readonly guards: readonly RequestHandler[]
  readonly use: readonly RequestHandler[]
  /** Reads the body; absent where there is none to read. */
  readonly read: RequestHandler | undefined
  readonly args: ArgsReader
  readonly handler: LooseHandler
  readonly respond: (res: Response, value: unknown) => void | PromiseLike<void>
}

/** A step of ours: it is done when it returns, or when what it returns is there; what it refuses ends the walk. */
type OwnStep = (req: Request, res: Response) => unknown
/** A step that says by `next` when it is done. */
interface Middleware {
  readonly middleware: RequestHandler
}
type Step = OwnStep | Middleware

/** How a request walks through a route: the order stands here and nowhere else. */
export function pipeline({ route, guards, use, read, args, handler, respond }: PipelinePlan): RequestHandler {
  const steps: readonly Step[] = [
    enter(route),
    ...guards.map(asStep), //                          who are you, and what may you do
    mediation(route), //                               the route's own markers, whoever stands in front
    ...use.map(asStep),
    ...(read === undefined ? [] : [asStep(read)]), //  only now is a byte of the body looked at
    answer(args, handler, respond), //                 arguments, handler, reply
  ]
  return (req, res, next) => walk(steps, 0, req, res, next)
}

function asStep(middleware: RequestHandler): Middleware {
  return { middleware }
}

function enter(route: MountedRoute): OwnStep {
  return (req) => {
    stateOf(req).route = route
  }
}

function mediation(route: MountedRoute): OwnStep {
  const faultOf = faultFinder(route)
  return (req) => {
    const fault = faultOf(req)
    if (fault !== undefined) throw fault
    return mediate(route, req)
  }
}

function answer(args: ArgsReader, handler: LooseHandler, respond: PipelinePlan['respond']): OwnStep {
  const handle = (req: Request, res: Response, read: object): unknown => {
    // The declaration has tied the handler's arguments to its schemas; here they are only passed on.
    const value: unknown = handler(req, res, read as never)
    return isThenable(value) ? value.then((settled) => respond(res, settled)) : respond(res, value)
  }
  return (req, res) => {
    const read = args(req)
    if (read instanceof Refused) return read
    return isThenable(read) ? read.then((settled) => handle(req, res, settled)) : handle(req, res, read)
  }
}

/** Takes the steps from one on: as long as none of them has to be waited for, nothing is made for it. */
function walk(steps: readonly Step[], from: number, req: Request, res: Response, next: NextFunction): void {
  try {
    for (let index = from, step = steps[from]; step !== undefined; step = steps[++index]) {
      const following = index + 1
      if (typeof step !== 'function') {
        pass(step.middleware, req, res, next, () => walk(steps, following, req, res, next))
        return
      }
      const pending = step(req, res)
      if (pending instanceof Refused) {
        next(toError(pending.error))
        return
      }
      if (isThenable(pending)) {
        pending.then(() => walk(steps, following, req, res, next), (error: unknown) => next(toError(error)))
        return
      }
    }
  } catch (error) {
    next(toError(error))
  }
}

/** Lets middleware decide whether the request goes on. */
function pass(middleware: RequestHandler, req: Request, res: Response, next: NextFunction, goOn: () => void): void {
  // A step's `next` works once: called again, it would let the request past a step that is still deciding.
  let left = false
  const advance = (error?: unknown): void => {
    if (left) return
    left = true
    if (error === undefined || error === null) goOn()
    else next(toError(error))
  }
  const pending: unknown = middleware(req, res, advance)
  if (isThenable(pending)) pending.then(undefined, (error: unknown) => next(toError(error)))
}

/** Express takes nothing, `'route'` and `'router'` for permission to go on past the guards. */
function toError(thrown: unknown): unknown {
  if (thrown === 'route' || thrown === 'router') return new ForbiddenError()
  if (!thrown) return new Error(`Something threw ${String(thrown)}`)
  return thrown
}
