import type { Application } from 'express'
import { implementationOf } from '../implementation.js'
import { listed } from '../routing/registry.js'

/** Returns a line for each route that only Express serves, with the reason. */
export function obstacleLines(app: Application, fast: boolean): string[] {
  const found = implementationOf(fast).obstacles(app)
  if (found === undefined) return ['The fast path is switched off.']
  return listed(app).flatMap(({ path, route }) => {
    const reason = found.get(route)
    return reason === undefined ? [] : [`Only Express serves ${path ?? String(route.path)}: ${reason}.`]
  })
}
