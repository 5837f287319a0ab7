import type { Request } from 'express'
import { UnavailableError } from '../errors.js'
import { stateOf } from '../routing/request-state.js'

/** Who may: a permission id of the resource's app, or a check of your own; anything but `true` is a no. */
export type Rule = string | ((req: Request) => boolean | Promise<boolean>)

/** Whether a rule holds for this caller. */
export async function isAllowed(req: Request, rule: Rule): Promise<boolean> {
  if (typeof rule === 'string') return isGranted(req, rule)
  try {
    return (await rule(req) as unknown) === true
  } catch (cause) {
    throw new UnavailableError('A rule did not answer', { cause })
  }
}

/** Asks who judges for the app of this route; without a sign-in or a judge nothing is granted. */
async function isGranted(req: Request, permission: string): Promise<boolean> {
  const { route, passes } = stateOf(req)
  const pass = route?.app === undefined ? undefined : passes.get(route.app)
  if (pass?.auth === undefined || pass.judge === undefined) return false
  return (await pass.judge(pass.auth, permission, req) as unknown) === true
}
