import type { Request } from 'express'
import { UnavailableError } from '../errors.js'
import { passesOf, permissionIn } from '../mediation.js'
import { stateOf, type Pass } from '../routing/request-state.js'

/** Who may: a permission id of an application in front of the route, or a check of your own; only `true` grants. */
export type Rule = string | ((req: Request) => boolean | Promise<boolean>)

/** Checks whether a rule holds for this caller. */
export async function isAllowed(req: Request, rule: Rule): Promise<boolean> {
  if (typeof rule === 'string') return isGranted(req, rule)
  try {
    return (await rule(req) as unknown) === true
  } catch (cause) {
    throw new UnavailableError('A rule did not answer', { cause })
  }
}

/** Asks the `permission` of the id's own application, or else all in front; without any nothing is granted. */
async function isGranted(req: Request, permission: string): Promise<boolean> {
  const judged = judgedPasses(req)
  const own = judged.filter(([app]) => permission.startsWith(`${app}.`))
  const asked = own.length > 0 ? own : judged
  const verdicts = await Promise.all(asked.map(([, pass]) => grants(pass, permission, req)))
  return verdicts.length > 0 && verdicts.every((granted) => granted)
}

/** Checks whether the caller may do another action of the resource; `undefined` where no permission is asked for. */
export async function isPermitted(req: Request, action: string): Promise<boolean | undefined> {
  const { route } = stateOf(req)
  const judged = judgedPasses(req)
  if (route === undefined || !route.can || judged.length === 0) return undefined
  const other = { ...route, name: route.name.replace(/[^.]*$/, action) }
  const verdicts = await Promise.all(judged.map(([app, pass]) => grants(pass, permissionIn(app, other), req)))
  return verdicts.every((granted) => granted)
}

function judgedPasses(req: Request): ReturnType<typeof passesOf> {
  const { route } = stateOf(req)
  return route === undefined ? [] : passesOf(route, req).filter(([, { judge }]) => judge !== undefined)
}

async function grants({ auth, judge }: Pass, permission: string, req: Request): Promise<boolean> {
  return auth !== undefined && judge !== undefined && (await judge(auth, permission, req) as unknown) === true
}
