import type { Application, IRouter } from 'express'
import type { ExpressRoute } from '../express/stack.js'
import { implementationOf, PLAIN } from '../express/implementation.js'
import { listed } from '../routing/registry.js'

/** Returns a function that finds the reason why only Express serves a route below an app or a Router. */
export function obstacleFinder(target: IRouter | Application): (route: ExpressRoute) => string | undefined {
  const found = implementationOf(true).obstacles(target)
  return (route) => (found === undefined ? 'RESOURCERY_FAST is off' : found.get(route))
}

/** Returns a line for each route that only Express serves, with the reason. */
export function obstacleLines(app: Application, fast: boolean): string[] {
  if (implementationOf(fast) === PLAIN) return ['The fast path is switched off.']
  const obstacleOf = obstacleFinder(app)
  return listed(app).flatMap(({ path, route }) => {
    const reason = obstacleOf(route)
    return reason === undefined ? [] : [`Only Express serves ${path ?? String(route.path)}: ${reason}.`]
  })
}
