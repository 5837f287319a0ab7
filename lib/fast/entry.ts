import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Application, IRouter, Request, Response } from 'express'
import { begin, canEnter, continueBehind } from '../express/entry.js'
import { matchOf, takesDetours } from '../express/layers.js'
import { hasOriginalHandle } from '../express/originals.js'
import { existingRouterOf, layersOf, type Layer } from '../express/stack.js'
import type { Entry } from '../implementation.js'
import { UNDECIDED, type Hit } from './indexed-route.js'
import { groupAt, type IndexedGroup } from './route-group.js'

/**
 * Returns a function that passes requests to an app: directly to the resource route that matches, if nothing in front
 * of it does, and with the properties that Express sets; through Express in every other case, and with every error.
 */
export function fastEntry(app: Application): Entry {
  let view: View | undefined
  let router: IRouter | undefined
  const findFirst = (method: string, path: string): Hit | undefined => {
    router ??= existingRouterOf(app)
    if (router === undefined || app.router !== router || !isOriginalRouter(router)) return undefined
    const stack = layersOf(router)
    if (view === undefined || !isCurrent(view, stack)) view = viewOf(stack)
    return firstIn(view, method, path)
  }
  return (req: IncomingMessage, res: ServerResponse) => {
    const { method = '', url = '' } = req
    const path = canEnter(app, req, res) ? verbatimPath(url) : undefined
    const hit = path === undefined ? undefined : findFirst(method, path)
    if (hit === undefined) app(req, res)
    else answer(app, hit, req as Request, res as Response)
  }
}

const HASH = 0x23
const PERCENT = 0x25

/**
 * Returns the path of a request target of visible ASCII without a fragment and without encoded characters in its path;
 * `undefined` for any other target, which Express reads.
 *
 * It runs for every request, so it uses no regular expression: one with captures takes several times as long.
 */
export function verbatimPath(target: string): string | undefined {
  if (!target.startsWith('/')) return undefined
  const mark = target.indexOf('?')
  const end = mark === -1 ? target.length : mark
  for (let at = 0; at < target.length; at++) {
    const code = target.charCodeAt(at)
    if (code <= 0x20 || code >= 0x7F || code === HASH || (code === PERCENT && at < end)) return undefined
  }
  return mark === -1 ? target : target.slice(0, end)
}

/** Returns true if a router does no more than match a route, by functions of Express's own. */
function isOriginalRouter(router: IRouter): boolean {
  return hasOriginalHandle(router) && !takesDetours(router)
}

/** The layers of a stack up to its last group, where a group counts as one step. */
interface View {
  readonly layers: readonly Layer[]
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
  return {
    layers: stack, length: stack.length,
    steps: steps.slice(0, steps.findLastIndex(({ group }) => group !== undefined) + 1),
  }
}

function isCurrent({ layers, length, steps }: View, current: readonly Layer[]): boolean {
  if (layers !== current || layers.length !== length) return false
  for (const { at, layer } of steps) if (layers[at] !== layer) return false
  return true
}

/**
 * Returns the resource route that answers, if it is the first match in the stack; layers behind the last group are not
 * compared.
 */
function firstIn({ layers, steps }: View, method: string, path: string): Hit | undefined {
  for (const { at, layer, group } of steps) {
    if (group === undefined) {
      if (matchOf(layer, path) !== undefined) return undefined
      continue
    }
    const hit = group.find(method, path, layers, at)
    if (hit !== undefined) return hit === UNDECIDED ? undefined : hit
  }
  return undefined
}

function answer(app: Application, { layer, end, route, params, handler }: Hit, req: Request, res: Response): void {
  // Routes do not handle errors, so an error skips those of the group.
  const next = (error?: unknown): void => continueBehind(app, error instanceof Error ? end : layer, error, req, res)
  begin(app, req, res, next)
  req.route = route
  req.params = params
  handler(req, res, next)
}
