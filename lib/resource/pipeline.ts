import type { NextFunction, Request, RequestHandler, Response } from 'express'
import { ForbiddenError } from '../errors.js'
import { mediate } from '../mediation.js'
import type { MountedRoute } from '../routing/registry.js'
import { stateOf } from '../routing/request-state.js'
import { chain, isThenable } from '../thenable.js'
import type { ArgsReader } from './args.js'
import type { LooseHandler } from './declaration.js'

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

type Step = (req: Request, res: Response, next: NextFunction) => unknown

/** How a request walks through a route: the order stands here and nowhere else. */
export function pipeline({ route, guards, use, read, args, handler, respond }: PipelinePlan): RequestHandler {
  return inOrder([
    enter(route),
    ...guards, //                              who are you, and what may you do
    mediation(route), //                       the route's own markers, whoever stands in front
    ...use,
    ...(read === undefined ? [] : [read]), //  only now is a byte of the body looked at
    answer(args, handler, respond), //         arguments, handler, reply
  ])
}

function enter(route: MountedRoute): Step {
  return (req, _res, next) => {
    stateOf(req).route = route
    next()
  }
}

function mediation(route: MountedRoute): Step {
  return (req, _res, next) => chain(mediate(route, req), () => next())
}

function answer(args: ArgsReader, handler: LooseHandler, respond: PipelinePlan['respond']): Step {
  // The declaration has tied the handler's arguments to its schemas; here they are only passed on.
  return (req, res) => chain(args(req), (read) => chain(handler(req, res, read as never), (value) => respond(res, value)))
}

function inOrder(steps: readonly Step[]): RequestHandler {
  return (req, res, next) => {
    const fail = (error: unknown): void => next(toError(error))
    const run = (index: number): void => {
      const step = steps[index]
      if (step === undefined) return
      // A step's `next` works once: called again, it would let the request past a step that is still deciding.
      let left = false
      const advance = (error?: unknown): void => {
        if (left) return
        left = true
        if (error === undefined || error === null) run(index + 1)
        else fail(error)
      }
      try {
        const result = step(req, res, advance)
        if (isThenable(result)) result.then(undefined, fail)
      } catch (error) {
        fail(error)
      }
    }
    run(0)
  }
}

/** Express takes nothing, `'route'` and `'router'` for permission to go on past the guards. */
function toError(thrown: unknown): unknown {
  if (thrown === 'route' || thrown === 'router') return new ForbiddenError()
  if (!thrown) return new Error(`Something threw ${String(thrown)}`)
  return thrown
}
