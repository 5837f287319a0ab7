import { checkOwner } from '../base/copies.js'
import { layersBelow } from '../express/layers.js'
import { stackOf, type Layer } from '../express/stack.js'

/** @throws MisuseError `copies_mixed` for a route or a guard below an app that another copy of the package has made. */
export function checkCopies(app: object): void {
  for (const { handle, route } of layersBelow(stackOf(app))) {
    for (const made of [handle, route, ...route?.stack.map((own) => own.handle) ?? []]) checkOwner(made)
  }
}

/** The number of layers of each stack that have been checked. */
const checkedLayersByStack = new WeakMap<readonly Layer[], number>()

/** @throws MisuseError `copies_mixed` for a guard of another copy that was added to an app or a Router by `use`. */
export function checkGuardsOf(target: object): void {
  const stack = stackOf(target)
  for (const { handle } of stack.slice(checkedLayersByStack.get(stack))) checkOwner(handle)
  checkedLayersByStack.set(stack, stack.length)
}
