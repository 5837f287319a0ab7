import type { IRouter } from 'express'
import { memoize } from '../base/memoize.js'
import { hasDetours } from '../express/layers.js'
import { hasOriginalHandle } from '../express/originals.js'
import { layersOf, type Layer } from '../express/stack.js'
import { RouteIndex } from './route-index.js'
import { ERROR_HANDLER, Step, type Layout, type View } from './step.js'

/** A router whose layers are read again when they have changed, with an index of their paths. */
class RouterView implements View {
  readonly router: IRouter
  #layout: ComparedLayout | undefined

  constructor(router: IRouter) {
    this.router = router
  }

  current(): Layout | undefined {
    const { router } = this
    return hasOriginalHandle(router) && !hasDetours(router) ? this.layout() : undefined
  }

  /** Returns the layers of the router, whatever it does with a request. */
  layout(): Layout {
    const stack = layersOf(this.router)
    if (this.#layout?.isCurrent(stack) === true) return this.#layout
    this.#layout = new ComparedLayout(this.router, stack, stack.map((layer, at) => new Step(layer, at, viewOf)))
    return this.#layout
  }
}

class ComparedLayout implements Layout {
  readonly router: IRouter
  readonly layers: readonly Layer[]
  readonly steps: readonly Step[]
  readonly errorSteps: readonly Step[]
  /** The layers as they were read: the stack itself may change. */
  readonly #read: readonly Layer[]
  readonly #compared: readonly Step[]
  readonly #index: RouteIndex<Step>

  constructor(router: IRouter, layers: readonly Layer[], steps: readonly Step[]) {
    this.router = router
    this.layers = layers
    this.steps = steps
    this.#read = [...layers]
    this.errorSteps = steps.filter(
      ({ arity, isMatchKnown, isUnknown, isRoute }) =>
        !isMatchKnown || arity === ERROR_HANDLER || (isUnknown && !isRoute),
    )
    // Declared routes may be many; each is compared when a request may reach it.
    this.#compared = steps.filter(({ isDeclared }) => !isDeclared)
    this.#index = new RouteIndex(steps, ({ part }) => part)
  }

  isCurrent(stack: readonly Layer[]): boolean {
    if (this.layers !== stack || !this.isSameFrom(0)) return false
    for (const step of this.#compared) if (!step.isIn(stack)) return false
    return true
  }

  isSameFrom(from: number): boolean {
    const [read, layers] = [this.#read, this.layers]
    if (layers.length !== read.length) return false
    for (let at = from; at < read.length; at++) if (layers[at] !== read[at]) return false
    return true
  }

  stepsFor(path: string): readonly Step[] {
    return this.#index.candidates(path)
  }
}

const viewsByStack = new WeakMap<readonly Layer[], RouterView>()

/** Returns the view of a router, one for all places where it is mounted. */
export const viewOf = memoize((router: IRouter): View => {
  const view = new RouterView(router)
  viewsByStack.set(layersOf(router), view)
  return view
})

/** Returns the layers of a stack that may match a path, in their order. */
export function layersFor(stack: readonly Layer[], path: string): readonly Layer[] {
  const layout = viewsByStack.get(stack)?.layout()
  return layout?.layers === stack ? layout.stepsFor(path).map(({ layer }) => layer) : stack
}
