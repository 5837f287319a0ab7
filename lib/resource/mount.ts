import type { Application, IRouter } from 'express'
import { MisuseError } from '../errors.js'
import { checkVersion } from '../express/probe.js'
import { mergesParams } from '../express/stack.js'
import { register } from '../routing/registry.js'
import { partsOf, type RoutePlace } from '../seam.js'
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
  if (typeof target === 'function') checkVersion(target)
  if (typeof target === 'function' && 'route' in target && typeof target.route === 'function') return
  throw new MisuseError('target_invalid', 'Routes are mounted on an Express app or on a Router.')
}

function checkNames(where: string, actions: readonly PlannedAction[]): void {
  const names = actions.map(({ name }) => name)
  const twice = names.find((name, index) => names.indexOf(name) < index)
  if (twice !== undefined) throw new MisuseError('name_taken', `${where} has two actions called \`${twice}\`.`)
}

function mountPlans(target: Target, plans: readonly RoutePlan[]): void {
  const routes = partsOf(true).openRoutes(target)
  const places = new Map<string, RoutePlace>()
  for (const plan of plans.toSorted((one, other) => bySpecificity(one.route.path, other.route.path))) {
    const { path, method } = plan.route
    const place = places.get(path) ?? routes.add(path)
    places.set(path, place)
    register(place.route, plan.route)
    place.answer(method, pipeline(plan))
  }
}
