import { propertyOf } from '../base/guards.js'
import type { RequestHandler } from 'express'
import type { Reading, StartCheck } from './registry.js'

/**
 * Parts of a declaration that are no option of users, such as those of `crud`. An instance survives spreading, and
 * nobody sets one by accident.
 */
export class Extension<Parts extends object> {
  readonly parts: Parts

  constructor(parts: Parts) {
    this.parts = parts
  }
}

/** The parts of an action. */
export interface ActionParts {
  readonly reading?: Reading
  /** The columns whose sums a list has in `meta.aggregates`. */
  readonly summed?: readonly string[]
  readonly startCheck?: StartCheck
  /** The field of a created record with the key in its path, `false` if it has none. @default 'id' */
  readonly keyField?: string | false
  readonly mounting?: Mounting
  /** True if a body that the action does not declare is read, up to the limit of the resource, to refuse its fields. */
  readonly checksBody?: boolean
}

/** The parts of a resource. */
export interface ResourceParts {
  /** The names of the actions that were made for it. */
  readonly addedActions?: readonly string[]
  /** The options that add further actions, by the names of those. */
  readonly optionByAction?: Readonly<Record<string, string>>
}

/** Returns a declaration without its extension; another value of that name stays, and is refused as an option. */
export function withoutExtension<D extends { readonly extension?: unknown }>(declaration: D): Omit<D, 'extension'> {
  // A program without types may give `null`, which is refused as options.
  const extension = propertyOf(declaration, 'extension')
  if (!(extension instanceof Extension)) return declaration
  const { extension: _extension, ...others } = declaration
  return others
}

/** Returns an action with more parts. */
export function extend<Spec extends { readonly extension?: Extension<ActionParts> }>(
  spec: Spec,
  parts: ActionParts,
): Spec {
  return { ...spec, extension: new Extension({ ...spec.extension?.parts, ...parts }) }
}

/**
 * The place of an action: the route of its resource, its own path, and whether its router receives the path arguments
 * of its mount.
 */
interface MountPlace {
  readonly resource: string | undefined
  readonly route: string
  readonly path: string
  readonly mergesParams: boolean
}

/** Checks the place of an action, and returns middleware that runs before the body is read. */
export type Mounting = (place: MountPlace) => readonly RequestHandler[]
