import type { RequestHandler } from 'express'

/**
 * The place of an action: the route of its resource, its own path, and whether its router receives the path arguments
 * of its mount.
 */
export interface MountPlace {
  readonly resource: string | undefined
  readonly route: string
  readonly path: string
  readonly mergesParams: boolean
}

/** Checks the place of an action, and returns middleware that runs before the body is read. */
export type Mounting = (place: MountPlace) => readonly RequestHandler[]

/**
 * The key of an action's own check of its place; a symbol, so that it survives spreading and is never set by accident.
 */
export const mounting: unique symbol = Symbol('mounting')
