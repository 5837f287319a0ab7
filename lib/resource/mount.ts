import type { Application, IRouter, RequestHandler } from 'express'
import { MisuseError } from '../errors.js'
import { mergesParams } from '../routing/express-stack.js'
import { register } from '../routing/registry.js'
import { openRun, type Member } from '../routing/run.js'
import { checkAction, checkGroup, lower } from './checks.js'
import type { Group } from './declaration.js'
import { bySpecificity, checkedRoute } from './path.js'
import { pipeline } from './pipeline.js'
import { planAction, type PlannedAction, type RoutePlan } from './plan.js'
import { take } from './taken.js'

/** Where routes can be mounted: a Router or an app of Express's. */
export type Target = IRouter | Application

/** Mounts the actions of one group; everything is checked before anything is mounted. `more` names the options that are no traits. */
export function mountActions(target: Target, group: Group, actions: readonly PlannedAction[], more: readonly string[]): void {
  checkTarget(target)
  const where = group.name === undefined ? `The group at \`${group.route}\`` : `The resource \`${group.name}\``
  checkGroup(where, group, more)
  const rooted = { ...group, route: checkedRoute(group.route) }
  checkNames(where, actions)
  for (const { name, spec } of actions) checkAction(`\`${name}\` of ${lower(where)}`, name, spec)
  const plans = actions.flatMap((action) => planAction(rooted, { ...action, paths: action.paths.map(checkedRoute) }, mergesParams(target)))
  take(target, where, plans.map(({ route }) => route))
  mountPlans(target, plans)
}

function checkTarget(target: unknown): void {
  if (typeof target === 'function' && 'route' in target && typeof target.route === 'function') return
  throw new MisuseError('target_invalid', 'Routes are mounted on an Express app or on a Router.')
}

function checkNames(where: string, actions: readonly PlannedAction[]): void {
  const names = actions.map(({ name }) => name)
  const twice = names.find((name, index) => names.indexOf(name) < index)
  if (twice !== undefined) throw new MisuseError('name_taken', `${where} has two actions called \`${twice}\`.`)
}

function mountPlans(target: Target, plans: readonly RoutePlan[]): void {
  const run = openRun(target)
  const members = new Map<string, Member>()
  for (const plan of plans.toSorted((one, other) => bySpecificity(one.route.path, other.route.path))) {
    const { path, method } = plan.route
    const member = members.get(path) ?? run.add(path)
    members.set(path, member)
    register(member.route, plan.route)
    answerWith(member, method, pipeline(plan))
  }
}

/** Hangs a handler under Express's route and into the index; which methods there are was checked before. */
function answerWith({ route, handlers }: Member, method: string, handler: RequestHandler): void {
  const registrars = route as unknown as Record<string, (handler: RequestHandler) => unknown>
  registrars[method.toLowerCase()]?.(handler)
  handlers.set(method, handler)
}
