import { MisuseError } from '../errors.js'
import type { Layer } from './stack.js'

/** Prototypes of layers that have the shape this package reads. */
const known = new WeakSet()

/**
 * Checks that a layer which `target.route(path)` has just added has the shape that this package reads.
 *
 * @throws MisuseError `express_unsupported` for Express 4, and for a later version that keeps its routes in another way.
 */
export function probe(layer: Layer): void {
  const prototype = Object.getPrototypeOf(layer) as object
  if (known.has(prototype)) return
  const { route, handle, match, handleRequest, handleError } = layer
  const hasFunctions = [handle, match, handleRequest, handleError].every((one) => typeof one === 'function')
  if (!hasFunctions || !Array.isArray(route?.stack)) throw unsupported()
  known.add(prototype)
}

/**
 * Checks that an app or a Router is not one of Express 4.
 *
 * @throws MisuseError `express_unsupported`.
 */
export function checkVersion(target: object): void {
  if ('lazyrouter' in target || 'process_params' in target) throw unsupported()
}

function unsupported(): MisuseError {
  return new MisuseError('express_unsupported', 'resourcery works with `express` 5.1 or later and `router` 2.2 or later; what this app or Router is made with keeps its routes in another way.')
}
