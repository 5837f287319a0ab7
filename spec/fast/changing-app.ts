import type { RequestListener } from 'node:http'
import express, { Router, type Express, type IRouter, type NextFunction, type Request, type Response } from 'express'
import { expect } from 'vitest'
import { stackOf, type Layer } from '../../lib/core/express/stack.js'
import { mountRoutes } from 'resourcery'
import { fromHandler } from 'resourcery'
import { directly } from '../support/directly.js'
import { closed, standing, type Client } from '../support/http.js'

/*
 * Applications whose stacks change while a request is on its way: each is built twice, on Express alone and with
 * resource routes under the fast path, and both must send the same replies.
 */

/** Declares `GET path` on a router, as a route of Express's or as a resource route. */
type Declare = (on: IRouter, path: string, answer: (req: Request, res: Response) => void) => void

const byExpress: Declare = (on, path, answer) => void on.get(path, answer)
let declared = 0
const byUs: Declare = (on, path, answer) => {
  declared++
  mountRoutes(on, {
    route: path,
    name: `r${declared}`,
    auth: false,
    routes: { get: { methods: 'GET', route: '', handler: fromHandler(answer) } },
  })
}

interface Tree {
  readonly app: Express
  readonly outer: IRouter
  readonly inner: IRouter
}

export const PLACES = ['app', 'outer', 'inner'] as const
type Place = (typeof PLACES)[number]

/** A change of one stack, by a middleware of one of the Routers. */
export interface Change {
  readonly by: Place
  readonly place: Place
  readonly edit: string
}

/** Returns layers as Express makes them, from a Router that is not mounted. */
function layersOf(add: (router: IRouter) => void): Layer[] {
  const router = Router()
  add(router)
  return [...stackOf(router)]
}

const refuse = (_req: Request, res: Response): void => void res.status(401).json('refused')
const note = (text: string) => (_req: Request, res: Response, next: NextFunction): void => {
  res.append('X-Seen', text)
  next()
}
const failing = (_req: Request, _res: Response, next: NextFunction): void => next(new Error('failed'))
const recover = (error: Error, _req: Request, res: Response, _next: NextFunction): void =>
  void res.status(500).json(error.message)

const guard = (): Layer[] => layersOf((router) => router.use(refuse))
const passing = (): Layer[] => layersOf((router) => router.use(note('passing')))

/** Returns the position of the layer of a route, or of the named middleware. */
function placeOf(stack: readonly Layer[], name: string): number {
  return stack.findIndex(({ name: own, route }) => (route === undefined ? own : route.path) === name)
}

type Edit = (stack: Layer[], routeAt: number, router: IRouter) => void

export const EDITS: Readonly<Record<string, Edit>> = {
  'a guard spliced in front of the route': (stack, at) => void stack.splice(at, 0, ...guard()),
  'a guard spliced in at the front': (stack) => void stack.splice(0, 0, ...guard()),
  'middleware spliced in at the front': (stack) => void stack.splice(0, 0, ...passing()),
  'middleware spliced in front of the route': (stack, at) => void stack.splice(at, 0, ...passing()),
  'a failing middleware in front of the route, an error handler behind it': (stack, at) => {
    stack.splice(at + 1, 0, ...layersOf((router) => router.use(recover)))
    stack.splice(at, 0, ...layersOf((router) => router.use(failing)))
  },
  'the route removed': (stack, at) => void stack.splice(at, 1),
  'everything removed': (stack) => void stack.splice(0),
  'everything behind the front removed': (stack) => void stack.splice(1),
  'the route replaced': (stack, at) => {
    stack.splice(at, 1, ...layersOf((router) => router.get('/x/:id', (_req, res) => void res.json('replaced'))))
  },
  'another layer replaced': (stack) => {
    const at = placeOf(stack, 'before')
    stack.splice(at, 1, ...guard())
  },
  'a route appended': (_stack, _at, router) => {
    router.get('/late', (_req, res) => void res.json('late'))
  },
  'middleware appended that answers': (_stack, _at, router) => {
    router.use('/late', (_req, res) => void res.json('late'))
  },
  'the stack replaced by one with a guard': (stack, _at, router) => {
    Object.assign(router, { stack: [...guard(), ...stack] })
  },
  'the layers in reverse': (stack) => void stack.reverse(),
  'the route moved to the end': (stack, at) => void stack.push(...stack.splice(at, 1)),
  'the handle of the layer replaced': (stack, at) => {
    Object.assign(stack[at] ?? {}, { handle: (_req: Request, res: Response) => void res.json('another handle') })
  },
  'a handler appended to the route': (stack, at) => {
    const route = stack[at]?.route as unknown as { get(handler: unknown): void } | undefined
    route?.get(recover)
  },
  'a guard spliced into the route': (stack, at) => {
    const handlers = stack[at]?.route?.stack as unknown as Layer[] | undefined
    handlers?.splice(0, 0, ...guard())
  },
  'the handler of the route replaced': (stack, at) => {
    const handlers = stack[at]?.route?.stack as unknown as Layer[] | undefined
    handlers?.splice(0, 1, ...guard())
  },
  'the handler of the route removed': (stack, at) => {
    const handlers = stack[at]?.route?.stack as unknown as Layer[] | undefined
    handlers?.splice(0, 1)
  },
}

function apply({ place, edit }: Change, tree: Tree): void {
  const stack = stackOf(tree[place]) as Layer[]
  EDITS[edit]?.(stack, placeOf(stack, '/x/:id'), place === 'app' ? tree.app.router : tree[place])
}

function build(declare: Declare, pending: Change[], waits: boolean): Express {
  const [app, outer, inner] = [express().set('env', 'test'), Router(), Router()]
  const tree = { app, outer, inner }
  const changing = (by: Place) => (_req: Request, _res: Response, next: NextFunction): void => {
    const proceed = (): void => {
      for (const change of pending.splice(0)) {
        if (change.by === by) apply(change, tree)
        else pending.push(change)
      }
      next()
    }
    if (waits) setImmediate(proceed)
    else proceed()
  }
  const fill = (on: IRouter, place: Place, nested?: IRouter): void => {
    on.use(note(place))
    on.use(changing(place))
    on.use(function before(_req: Request, _res: Response, next: NextFunction) {
      next()
    })
    declare(on, '/a', (_req, res) => void res.json(`${place} a`))
    declare(on, '/x/:id', (req, res) => {
      if (req.params.id === 'boom') throw new Error('boom')
      res.json({ place, params: req.params, baseUrl: req.baseUrl, url: req.url })
    })
    on.get('/y', (_req, res) => void res.json(`${place} y`))
    if (nested !== undefined) on.use(`/${place}`, nested)
  }
  fill(inner, 'inner')
  fill(outer, 'outer', inner)
  fill(app, 'app', outer)
  app.use((error: Error, _req: Request, res: Response, _next: NextFunction) => {
    res.status(500).json([error.message])
  })
  return app
}

const PATHS = ['/x/1', '/app/outer/x/1', '/app/late', '/app/outer/late', '/app/outer/x/boom']

async function replyTo(client: Client, path: string): Promise<unknown[]> {
  const { status, text, headers } = await client.get(path)
  return [status, text.replace(/at .*/s, ''), headers.get('x-seen')]
}

/** Sends requests to the application on Express alone and under the fast path, and compares the replies. */
export async function compareReplies(changes: readonly Change[], waits: boolean): Promise<void> {
  let listener: RequestListener = () => undefined
  const client = await standing((req, res) => listener(req, res))
  for (const path of PATHS) {
    const replies: unknown[][] = []
    for (const declare of [byExpress, byUs]) {
      const pending: Change[] = []
      const app = build(declare, pending, waits)
      listener = declare === byUs ? directly(app) : app
      // The first request finds the stacks as they were, the last one as they became.
      const before = await replyTo(client, path)
      pending.push(...changes)
      replies.push([before, await replyTo(client, path), await replyTo(client, path)])
    }
    expect([path, replies[1]]).toEqual([path, replies[0]])
  }
  await closed(client.server)
}
