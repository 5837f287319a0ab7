import type { RequestHandler } from 'express'

/** Where an action is mounted: the route of its resource, its own path, and whether its router adds the path arguments of its mount. */
export interface MountPlace {
  readonly resource: string | undefined
  readonly route: string
  readonly path: string
  readonly mergesParams: boolean
}

/** Checks where an action is mounted, and returns the middleware that its route needs before the body is read. */
export type Mounting = (place: MountPlace) => readonly RequestHandler[]

/** The key of an action's own check of its place; a symbol, so that spreading the action keeps it and nobody writes it by accident. */
export const mounting: unique symbol = Symbol('mounting')
