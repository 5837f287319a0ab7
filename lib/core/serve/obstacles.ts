import type { Application, IRouter } from 'express'
import type { ExpressRoute } from '../express/stack.js'
import { IS_FAST } from '../fast/fast.js'
import { obstacles } from '../fast/obstacles.js'
import { listBelow } from '../routing/registry.js'

/** Returns a function that finds the reason why only Express serves a route below an app or a Router. */
export function obstacleFinder(target: IRouter | Application): (route: ExpressRoute) => string | undefined {
  if (!IS_FAST) return () => 'RESOURCERY_FAST is off'
  const byRoute = obstacles(target)
  return (route) => byRoute.get(route)
}

/** Returns a line for each route that only Express serves, with the reason. */
export function obstacleLines(app: Application, fast: boolean): string[] {
  if (!fast || !IS_FAST) return ['The fast path is switched off.']
  const obstacleOf = obstacleFinder(app)
  return listBelow(app).flatMap(({ path, route }) => {
    const reason = obstacleOf(route)
    return reason === undefined ? [] : [`Only Express serves ${path ?? String(route.path)}: ${reason}.`]
  })
}
