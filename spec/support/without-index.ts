import { lastLayer, openStackOf, routerOf, type ExpressRoute } from '../../lib/routing/express-stack.js'
import type { Member } from '../../lib/routing/run.js'

/** Stands in for `lib/routing/run.ts` where the suite is run without the index: resource routes are found by Express alone. */
export function openRun(target: object): { add(path: string): Member } {
  return {
    add(path) {
      const route = routerOf(target).route(path) as unknown as ExpressRoute
      const layer = lastLayer(openStackOf(target))
      return { layer, route, match: (asked) => layer.match(asked), plain: undefined, handlers: new Map() }
    },
  }
}

export function runBehind(): undefined {
  return undefined
}
