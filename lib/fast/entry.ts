import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Application, IRouter, Request, Response } from 'express'
import { begin, beginsPlainly, goOnBehind } from '../express/entry.js'
import { isOriginal } from '../express/originals.js'
import { existingRouterOf, matchOf, takesDetours, type Layer, type Stacked } from '../express/stack.js'
import type { Entry } from '../seam.js'
import { UNDECIDED, type Hit } from './indexed-route.js'
import { groupAt, type IndexedGroup } from './route-group.js'
import { verbatimPath } from './verbatim-path.js'

/**
 * Lets requests enter an app: straight into the resource route that matches, if nothing in front of it does, told what Express would have
 * told it; through Express in every other case, and with every error.
 */
export function fastEntry(app: Application): Entry {
  let view: View | undefined
  let router: IRouter | undefined
  const findFirst = (method: string, path: string): Hit | undefined => {
    router ??= existingRouterOf(app)
    if (router === undefined || app.router !== router || !isEnteredPlainly(router)) return undefined
    const { stack } = router as unknown as Stacked
    if (view === undefined || !holds(view, stack)) view = viewOf(stack)
    return firstIn(view, method, path)
  }
  return (req: IncomingMessage, res: ServerResponse) => {
    const { method = '', url = '' } = req
    const path = beginsPlainly(app, req, res) ? verbatimPath(url) : undefined
    const hit = path === undefined ? undefined : findFirst(method, path)
    if (hit === undefined) app(req, res)
    else answer(app, hit, req as Request, res as Response)
  }
}

/** Checks that a router does no more on the way to a route than match it, by functions of Express's own. */
function isEnteredPlainly(router: IRouter): boolean {
  const { handle } = router as unknown as { readonly handle: unknown }
  if (handle !== originalHandle) {
    if (!isOriginal('router.handle', handle)) return false
    originalHandle = handle
  }
  return !takesDetours(router)
}

let originalHandle: unknown

/** The layers of a stack up to its last group; those of a group are its own to look after. */
interface View {
  readonly stack: readonly Layer[]
  readonly length: number
  readonly steps: readonly Step[]
}

interface Step {
  readonly at: number
  readonly layer: Layer
  readonly group: IndexedGroup | undefined
}

function viewOf(stack: readonly Layer[]): View {
  const steps: Step[] = []
  for (let at = 0, layer = stack[0]; layer !== undefined; layer = stack[++at]) {
    const group = groupAt(layer)
    steps.push({ at, layer, group })
    at += group?.size ?? 0
  }
  return { stack, length: stack.length, steps: steps.slice(0, steps.findLastIndex(({ group }) => group !== undefined) + 1) }
}

function holds({ stack, length, steps }: View, current: readonly Layer[]): boolean {
  if (stack !== current || stack.length !== length) return false
  for (const { at, layer } of steps) if (stack[at] !== layer) return false
  return true
}

/** The resource route that answers, if it is the first thing in the stack that matches; what is behind the last group is not looked at. */
function firstIn({ stack, steps }: View, method: string, path: string): Hit | undefined {
  for (const { at, layer, group } of steps) {
    if (group === undefined) {
      if (matchOf(layer, path) !== undefined) return undefined
      continue
    }
    const hit = group.find(method, path, stack, at)
    if (hit !== undefined) return hit === UNDECIDED ? undefined : hit
  }
  return undefined
}

function answer(app: Application, { layer, end, route, params, handler }: Hit, req: Request, res: Response): void {
  // An error passes routes by, so that those of the group need not be asked.
  const next = (error?: unknown): void => goOnBehind(app, error instanceof Error ? end : layer, error, req, res)
  begin(app, req, res, next)
  req.route = route
  req.params = params
  handler(req, res, next)
}
