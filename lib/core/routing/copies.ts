import { checkOwner } from '../base/copies.js'
import { stackInside } from '../express/layers.js'
import { stackOf, type Layer } from '../express/stack.js'

/** @throws MisuseError `copies_mixed` for a route or a guard below an app that another copy of the package has made. */
export function checkCopies(app: object): void {
  checkStack(stackOf(app), new Set())
}

function checkStack(stack: readonly Layer[], seen: Set<readonly Layer[]>): void {
  if (seen.has(stack)) return
  seen.add(stack)
  for (const layer of stack) {
    checkOwner(layer.handle)
    checkOwner(layer.route)
    for (const { handle } of layer.route?.stack ?? []) checkOwner(handle)
    checkStack(stackInside(layer) ?? [], seen)
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
