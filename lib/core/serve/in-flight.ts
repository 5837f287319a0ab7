import { AsyncResource } from 'node:async_hooks'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Application } from 'express'
import { attempt } from '../base/promises.js'
import { handles, matchOf, restOf, stackInside } from '../express/layers.js'
import { stackOf, type Layer } from '../express/stack.js'
import { middlewareIn } from '../routing/guards.js'
import { isReady } from './ready.js'

export interface InFlightOptions {
  /** The most requests that are served at once. */
  readonly maxInFlight: number
  /** The most requests that wait for one of them to end. */
  readonly queue: number
  /** Paths that are served whatever the number. */
  readonly exempt: readonly string[]
}

/** Runs `start` now or when a place is free; or `refuse` at once if there is none and the queue is full. */
export type Limit = (req: IncomingMessage, res: ServerResponse, start: () => void, refuse: () => void) => void

/**
 * Bounds the requests in flight. A request has its place until its response is closed: it is written to the socket, or
 * the client is gone.
 */
export function limitInFlight(app: Application, { maxInFlight, queue, exempt }: InFlightOptions): Limit {
  const isExempt = exemption(app, exempt)
  const places = new Places()
  /** The requests that wait, in their order. */
  const waiting = new Set<() => void>()
  let running = 0

  function release(): void {
    running--
    const [next] = waiting
    next?.()
  }

  return (req, res, start, refuse) => {
    if (isExempt(req)) start()
    else if (running < maxInFlight) {
      running++
      places.take(res, release)
      start()
    } else if (waiting.size >= queue) refuse()
    else {
      // It begins when another request ends, whose asynchronous context is not its own. `AsyncResource.bind` does the
      // same in 60 µs more.
      const context = new AsyncResource('QueuedRequest')
      const begin = (): void => {
        waiting.delete(begin)
        running++
        places.take(res, release)
        context.runInAsyncScope(start)
      }
      waiting.add(begin)
      places.take(res, () => waiting.delete(begin))
    }
  }
}

/** The responses with a place, by connection: of several that are pipelined Node.js closes only the first. */
class Places {
  readonly #taken = new Map<Socket, Map<ServerResponse, () => void>>()

  /** Calls `leave` once when a response is closed, in place of the function of an earlier call. */
  take(res: ServerResponse, leave: () => void): void {
    const { socket } = res.req
    const existing = this.#taken.get(socket)
    const own = existing ?? new Map<ServerResponse, () => void>()
    if (existing === undefined) {
      this.#taken.set(socket, own)
      socket.once('close', () => {
        this.#taken.delete(socket)
        // Those that wait first, since a place that is free would be theirs.
        for (const key of [...own.keys()].reverse()) leaveBy(own, key)
      })
    }
    if (!own.has(res)) res.once('close', () => leaveBy(own, res))
    own.set(res, leave)
  }
}

function leaveBy(own: Map<ServerResponse, () => void>, res: ServerResponse): void {
  const leave = own.get(res)
  own.delete(res)
  leave?.()
}

/** Returns a function that finds the requests for exempt paths, and for handlers of `ready()`. */
function exemption(app: Application, exempt: readonly string[]): (req: IncomingMessage) => boolean {
  const paths = new Set(exempt.map(normalize))
  let ways: readonly Way[] | undefined
  return ({ url = '', method = '' }) => {
    // Routes are mounted before an app is served, but Express creates its router with the first of them.
    ways ??= waysToReady(stackOf(app))
    if (paths.size === 0 && ways.length === 0) return false
    const [path = ''] = url.split('?', 1)
    return paths.has(normalize(path)) || leadsToReady(ways, path, method)
  }
}

/** Returns a path as Express compares it: whatever its letter case, and with or without a slash at its end. */
function normalize(path: string): string {
  return path.toLowerCase().replace(/\/$/, '')
}

/** A layer that is a handler of `ready()`, or has some inside it. */
interface Way {
  readonly layer: Layer
  readonly inside: readonly Way[] | undefined
}

function waysToReady(stack: readonly Layer[], outer: readonly (readonly Layer[])[] = []): Way[] {
  // A router may be mounted below itself.
  if (outer.includes(stack)) return []
  return stack.flatMap((layer): Way[] => {
    const handlers = layer.route?.stack ?? [layer]
    if (handlers.some((handler) => isReady(middlewareIn(handler)))) return [{ layer, inside: undefined }]
    const inside = waysToReady(stackInside(layer) ?? [], [...outer, stack])
    return inside.length === 0 ? [] : [{ layer, inside }]
  })
}

function leadsToReady(ways: readonly Way[], path: string, method: string): boolean {
  return ways.some(({ layer, inside }) => {
    // A malformed `%` matches nothing.
    const match = attempt(() => matchOf(layer, path))?.path
    if (match === undefined) return false
    if (layer.route !== undefined) return handles(layer.route, method)
    const rest = restOf(path, match)
    return rest !== undefined && (inside === undefined || leadsToReady(inside, rest, method))
  })
}
