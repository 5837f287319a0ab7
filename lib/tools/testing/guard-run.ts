import { Duplex } from 'node:stream'
import type { Application, Express, Request, Response } from 'express'
import { IncomingMessage, markInner, propertyOf, ServerResponse, signIn, stateOf, within,
  type SignedIn } from '../../core/index.js'
import type { Step, Way } from './guard-steps.js'

/** The access of one caller: `public` if no guard asks who calls, otherwise `pass` or the status of the refusal. */
export type Access = 'pass' | 'public' | number

/** A request that no server has received. */
interface GuardRun {
  readonly app: Application
  readonly method: string
  readonly path: string
  readonly way: Way
}

/** Runs the guards on a way for one caller, `undefined` for one without credentials, and returns their decision. */
export async function runGuards(run: GuardRun, caller: SignedIn | undefined): Promise<Access> {
  const { guards, route } = run.way
  const { req, res } = requestOf(run)
  if (caller !== undefined) signIn(req, caller)
  if (route !== undefined) markInner(req, { route: route.entry, accessOnly: true })
  const inFront = await statusAfter(guards, req, res)
  if (inFront !== CONTINUES) return inFront
  const status = await statusAfter(route?.steps ?? [], req, res)
  if (status !== CONTINUES && status !== ADMITTED) return status
  return stateOf(req).guards.size === 0 ? 'public' : 'pass'
}

/** Runs steps until one of them replies. */
async function statusAfter(steps: readonly Step[], req: Request, res: Response): Promise<number> {
  for (const step of steps) {
    const status = await outcomeOf(step, req, res)
    if (status !== CONTINUES) return status
  }
  return CONTINUES
}

const CONTINUES = 0

/** The status of a declared route, before anything of it runs, for a caller who has access. */
const ADMITTED = 204

/** Seconds for one guard; `allows` and `verify` have shorter limits of their own. */
const SECONDS = 60

/** Runs one step. Returns the status of the reply that it sends or causes, `CONTINUES` if it calls `next()`. */
async function outcomeOf({ run, baseUrl, url, params }: Step, req: Request, res: Response): Promise<number> {
  Object.assign(req, { baseUrl, url, params })
  const decided = new Promise<number>((resolve) => {
    const refuse = (error: unknown): void => resolve(statusOf(error))
    const end = (): Response => {
      resolve(res.statusCode)
      return res
    }
    res.end = end
    try {
      const pending = run(req, res, (error?: unknown) => (error ? refuse(error) : resolve(CONTINUES)))
      Promise.resolve(pending).catch(refuse)
    } catch (error) {
      refuse(error)
    }
  })
  return within(SECONDS, decided).catch(statusOf)
}

function statusOf(error: unknown): number {
  const status = propertyOf(error, 'status')
  return typeof status === 'number' && status >= 400 && status < 600 ? status : 500
}

/** Creates the request and the response of a run, with the prototypes of the app. */
function requestOf({ app, method, path }: GuardRun): { readonly req: Request; readonly res: Response } {
  const socket = Object.assign(new Duplex(), { remoteAddress: '127.0.0.1', encrypted: false })
  const message = new IncomingMessage(socket as never)
  Object.assign(message, { method, url: path, originalUrl: path, headers: { host: 'localhost' } })
  message.push(null)
  const { request, response } = app as Express
  const req = Object.setPrototypeOf(message, request) as Request
  const res = Object.setPrototypeOf(new ServerResponse(message), response) as Response
  Object.assign(req, { res, next: () => undefined })
  Object.assign(res, { req, locals: {} })
  return { req, res }
}
